// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// image is what a container runs from: the files of a real one with its configuration, or an installed tree of Berth, which
// gets the libraries of this machine as the image would get those of its Debian.
type image struct {
	Files       string
	Installed   bool // Files is not a root, but goes to /opt/berth.
	entrypoint  []string
	env         []string
	user, group int
}

// imageOf finds what was pulled under a reference; without a reference of its own, -image is the one for all others.
func (k *kubelet) imageOf(reference string) (image, error) {
	dir, pulled := k.pulled[reference]
	if !pulled {
		dir = k.image
	}
	if dir == "" {
		return image{}, fmt.Errorf("image %s cannot be pulled: no -pulled says where it is", reference)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if errors.Is(err, os.ErrNotExist) {
		return image{Files: dir, Installed: true, entrypoint: []string{"berth"}, env: []string{"PATH=/opt/berth/bin:/usr/bin:/bin"}}, nil
	}
	var read struct {
		Config struct {
			Entrypoint, Env []string
			User            string
		}
	}
	if err := errors.Join(err, json.Unmarshal(text, &read)); err != nil {
		return image{}, fmt.Errorf("%s: %w", dir, err)
	}
	config := read.Config
	out := image{Files: filepath.Join(dir, "rootfs"), entrypoint: config.Entrypoint, env: config.Env}
	if config.User != "" {
		if _, err := fmt.Sscanf(strings.ReplaceAll(config.User, ":", " ")+" 0", "%d %d", &out.user, &out.group); err != nil {
			return image{}, fmt.Errorf("%s: user %s is no number: a kubelet cannot tell that it is not root", dir, config.User)
		}
	}
	return out, nil
}

// named are options of the form NAME=DIRECTORY.
type named map[string]string

func (n named) String() string { return "" }

func (n named) Set(option string) error {
	name, dir, found := strings.Cut(option, "=")
	if !found {
		return errors.New("expected NAME=DIRECTORY")
	}
	absolute, err := filepath.Abs(dir)
	n[name] = absolute
	return err
}
