module berth/tests/robustness/memory/cluster

go 1.23
