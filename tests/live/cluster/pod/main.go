// SPDX-License-Identifier: Apache-2.0

// Command pod is a kubelet for one pod of a Deployment: it runs, as a process in a root directory of its own, what the
// Deployment in the API server states: command, arguments, environment, user, mounted ConfigMaps (kept up to date as a
// kubelet keeps them, by swapping a symbolic link) and the token of its service account. So a manifest is tested with its
// rights and its paths although no container runs here. Needs root.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"berth/tests/live/cluster/kubectl"
)

const usage = `usage: pod -kubectl PROGRAM -admin KUBECONFIG -dir DIR [OPTIONS] NAMESPACE DEPLOYMENT [NAME]
  -dir     where its files go
  -image   every image that -pulled does not name: one as tests/packaging/image/image.sh root prints it, or an installed tree of Berth
  -pulled REFERENCE=DIR   one image of that kind
  -claim NAME=DIR         what a PersistentVolumeClaim holds
  NAME     the pod's name; default: that of the Deployment with -0
runs until SIGTERM, which the container gets too; ends with its exit code
`

func main() {
	if len(os.Args) == 3 && os.Args[1] == "inside" {
		fmt.Fprintln(os.Stderr, "pod:", inside(os.Args[2]))
		os.Exit(128)
	}
	// The container dies with the thread that started it.
	runtime.LockOSThread()
	k := &kubelet{pulled: named{}, claims: named{}}
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.StringVar(&k.cluster.Program, "kubectl", "", "")
	flag.StringVar(&k.cluster.Kubeconfig, "admin", "", "")
	flag.StringVar(&k.image, "image", "", "")
	flag.StringVar(&k.dir, "dir", "", "")
	flag.Var(k.pulled, "pulled", "")
	flag.Var(k.claims, "claim", "")
	flag.Parse()
	if flag.NArg() < 2 || flag.NArg() > 3 || k.dir == "" {
		flag.Usage()
		os.Exit(2)
	}
	k.namespace, k.deployment, k.name = flag.Arg(0), flag.Arg(1), flag.Arg(1)+"-0"
	if flag.NArg() == 3 {
		k.name = flag.Arg(2)
	}
	code, err := k.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pod:", err)
		code = 1
	}
	os.Exit(code)
}

type kubelet struct {
	cluster                                 kubectl.Cluster
	image, dir, namespace, deployment, name string
	pulled, claims                          named
}

// run starts the container and gives its exit code. A template that changes is rolled out: stopped and started.
func (k *kubelet) run() (int, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	for {
		template, text, err := k.template()
		if err != nil {
			return 0, err
		}
		container, err := k.start(template)
		if err != nil {
			return 0, err
		}
		ended := make(chan struct{})
		go func() {
			_ = container.Wait() // ProcessState says how it ended.
			close(ended)
		}()
		stop := func() {
			_ = container.Process.Signal(syscall.SIGTERM) // It may have ended already.
			<-ended
		}
		for rolled := false; !rolled; {
			select {
			case <-asked:
				stop()
				return exitCode(container), nil
			case <-ended:
				return exitCode(container), nil
			case <-time.After(time.Second):
			}
			// The API server may be away for a moment; what is mounted stays as it is then.
			if err := k.volumes(template); err != nil {
				fmt.Fprintln(os.Stderr, "pod:", err)
			}
			if _, now, err := k.template(); err == nil && now != text {
				fmt.Fprintln(os.Stderr, "pod: the template has changed: rolled out")
				stop()
				rolled = true
			}
		}
	}
}

func exitCode(c *exec.Cmd) int {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return c.ProcessState.ExitCode()
}

// template is the Deployment's, and the same as text, to see whether it changes.
func (k *kubelet) template() (podTemplate, string, error) {
	text, err := k.cluster.Run(nil, "get", "deployment", "-n", k.namespace, k.deployment, "-o", "json")
	if err != nil {
		return podTemplate{}, "", err
	}
	var deployment struct {
		Spec struct {
			Template json.RawMessage
		}
	}
	var template podTemplate
	err = errors.Join(json.Unmarshal([]byte(text), &deployment), json.Unmarshal(deployment.Spec.Template, &template))
	if err == nil && len(template.Spec.Containers) != 1 {
		err = fmt.Errorf("deployment %s has %d containers; one can be run", k.deployment, len(template.Spec.Containers))
	}
	return template, string(deployment.Spec.Template), err
}

// start runs the init containers, one after the other, and then the container.
func (k *kubelet) start(template podTemplate) (*exec.Cmd, error) {
	if err := k.volumes(template); err != nil {
		return nil, err
	}
	server, err := k.serviceAccount(template)
	if err != nil {
		return nil, err
	}
	for _, spec := range template.Spec.InitContainers {
		run, err := k.launch(template, spec, server)
		if err == nil {
			err = run.Wait()
		}
		if err != nil {
			return nil, fmt.Errorf("init container %s: %w", spec.Name, err)
		}
	}
	return k.launch(template, template.Spec.Containers[0], server)
}

// launch starts one container in mount and host name spaces of its own.
func (k *kubelet) launch(template podTemplate, spec containerSpec, server *url.URL) (*exec.Cmd, error) {
	run, err := k.container(template, spec, server)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(k.dir, spec.Name+".json")
	if err := errors.Join(os.MkdirAll(run.Root, 0o755), os.WriteFile(file, text, 0o644)); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out := exec.Command(self, "inside", file)
	out.Stdout, out.Stderr = os.Stdout, os.Stderr
	out.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL, // A kubelet that is killed leaves nothing behind.
	}
	return out, out.Start()
}
