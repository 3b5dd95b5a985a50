module berth/tests/attacks/hostile

go 1.21
