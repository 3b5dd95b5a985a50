// SPDX-License-Identifier: Apache-2.0

// Command play plays scenarios (kind: Scenario) on a real control plane, with berth as its scheduler. What a scenario
// expects must come about there as it does in a simulation. tests/live/end-to-end/play.sh builds it and says where everything is.
//
// A step happens no earlier than the scenario says, and not before that which is expected before it has come about: a real
// cluster takes its time.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"berth/tests/live/cluster/kubectl"
)

const patience = time.Minute // until something expected must have come about

type player struct {
	cluster                              // as its administrator
	berth, scheduler, plugins, directory string
	waits                                sync.WaitGroup
	mutex                                sync.Mutex
	failed                               error
}

func main() {
	p := &player{}
	flag.StringVar(&p.Program, "kubectl", "", "the program kubectl")
	flag.StringVar(&p.Kubeconfig, "admin", "", "an administrator's kubeconfig")
	flag.StringVar(&p.scheduler, "scheduler", "", "the scheduler's kubeconfig, of the user system:kube-scheduler")
	flag.StringVar(&p.berth, "berth", "", "the program berth")
	flag.StringVar(&p.plugins, "plugins", "", "a directory of plugin libraries")
	flag.StringVar(&p.directory, "dir", "", "where configurations and logs go")
	flag.Parse()
	if err := p.clean(nil); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code := 0
	for _, file := range flag.Args() {
		begin := time.Now()
		held, err := p.play(file)
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if err != nil {
			code = 1
			fmt.Printf("FAIL  %s\n      %s\n", name, strings.ReplaceAll(err.Error(), "\n", "\n      "))
			continue
		}
		fmt.Printf("ok    %s: %d expectations hold (%.0f s)\n", name, held, time.Since(begin).Seconds())
	}
	os.Exit(code)
}

// play plays one scenario and says how many expectations held.
func (p *player) play(file string) (held int, err error) {
	s, err := read(file)
	if err != nil {
		return 0, err
	}
	moments, err := s.moments()
	if err != nil {
		return 0, err
	}
	created := s.Objects
	for _, step := range s.Timeline {
		created = append(created, step.Apply...)
	}
	defer func() { err = errors.Join(err, p.clean(created)) }()
	if err := errors.Join(p.apply(definitions(s.Objects)), p.apply(s.Objects)); err != nil {
		return 0, err
	}
	if err := p.settled(); err != nil {
		return 0, err
	}
	stop, err := p.start(s)
	if err != nil {
		return 0, err
	}
	held, err = p.tell(moments)
	p.waits.Wait()
	return held, errors.Join(err, p.failed, stop(err != nil))
}

// definitions come first, so that there are the kinds of the other objects.
func definitions(objects []object) (found []object) {
	for _, o := range objects {
		if o.kind() == "CustomResourceDefinition" {
			found = append(found, o)
		}
	}
	return found
}

// start starts berth with the rights that its configuration needs, and returns how to end it; told of a failure, that gives
// the end of berth's log.
func (p *player) start(s *scenario) (func(failed bool) error, error) {
	base := filepath.Join(p.directory, strings.TrimSuffix(filepath.Base(s.file), ".yaml"))
	arguments := append([]string{"--plugin-dir", p.plugins}, s.flags()...)
	rights := s.flags()
	if s.Configuration != nil {
		text, err := json.Marshal(s.Configuration)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(base+".config", text, 0o600); err != nil {
			return nil, err
		}
		rights = append(rights, base+".config")
		arguments = append(arguments, "--config", base+".config")
	}
	if err := p.grant(rights); err != nil {
		return nil, err
	}
	log, err := os.Create(base + ".log")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.berth, append([]string{"run", "--leader-elect=false", "--kubeconfig", p.scheduler, "--secure-port", "0",
		"--seed", "1", "-v", "3"}, arguments...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	said := func() string {
		text, _ := os.ReadFile(base + ".log")
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return strings.Join(lines[max(0, len(lines)-12):], "\n")
	}
	stop := func(failed bool) error {
		err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait(), log.Close())
		if err != nil || failed {
			return errors.Join(err, fmt.Errorf("the end of berth's log:\n%s", said()))
		}
		return nil
	}
	err = kubectl.Within(20*time.Second, func() error {
		if text, err := os.ReadFile(base + ".log"); err != nil || !strings.Contains(string(text), "scheduling begins") {
			return errors.New("berth does not begin")
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, stop(true))
	}
	return stop, nil
}

// grant gives the scheduler what `berth config rbac` says with these arguments.
func (p *player) grant(arguments []string) error {
	rules, err := exec.Command(p.berth, append([]string{"config", "rbac", "--plugin-dir", p.plugins, "-o", "json"}, arguments...)...).Output()
	if err != nil {
		return fmt.Errorf("berth config rbac: %w", err)
	}
	var roles object
	if err := json.Unmarshal(rules, &roles); err != nil {
		return err
	}
	binding := object{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": "berth"},
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "berth"},
		"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "system:kube-scheduler"}}}
	for _, o := range []object{roles, binding} {
		if _, err := p.Run(o, "apply", "-f", "-"); err != nil {
			return err
		}
	}
	return nil
}

// tell goes through the moments; the first that does not come about ends it.
func (p *player) tell(moments []moment) (held int, err error) {
	begin := time.Now()
	for _, m := range moments {
		time.Sleep(time.Until(begin.Add(m.at)))
		late := time.Now()
		if m.step != nil {
			if err := p.happen(m.step); err != nil {
				return held, fmt.Errorf("at %s: %w", m.at, err)
			}
		} else {
			count, err := p.await(m)
			if err != nil {
				return held, err
			}
			held += count
		}
		// What comes next is put off by what this took.
		begin = begin.Add(time.Since(late))
	}
	return held, nil
}

// await returns when an expectation holds. What holds at the end must still do so a while later.
func (p *player) await(m moment) (count int, err error) {
	check := func() error {
		pods, err := p.pods()
		if err != nil {
			return err
		}
		var lines []string
		lines, count = m.expect.unmet(m.path, pods)
		if len(lines) > 0 {
			return errors.New(strings.Join(lines, "\n"))
		}
		return nil
	}
	if err := kubectl.Within(patience, check); err != nil || !m.atEnd {
		return count, err
	}
	p.waits.Wait()
	time.Sleep(2 * time.Second)
	return count, check()
}

func (p *player) happen(s *step) error {
	if err := p.apply(s.Apply); err != nil {
		return err
	}
	for _, one := range s.Delete {
		if err := p.Do(of(one.Namespace, "delete", one.Kind, one.Name, "--wait=false")...); err != nil {
			return err
		}
	}
	for _, one := range s.Patch {
		text, err := json.Marshal(one.Patch)
		if err != nil {
			return err
		}
		if err := p.Do(of(one.Namespace, "patch", one.Kind, one.Name, "--type=merge", "-p", string(text))...); err != nil {
			return err
		}
	}
	for _, node := range s.Drain {
		p.waits.Go(func() {
			if err := p.Do("drain", node, "--ignore-daemonsets", "--force", "--timeout=10m"); err != nil {
				p.mutex.Lock()
				defer p.mutex.Unlock()
				p.failed = errors.Join(p.failed, err)
			}
		})
	}
	for _, name := range s.Finish {
		space, pod, _ := strings.Cut(podKey(name), "/")
		if err := p.Do(of(space, "patch", "pod", pod, "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Succeeded"}}`)...); err != nil {
			return err
		}
	}
	return nil
}

// of adds the namespace, if there is one, to the arguments of kubectl.
func of(namespace string, arguments ...string) []string {
	if namespace == "" {
		return arguments
	}
	return append(arguments, "-n", namespace)
}
