// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// scheduler is the program that is tested. It is started again whenever it is killed.
type scheduler struct {
	command []string
	log     *os.File
	mutex   sync.Mutex
	process *exec.Cmd
	began   int64      // where its part of the log begins
	ended   chan error // of the process that runs
	expect  bool       // its end is our doing
	over    bool       // it is not started any more
	wrong   []string
	lost    func() // told when it has lost its lease
}

func (s *scheduler) start() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.over {
		return nil
	}
	log, err := s.log.Stat()
	if err != nil {
		return err
	}
	s.began = log.Size()
	s.process = exec.Command(s.command[0], s.command[1:]...)
	s.process.Stdout, s.process.Stderr = s.log, s.log
	// It must not outlive the bench.
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		return err
	}
	s.expect = false
	ended := make(chan error, 1)
	s.ended = ended
	process := s.process
	go func() {
		err := process.Wait()
		s.mutex.Lock()
		alone := !s.expect
		// kube-scheduler, too, ends with 1 when it could not renew its lease in time.
		var code *exec.ExitError
		if alone && errors.As(err, &code) && code.ExitCode() == 1 {
			s.lost()
		} else if alone {
			s.wrong = append(s.wrong, fmt.Sprintf("the scheduler ended by itself: %v", err))
		}
		s.mutex.Unlock()
		ended <- err
		if alone {
			// As a kubelet does; the run shall show what else there is.
			time.Sleep(time.Second)
			if err := s.start(); err != nil {
				panic(err)
			}
		}
	}()
	return nil
}

func (s *scheduler) signal(what os.Signal) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.process.Process.Signal(what)
}

// end makes it end and returns how it did.
func (s *scheduler) end(how os.Signal, patience time.Duration) error {
	s.mutex.Lock()
	s.expect = true
	process, ended := s.process.Process, s.ended
	s.mutex.Unlock()
	// One that has ended by itself is told of in `wrong`.
	_ = process.Signal(how)
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		_ = process.Kill()
		<-ended
		return fmt.Errorf("it did not end within %v of the signal %v", patience, how)
	}
}

// finish ends it for good.
func (s *scheduler) finish() error {
	s.mutex.Lock()
	s.over = true
	s.mutex.Unlock()
	return s.end(syscall.SIGTERM, 15*time.Second)
}

// kill is what happens to a machine: no farewell, and another one soon.
func (s *scheduler) kill() error {
	_ = s.end(syscall.SIGKILL, 10*time.Second)
	return s.start()
}

// pause is a machine that hangs for a while.
func (s *scheduler) pause(long time.Duration) error {
	if err := s.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(long)
	return s.signal(syscall.SIGCONT)
}

func (s *scheduler) faults() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string{}, s.wrong...)
}
