// SPDX-License-Identifier: Apache-2.0

// Command etcd is etcd itself: its own main package sits in a module that cannot be built from outside.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
