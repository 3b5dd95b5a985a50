// SPDX-License-Identifier: Apache-2.0

// Hostile plays the other sides of an attack on Berth: an API server in memory, clients that cost much and give
// little, and the kubelet whose probes must be answered meanwhile. Everything on 127.0.0.0/8, bounded in count and time.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func([]string) error{"apiserver": apiServer, "clients": clients, "extenders": extenders, "probe": probe}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: hostile apiserver|clients|extenders|probe [flags]; -h explains them")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "hostile %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
