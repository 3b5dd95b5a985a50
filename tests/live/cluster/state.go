// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// cluster is one control plane: everything about it that is not a running process is in its directory.
type cluster struct {
	programs string // the directory of the built programs
	dir      string // absolute, without symbolic links, so that it names the cluster in each process
	state    state
}

// state is what cluster.json keeps. It is written before the first process starts and gone after the last one ended.
type state struct {
	Bare           bool                `json:"bare"`
	APIServerFlags []string            `json:"apiServerFlags,omitempty"`
	Ports          map[string]int      `json:"ports"`
	Schedulers     map[string][]string `json:"schedulers,omitempty"` // by name, with the flags each was started with
}

const host = "127.0.0.1"

// What a cluster makes in its directory; everything but the log and the lock goes when it is taken down.
const (
	stateFile     = "cluster.json"
	lockFile      = "lock"
	logDir        = "log"
	etcdDir       = "etcd"
	pkiDir        = "pki"
	kubeconfigDir = "kubeconfig"
	schedulerDir  = "schedulers"
	volumeDir     = "volume-plugins" // empty; the controller manager makes it somewhere
	kubectlDir    = "kubectl-cache"
)

var passing = []string{stateFile, etcdDir, pkiDir, kubeconfigDir, schedulerDir, volumeDir, kubectlDir}

func open(programs, dir string) (*cluster, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	c := &cluster{programs: programs, dir: dir}
	return c, c.readState()
}

func (c *cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

// readState leaves the state empty when there is no cluster, and when a crash of the machine has spoiled the file: what
// runs is found without it, and up and down clear the rest away.
func (c *cluster) readState() error {
	c.state = state{}
	text, err := os.ReadFile(c.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(text, &c.state) != nil {
		c.state = state{}
	}
	return nil
}

func (c *cluster) writeState() error {
	text, err := json.MarshalIndent(c.state, "", "  ")
	if err != nil {
		return err
	}
	next := c.path(stateFile + ".next")
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, c.path(stateFile))
}

func (c *cluster) exists() bool { return c.state.Ports != nil }

// locked runs one command at a time in a directory. The lock goes with this process, however it ends.
func (c *cluster) locked(command func() error) error {
	lock, err := os.OpenFile(c.path(lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("%s: cannot lock: %w", lock.Name(), err)
	}
	if err := c.readState(); err != nil {
		return err
	}
	return command()
}

// wipe deletes what a cluster made, but for its logs. A directory that holds anything else is not ours to delete from.
func (c *cluster) wipe() error {
	ours := map[string]bool{lockFile: true, logDir: true, stateFile + ".next": true}
	for _, name := range passing {
		ours[name] = true
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !ours[entry.Name()] {
			return fmt.Errorf("%s holds %s, which no cluster made; name an empty directory with --dir", c.dir, entry.Name())
		}
	}
	for _, name := range passing {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return err
		}
	}
	c.state = state{}
	return nil
}

// freePort returns a loopback port that nobody listens on and this cluster has not taken. It lies below the ports that
// the kernel gives to outgoing connections, so that none of these takes it while its process is down.
func (c *cluster) freePort() (int, error) {
	taken := map[int]bool{}
	for _, port := range c.state.Ports {
		taken[port] = true
	}
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		if !taken[port] && canListen(port) {
			return port, nil
		}
	}
	return 0, errors.New("no free loopback port found between 20000 and 31999")
}

func canListen(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	listener.Close()
	return true
}

func address(port int) string { return fmt.Sprintf("%s:%d", host, port) }
