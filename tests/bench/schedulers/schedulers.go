// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// unlimited is the configuration of either scheduler: the default profile, and a client without a brake.
const unlimited = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: -1, burst: 1}
`

func writeConfig(on *live, name, profiles string) (string, error) {
	path := filepath.Join(on.plane.dir, "bench-"+name+".yaml")
	text := fmt.Sprintf(unlimited, on.plane.file("kubeconfig", "scheduler")) + profiles
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// kubeScheduler is the real one, as tests/live/cluster runs it.
type kubeScheduler struct {
	plane   controlPlane
	config  string
	process int
}

func (*kubeScheduler) name() string { return "kube-scheduler" }

func (k *kubeScheduler) start(ctx context.Context, on *live) (err error) {
	k.plane = on.plane
	if k.config, err = writeConfig(on, k.name(), ""); err != nil {
		return err
	}
	arguments := []string{"scheduler", "start", "bench", k.config}
	if _, err := k.plane.command(ctx, append(arguments, on.gates.ofKubeScheduler()...)...); err != nil {
		return errors.Join(err, os.Remove(k.config))
	}
	status, err := k.plane.command(ctx, "status")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "scheduler-bench" {
			k.process, err = strconv.Atoi(fields[2])
			return err
		}
	}
	return fmt.Errorf("cluster.sh status does not show scheduler-bench:\n%s", status)
}

func (k *kubeScheduler) usage() (time.Duration, int64, error) { return processUsage(k.process) }

func (k *kubeScheduler) pid() int { return k.process }

func (k *kubeScheduler) stop() error {
	_, err := k.plane.command(context.Background(), "scheduler", "stop", "bench")
	return errors.Join(err, os.Remove(k.config))
}

// program is one that runs beside the bench.
type program struct {
	path, log string
	cmd       *exec.Cmd
}

func (p *program) run(arguments ...string) error {
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(p.path, arguments...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return p.cmd.Start()
}

func (p *program) pid() int { return p.cmd.Process.Pid }

func (p *program) usage() (time.Duration, int64, error) {
	cpu, peak, err := processUsage(p.cmd.Process.Pid)
	if err != nil {
		err = fmt.Errorf("%w; the end of its log:\n%s", err, tail(p.log))
	}
	return cpu, peak, err
}

func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("it ended by itself (%w); the end of its log:\n%s", err, tail(p.log))
	}
	killer := time.AfterFunc(15*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer killer.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("asked to end, it says %w; the end of its log:\n%s", err, tail(p.log))
	}
	return nil
}

// berth is the program under test. It serves HTTPS as kube-scheduler does in tests/live/cluster, and has no dashboard, which that lacks.
type berth struct {
	program
	config string
}

func (*berth) name() string { return "berth" }

func (b *berth) start(ctx context.Context, on *live) (err error) {
	if b.config, err = writeConfig(on, b.name(), on.gates.ofBerth()); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	identity := on.plane.file("kubeconfig", "scheduler")
	if err := b.run("run", "--config", b.config, "--bind-address", host, "--secure-port", port, "--ui=false",
		"--tls-cert-file", on.plane.file("pki", "server.crt"), "--tls-private-key-file", on.plane.file("pki", "server.key"),
		"--authentication-kubeconfig", identity, "--authorization-kubeconfig", identity); err != nil {
		return err
	}
	if err := on.awaitReady(ctx, address, b.usage); err != nil {
		return errors.Join(err, b.stop())
	}
	return nil
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// awaitReady returns when the scheduler says over HTTPS that it is ready, as cluster.sh does for kube-scheduler.
func (l *live) awaitReady(ctx context.Context, address string, alive func() (time.Duration, int64, error)) error {
	transport, err := rest.TransportFor(l.config)
	if err != nil {
		return err
	}
	client := http.Client{Transport: transport}
	for last := errors.New("nothing was asked"); ; time.Sleep(20 * time.Millisecond) {
		if _, _, ended := alive(); ended != nil || ctx.Err() != nil {
			return errors.Join(fmt.Errorf("https://%s/readyz: %w", address, last), ended, ctx.Err())
		}
		answer, err := client.Get("https://" + address + "/readyz")
		if err != nil {
			last = err
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		last = errors.New(answer.Status)
	}
}

func (b *berth) stop() error { return errors.Join(b.program.stop(), os.Remove(b.config)) }

// ceilingProcess is this program once more, as the ceiling client.
type ceilingProcess struct {
	program
	how    settings
	repeat writes
}

func (*ceilingProcess) name() string { return "ceiling" }

func (c *ceilingProcess) start(_ context.Context, on *live) error {
	repeat, err := json.Marshal(c.repeat)
	if err != nil {
		return err
	}
	return c.run("ceiling", on.plane.file("kubeconfig", "scheduler"), c.how.flag(), string(repeat))
}

// ticks is how many of utime and stime make a second: USER_HZ, the same on every Linux that runs here.
const ticks = 100

// processStat reads /proc/PID/stat from the third field on (proc(5)).
func processStat(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The second field, the program's name in brackets, may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return nil, fmt.Errorf("process %d has ended", pid)
	}
	return fields, nil
}

// processUsage reads user and system time and VmHWM of all of a process's threads.
func processUsage(pid int) (cpu time.Duration, peak int64, err error) {
	fields, err := processStat(pid)
	if err != nil {
		return 0, 0, err
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err := errors.Join(err, err2); err != nil {
		return 0, 0, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return time.Duration(user+system) * time.Second / ticks, kib << 10, err
		}
	}
	return 0, 0, fmt.Errorf("process %d has no VmHWM", pid)
}
