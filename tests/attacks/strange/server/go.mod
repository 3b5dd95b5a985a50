module berth/tests/attacks/strange/server

go 1.21
