module berth/tests/self/mutation

go 1.26.0
