// SPDX-License-Identifier: Apache-2.0

// Command cluster starts, stops and shows real Kubernetes control planes on 127.0.0.1, each with all of its state in one
// directory. cluster.sh builds it and the programs it starts, and names both directories.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `usage: tests/live/cluster/cluster.sh [--dir DIR] COMMAND
  build                        build the control plane and its tools; the other commands do so too when it is missing
  up [--bare] [FLAG...]        start a control plane in DIR (default: .cache/cluster/default); says so when it is up.
                               --bare: for throughput, without controller-manager and kwok, API server without limits.
                               Each FLAG is one more for kube-apiserver
  down                         stop everything in DIR and delete all but the logs
  status                       one line per process: name, state, pid, port, resident KiB, log; exit code 1 unless all run
  kubeconfig [KIND]            print a path: admin (default; a client certificate), admin-files (the same, in files),
                               token, token-file, scheduler (the user system:kube-scheduler, by its certificate)
  kubectl ARGUMENT...          run kubectl as admin
  next                         say what a person can do with it
  start | stop | kill NAME     one process by its name in status; its data and port stay
  scheduler start NAME [CONFIG [FLAG...]]   run the real kube-scheduler, with CONFIG's profiles; a CONFIG without
                               leaderElection elects no leader. NAME is for this command and the log only
  scheduler stop NAME
`

// misuse is an error of the person who called: it ends with exit code 2.
type misuse struct{ text string }

func (m misuse) Error() string { return m.text }

func main() {
	if len(os.Args) < 4 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4:])
	cancel()
	var wrong misuse
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "cluster: %v\n%s", wrong, usage)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, programs, dir, command string, rest []string) error {
	one := func() (string, error) {
		if len(rest) != 1 {
			return "", misuse{command + " takes one name"}
		}
		return rest[0], nil
	}
	c, err := open(programs, dir)
	if err != nil {
		return err
	}
	switch command {
	case "up":
		bare := len(rest) > 0 && rest[0] == "--bare"
		if bare {
			rest = rest[1:]
		}
		return c.locked(func() error { return c.up(ctx, bare, rest) })
	case "down":
		return c.locked(c.down)
	case "status":
		return c.status()
	case "kubeconfig":
		kind := "admin"
		if len(rest) > 0 {
			kind = rest[0]
		}
		return c.printKubeconfig(kind)
	case "kubectl":
		return c.kubectl(rest)
	case "start":
		name, err := one()
		if err != nil {
			return err
		}
		return c.locked(func() error { return c.startByName(ctx, name) })
	case "stop", "kill":
		name, err := one()
		if err != nil {
			return err
		}
		return c.locked(func() error { return c.stopByName(name, command == "kill") })
	case "scheduler":
		if len(rest) == 2 && rest[0] == "stop" {
			return c.locked(func() error { return c.stopScheduler(rest[1]) })
		}
		if len(rest) >= 2 && rest[0] == "start" {
			return c.locked(func() error { return c.startScheduler(ctx, rest[1], rest[2:]) })
		}
		return misuse{"scheduler takes start NAME [CONFIG [FLAG...]] or stop NAME"}
	}
	return misuse{"no such command: " + strings.Join(append([]string{command}, rest...), " ")}
}
