// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process carries its cluster and its name in its environment. The kernel's list of processes is therefore the only
// record of what runs: there is no pid file that a crash could leave behind or a reused pid could turn against others.
const (
	clusterMark = "BERTH_CLUSTER="
	processMark = "BERTH_CLUSTER_PROCESS="
)

const (
	readyLimit = 3 * time.Minute  // on a machine that is busy with other things
	stopLimit  = 10 * time.Second // then it is killed
	portLimit  = 10 * time.Second
	pause      = 50 * time.Millisecond
)

// processes are the running ones of this cluster: pid by name.
func (c *cluster) processes() (map[string]int, error) {
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	running := map[string]int{}
	for _, file := range environments {
		// Of one that has ended meanwhile or belongs to another user nothing can be read, and it is not ours.
		text, _ := os.ReadFile(file)
		if !bytes.Contains(text, []byte(clusterMark+c.dir+"\x00")) {
			continue
		}
		for _, variable := range strings.Split(string(text), "\x00") {
			if name, ok := strings.CutPrefix(variable, processMark); ok {
				pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
				if err != nil {
					return nil, err
				}
				running[name] = pid
			}
		}
	}
	return running, nil
}

func (c *cluster) logFile(name string) string { return c.path(logDir, name+".log") }

// start runs a component in a session of its own and returns when it is ready.
func (c *cluster) start(ctx context.Context, it component) error {
	if err := os.MkdirAll(c.path(logDir), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(c.logFile(it.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	process := exec.Command(it.program, it.arguments...)
	process.Dir = c.dir
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), clusterMark+c.dir, processMark+it.name)
	process.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := process.Start(); err != nil {
		return fmt.Errorf("cannot start %s: %w", it.name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	if err := c.awaitReady(ctx, it, ended); err != nil {
		return errors.Join(err, stop([]int{process.Process.Pid}, syscall.SIGKILL))
	}
	return nil
}

func (c *cluster) awaitReady(ctx context.Context, it component, ended <-chan error) error {
	limit, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for {
		answer := c.ask(limit, it.ready)
		if answer == nil {
			return nil
		}
		select {
		case why := <-ended:
			return fmt.Errorf("%s ended before it was ready (%v); %s ends with:\n%s", it.name, why, c.logFile(it.name),
				lastLines(c.logFile(it.name), 8))
		case <-limit.Done():
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return fmt.Errorf("%s was not ready within %v: %w; %s ends with:\n%s", it.name, readyLimit, answer,
				c.logFile(it.name), lastLines(c.logFile(it.name), 8))
		case <-time.After(pause):
		}
	}
}

// ask gets an address as admin; any answer but 200 is an error.
func (c *cluster) ask(ctx context.Context, url string) error {
	authorities := x509.NewCertPool()
	ca, err := os.ReadFile(c.pki("ca.crt"))
	if err != nil {
		return err
	}
	authorities.AppendCertsFromPEM(ca)
	token, err := os.ReadFile(c.pki("token"))
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: authorities},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, response.Status, text)
	}
	return nil
}

func lastLines(file string, count int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

// stop ends processes by their pid, together, and returns when they are gone.
func stop(pids []int, how syscall.Signal) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, how); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("cannot stop process %d: %w", pid, err)
		}
	}
	begun := time.Now()
	for _, pid := range pids {
		for running(pid) {
			if time.Since(begun) > stopLimit && how != syscall.SIGKILL {
				return stop(pids, syscall.SIGKILL)
			}
			if time.Since(begun) > 6*stopLimit {
				return fmt.Errorf("process %d still runs a minute after it was killed", pid)
			}
			time.Sleep(pause)
		}
	}
	return nil
}

// running is false also for one that has ended and waits for its parent to notice.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, fields, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	return !strings.HasPrefix(fields, "Z") && !strings.HasPrefix(fields, "X")
}

// awaitPorts returns when all of these can be listened on again.
func (c *cluster) awaitPorts(names []string) error {
	begun := time.Now()
	for _, name := range names {
		for port := c.state.Ports[name]; port != 0 && !canListen(port); time.Sleep(pause) {
			if time.Since(begun) > portLimit {
				return fmt.Errorf("port %d of %s is still in use, though its process has ended", port, name)
			}
		}
	}
	return nil
}
