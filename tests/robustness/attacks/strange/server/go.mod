module berth/tests/robustness/attacks/strange/server

go 1.21
