// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// component is one process of a cluster: what to run, and the address that answers 200 once it is ready.
type component struct {
	name      string
	program   string
	ports     []string // the names of its ports in cluster.json
	arguments []string
	ready     string
}

const schedulerPrefix = "scheduler-"

// anyScheduler is the configuration that every cluster has, for a scheduler that somebody else starts.
const anyScheduler = "default"

// planned are the components of the control plane in the order of their start. Schedulers come after them.
func planned(bare bool) []string {
	names := []string{"etcd", "kube-apiserver"}
	if !bare {
		names = append(names, "kube-controller-manager", "kwok")
	}
	return names
}

// portNames says which ports a component listens on.
func portNames(name string) []string {
	if name == "etcd" {
		return []string{"etcd", "etcd-peer"}
	}
	return []string{name}
}

// expected are the processes that run while all is well.
func (c *cluster) expected() []string {
	names := planned(c.state.Bare)
	for name := range c.state.Ports {
		if strings.HasPrefix(name, schedulerPrefix) {
			names = append(names, name)
		}
	}
	return names
}

func (c *cluster) component(name string) (component, error) {
	known := false
	for _, other := range c.expected() {
		known = known || other == name
	}
	if !known {
		return component{}, misuse{fmt.Sprintf("this cluster has no process %q; it has %s", name,
			strings.Join(c.expected(), ", "))}
	}
	switch name {
	case "etcd":
		return c.etcd(), nil
	case "kube-apiserver":
		return c.apiServer(), nil
	case "kube-controller-manager":
		return c.controllerManager(), nil
	case "kwok":
		return c.kwok(), nil
	}
	return c.scheduler(name), nil
}

func (c *cluster) make(name, program, ready string, arguments ...string) component {
	ports := portNames(name)
	return component{
		name:      name,
		program:   filepath.Join(c.programs, program),
		ports:     ports,
		arguments: arguments,
		ready:     fmt.Sprintf(ready, address(c.state.Ports[ports[0]])),
	}
}

func (c *cluster) pki(name string) string { return c.path(pkiDir, name) }

func (c *cluster) etcd() component {
	client := "http://" + address(c.state.Ports["etcd"])
	peer := "http://" + address(c.state.Ports["etcd-peer"])
	return c.make("etcd", "etcd", "http://%s/health",
		"--data-dir="+c.path(etcdDir),
		"--unsafe-no-fsync",
		"--quota-backend-bytes=8589934592",
		"--log-level=warn",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
}

func (c *cluster) apiServer() component {
	arguments := []string{
		"--etcd-servers=http://" + address(c.state.Ports["etcd"]),
		// Without an address of its own to advertise it would look for this machine's, and fail where there is none; it
		// would then refuse to publish a loopback address, which nobody here asks for.
		"--bind-address=" + host, "--advertise-address=" + host, "--endpoint-reconciler-type=none",
		fmt.Sprintf("--secure-port=%d", c.state.Ports["kube-apiserver"]),
		"--tls-cert-file=" + c.pki("server.crt"), "--tls-private-key-file=" + c.pki("server.key"),
		"--client-ca-file=" + c.pki("ca.crt"),
		"--token-auth-file=" + c.pki("tokens.csv"),
		"--authorization-mode=RBAC",
		"--allow-privileged",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.pki("service-account.pub"),
		"--service-account-signing-key-file=" + c.pki("service-account.key"),
	}
	if c.state.Bare {
		// Nobody makes service accounts or takes the taint of a new node away, a pod's priority is what it says (as upstream's
		// workloads do), and no limit stands between the clients and what the server can do.
		arguments = append(arguments,
			"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,Priority",
			"--max-requests-inflight=4000", "--max-mutating-requests-inflight=2000",
			"--enable-priority-and-fairness=false")
	}
	return c.make("kube-apiserver", "kube-apiserver", "https://%s/readyz", append(arguments, c.state.APIServerFlags...)...)
}

// serving are the flags for the address on which a component answers about itself.
func (c *cluster) serving(name string) []string {
	return []string{
		"--bind-address=" + host, fmt.Sprintf("--secure-port=%d", c.state.Ports[name]),
		"--tls-cert-file=" + c.pki("server.crt"), "--tls-private-key-file=" + c.pki("server.key"),
	}
}

func (c *cluster) controllerManager() component {
	const name = "kube-controller-manager"
	return c.make(name, name, "https://%s/healthz", append(c.serving(name),
		"--kubeconfig="+c.kubeconfig("admin"),
		"--authentication-kubeconfig="+c.kubeconfig("admin"), "--authorization-kubeconfig="+c.kubeconfig("admin"),
		"--leader-elect=false",
		"--flex-volume-plugin-dir="+c.path(volumeDir),
		"--root-ca-file="+c.pki("ca.crt"),
		"--service-account-private-key-file="+c.pki("service-account.key"))...)
}

func (c *cluster) kwok() component {
	return c.make("kwok", "kwok", "http://%s/healthz",
		"--kubeconfig="+c.kubeconfig("admin"),
		"--manage-all-nodes=true",
		"--node-ip="+host,
		"--server-address="+address(c.state.Ports["kwok"]))
}

func (c *cluster) scheduler(process string) component {
	identity := c.kubeconfig("scheduler")
	arguments := append(c.serving(process),
		"--config="+c.schedulerConfig(process),
		"--authentication-kubeconfig="+identity, "--authorization-kubeconfig="+identity)
	return c.make(process, "kube-scheduler", "https://%s/readyz", append(arguments, c.state.Schedulers[process]...)...)
}
