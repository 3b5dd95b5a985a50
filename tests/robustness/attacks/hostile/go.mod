module berth/tests/robustness/attacks/hostile

go 1.21
