// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// container is what runs: paths as the process sees them, and where they come from.
type container struct {
	Root, Host  string
	Image       image
	Mounts      map[string]mounted // path in it: directory
	User, Group int
	Security    security
	Env         []string
	Command     []string
}

type mounted struct {
	From     string
	ReadOnly bool
}

type security struct{ ReadOnly, NoNewPrivileges, DropCapabilities bool }

var (
	kernel = []string{"/proc", "/dev"}
	// With an installed tree the programs' libraries come from this machine.
	libraries = []string{"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"}
)

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
	if err := c.root(); err != nil {
		return err
	}
	if err := errors.Join(syscall.Sethostname([]byte(c.Host)), syscall.Chroot(c.Root), syscall.Chdir("/")); err != nil {
		return err
	}
	if err := c.become(); err != nil {
		return err
	}
	for _, variable := range c.Env {
		if path, is := strings.CutPrefix(variable, "PATH="); is {
			os.Setenv("PATH", path)
		}
	}
	program, err := exec.LookPath(c.Command[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, c.Command, c.Env))
}

// root mounts all that the container sees.
func (c *container) root() (err error) {
	if c.Image.Installed {
		if err := syscall.Mount("root", c.Root, "tmpfs", 0, "mode=755"); err != nil {
			return fmt.Errorf("mounting %s: %w", c.Root, err)
		}
		err = bind(c.Image.Files, filepath.Join(c.Root, "/opt/berth"), false)
		for _, path := range libraries {
			err = errors.Join(err, bind(path, filepath.Join(c.Root, path), false))
		}
	} else {
		err = bind(c.Image.Files, c.Root, false)
	}
	for _, path := range kernel {
		err = errors.Join(err, bind(path, filepath.Join(c.Root, path), false))
	}
	for path, mount := range c.Mounts {
		target, wrong := within(c.Root, path)
		if err = errors.Join(err, wrong); wrong == nil {
			err = errors.Join(err, bind(mount.From, target, mount.ReadOnly))
		}
	}
	if err == nil && c.Security.ReadOnly {
		err = syscall.Mount("", c.Root, "", syscall.MS_REMOUNT|syscall.MS_RDONLY|syscall.MS_BIND, "")
	}
	return err
}

// within is where a path of the container lies here: its links, such as that of /var/run, are the image's and lead to paths in it.
func within(root, path string) (string, error) {
	at, links := "/", 0
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		to, err := os.Readlink(filepath.Join(root, next))
		if err != nil { // No link, or nothing yet.
			at = next
			continue
		}
		if links++; links > 40 {
			return "", fmt.Errorf("%s: too many links", path)
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return filepath.Join(root, at), nil
}

// become gives up what the container may not have, the user last.
func (c *container) become() error {
	control := func(option, argument uintptr) error {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, option, argument, 0); errno != 0 {
			return errno
		}
		return nil
	}
	const capabilityDrop, noNewPrivileges = 24, 38
	if c.Security.DropCapabilities {
		for capability := uintptr(0); control(capabilityDrop, capability) == nil; capability++ {
		}
	}
	err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(c.Group), syscall.Setuid(c.User))
	if c.Security.NoNewPrivileges {
		err = errors.Join(err, control(noNewPrivileges, 1))
	}
	// Who changes the user is no longer told of the parent's death.
	return errors.Join(err, control(syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL)))
}

// bind shows a file or directory at another path too.
func bind(from, to string, readOnly bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, nil, 0o644))
	}
	err = errors.Join(err, syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""))
	if err == nil && readOnly {
		err = syscall.Mount("", to, "", syscall.MS_REMOUNT|syscall.MS_RDONLY|syscall.MS_BIND, "")
	}
	if err != nil {
		return fmt.Errorf("mounting %s at %s: %w", from, to, err)
	}
	return nil
}
