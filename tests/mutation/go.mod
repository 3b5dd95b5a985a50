module berth/tests/mutation

go 1.26.0
