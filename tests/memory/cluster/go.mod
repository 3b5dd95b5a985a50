module berth/tests/memory/cluster

go 1.23
