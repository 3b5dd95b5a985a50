// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The programs' libraries come from this machine, as the image's would from its Debian.
var machine = []string{"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/proc", "/dev"}

// inside makes the container's root in this process's own mount name space and becomes the container. It returns only when
// that fails.
func inside(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c container
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	const private = syscall.MS_PRIVATE | syscall.MS_REC
	if err := syscall.Mount("", "/", "", private, ""); err != nil {
		return fmt.Errorf("mounts cannot be kept apart: %w", err)
	}
	if err := syscall.Mount("root", c.Root, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("mounting %s: %w", c.Root, err)
	}
	for _, path := range machine {
		err = errors.Join(err, bind(path, filepath.Join(c.Root, path)))
	}
	err = errors.Join(err, bind(c.Image, filepath.Join(c.Root, "/opt/berth")))
	for path, from := range c.Mounts {
		err = errors.Join(err, bind(from, filepath.Join(c.Root, path)))
	}
	if err != nil {
		return err
	}
	if c.ReadOnly {
		if err := syscall.Mount("", c.Root, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			return err
		}
	}
	if err := errors.Join(syscall.Sethostname([]byte(c.Host)), syscall.Chroot(c.Root), syscall.Chdir("/"),
		syscall.Setgroups(nil), syscall.Setgid(c.Group), syscall.Setuid(c.User)); err != nil {
		return err
	}
	// Who changes the user is no longer told of the parent's death.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0); errno != 0 {
		return errno
	}
	program := c.Command[0]
	if !strings.Contains(program, "/") {
		program = filepath.Join("/opt/berth/bin", program)
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, c.Command, c.Env))
}

// bind shows a file or directory at another path too.
func bind(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, nil, 0o644))
	}
	return errors.Join(err, syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""))
}
