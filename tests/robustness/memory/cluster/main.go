// SPDX-License-Identifier: Apache-2.0

// Cluster is an API server of so many nodes and pods that run, as large as those of a cluster at work; nothing is kept of
// them here. It streams lists, watches bring nothing, every write is taken. On 127.0.0.1, for a bounded time.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

type object = map[string]any
type list = []any

const began = "2026-01-02T03:04:05Z"

type cluster struct {
	nodes, pods int
	mu          sync.Mutex
	leases      map[string][]byte
}

// digest is as long and as random as a SHA-256 of an image or the id of a container.
func digest(i int, what string) string {
	h := uint64(i)*0x9e3779b97f4a7c15 + uint64(len(what))
	out := ""
	for len(out) < 64 {
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		out += fmt.Sprintf("%016x", h)
	}
	return out[:64]
}

func uid(i int, what string) string {
	d := digest(i, what)
	return d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:32]
}

func metadata(name string, i int, kind string, more object) object {
	out := object{"name": name, "uid": uid(i, kind), "resourceVersion": fmt.Sprint(1000 + i), "creationTimestamp": began,
		"managedFields": list{object{"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": began,
			"fieldsType": "FieldsV1", "fieldsV1": object{"f:metadata": object{"f:labels": object{"f:app": object{}}}}}}}
	for key, value := range more {
		out[key] = value
	}
	return out
}

func condition(kind, reason string) object {
	return object{"type": kind, "status": "True", "reason": reason, "message": "as the kubelet says of " + kind,
		"lastProbeTime": nil, "lastTransitionTime": began, "lastHeartbeatTime": began}
}

func node(i int) object {
	name := fmt.Sprintf("node-%05d.example.internal", i)
	zone := fmt.Sprintf("region-1%c", 'a'+i%3)
	room := object{"cpu": "16", "memory": "64Gi", "ephemeral-storage": "200Gi", "pods": "110", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
	var images list
	for k := 0; k < 50; k++ {
		image := fmt.Sprintf("registry.example.com/team-%d/service-%d", (i+k)%40, (i+k)%400)
		images = append(images, object{"names": list{image + "@sha256:" + digest((i+k)%400, "image"), image + ":v1.2.3"},
			"sizeBytes": 100000000 + k})
	}
	return object{"apiVersion": "v1", "kind": "Node",
		"metadata": metadata(name, i, "node", object{
			"labels": object{"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
				"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": "region-1", "node.kubernetes.io/instance-type": "large",
				"example.com/pool": fmt.Sprintf("pool-%d", i%8), "example.com/rack": fmt.Sprintf("rack-%d", i/40)},
			"annotations": object{"node.alpha.kubernetes.io/ttl": "0", "example.com/provider-id": digest(i, "provider"),
				"volumes.kubernetes.io/controller-managed-attach-detach": "true"}}),
		"spec": object{"podCIDR": fmt.Sprintf("10.%d.%d.0/24", i/256%256, i%256), "providerID": "example:///" + name},
		"status": object{"capacity": room, "allocatable": room, "images": images,
			"addresses": list{object{"type": "InternalIP", "address": fmt.Sprintf("172.16.%d.%d", i/256%256, i%256)},
				object{"type": "Hostname", "address": name}},
			"conditions": list{condition("Ready", "KubeletReady"), condition("MemoryPressure", "KubeletHasSufficientMemory"),
				condition("DiskPressure", "KubeletHasNoDiskPressure"), condition("PIDPressure", "KubeletHasSufficientPID")},
			"daemonEndpoints": object{"kubeletEndpoint": object{"Port": 10250}},
			"nodeInfo": object{"machineID": digest(i, "machine"), "systemUUID": uid(i, "system"), "bootID": uid(i, "boot"),
				"kernelVersion": "6.1.0-1-amd64", "osImage": "Debian GNU/Linux 12", "containerRuntimeVersion": "containerd://2.0.0",
				"kubeletVersion": "v1.36.0", "kubeProxyVersion": "v1.36.0", "operatingSystem": "linux", "architecture": "amd64"}}}
}

// pod is one of a Deployment of twenty; as it runs nothing but its template is another's.
func (c *cluster) pod(i int) object {
	app := fmt.Sprintf("service-%d", i/20)
	hash := digest(i/20, "template")[:10]
	token := "kube-api-access-" + digest(i, "token")[:5]
	image := fmt.Sprintf("registry.example.com/team-%d/%s:v1.2.3", i/20%40, app)
	port := object{"name": "http", "containerPort": 8080, "protocol": "TCP"}
	probe := object{"httpGet": object{"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10,
		"successThreshold": 1, "failureThreshold": 3}
	var containers, statuses list
	for k, name := range []string{"main", "proxy"} {
		containers = append(containers, object{"name": name, "image": image, "imagePullPolicy": "IfNotPresent", "ports": list{port},
			"env":           list{object{"name": "MODE", "value": "production"}, object{"name": "LOG_LEVEL", "value": "info"}},
			"resources":     object{"requests": object{"cpu": "100m", "memory": "128Mi"}, "limits": object{"memory": "256Mi"}},
			"volumeMounts":  list{object{"name": token, "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}},
			"livenessProbe": probe, "readinessProbe": probe, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
		statuses = append(statuses, object{"name": name, "image": image, "imageID": "registry.example.com/x@sha256:" + digest(i/20, "image"),
			"containerID": "containerd://" + digest(2*i+k, "container"), "ready": true, "started": true, "restartCount": 0,
			"state": object{"running": object{"startedAt": began}}, "lastState": object{}})
	}
	return object{"apiVersion": "v1", "kind": "Pod",
		"metadata": metadata(fmt.Sprintf("%s-%s-%s", app, hash, digest(i, "pod")[:5]), i, "pod", object{
			"namespace": fmt.Sprintf("team-%d", i/20%50), "generateName": app + "-" + hash + "-",
			"labels":      object{"app": app, "pod-template-hash": hash, "tier": "backend", "app.kubernetes.io/managed-by": "Helm"},
			"annotations": object{"example.com/restarted-at": began, "prometheus.io/scrape": "true"},
			"ownerReferences": list{object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app + "-" + hash, "uid": uid(i/20, "set"),
				"controller": true, "blockOwnerDeletion": true}}}),
		"spec": object{"nodeName": fmt.Sprintf("node-%05d.example.internal", i%c.nodes), "schedulerName": "default-scheduler", "priority": 0,
			"serviceAccountName": app, "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "enableServiceLinks": true,
			"terminationGracePeriodSeconds": 30, "securityContext": object{}, "preemptionPolicy": "PreemptLowerPriority", "containers": containers,
			"tolerations": list{object{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
				object{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}},
			"topologySpreadConstraints": list{object{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
				"labelSelector": object{"matchLabels": object{"app": app}}}},
			"volumes": list{object{"name": token, "projected": object{"defaultMode": 420, "sources": list{
				object{"serviceAccountToken": object{"expirationSeconds": 3607, "path": "token"}},
				object{"configMap": object{"name": "kube-root-ca.crt", "items": list{object{"key": "ca.crt", "path": "ca.crt"}}}}}}}}},
		"status": object{"phase": "Running", "qosClass": "Burstable", "startTime": began, "hostIP": fmt.Sprintf("172.16.%d.%d", i/256%256, i%256),
			"podIP": fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "podIPs": list{object{"ip": fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)}},
			"conditions":        list{condition("Initialized", ""), condition("Ready", ""), condition("ContainersReady", ""), condition("PodScheduled", "")},
			"containerStatuses": statuses}}
}

func (c *cluster) stream(to http.ResponseWriter, request *http.Request, resource string) {
	to.Header().Set("Content-Type", "application/json")
	events := json.NewEncoder(to)
	if request.URL.Query().Get("sendInitialEvents") == "true" {
		count, make, kind := 0, node, "Node"
		switch resource {
		case "nodes":
			count = c.nodes
		case "pods":
			count, make, kind = c.pods, c.pod, "Pod"
		}
		for i := 0; i < count; i++ {
			if events.Encode(object{"type": "ADDED", "object": make(i)}) != nil {
				return
			}
		}
		_ = events.Encode(object{"type": "BOOKMARK", "object": object{"kind": kind, "apiVersion": "v1", "metadata": object{
			"resourceVersion": "1000000", "annotations": object{"k8s.io/initial-events-end": "true"}}}})
	}
	to.(http.Flusher).Flush()
	<-request.Context().Done()
}

func answer(to http.ResponseWriter, status int, body []byte) {
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(status)
	_, _ = to.Write(body)
}

func (c *cluster) ServeHTTP(to http.ResponseWriter, request *http.Request) {
	path := request.URL.Path
	body, _ := io.ReadAll(request.Body)
	parts := strings.Split(path, "/")
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case strings.HasSuffix(path, "accessreviews"):
		answer(to, http.StatusCreated, []byte(`{"status":{"allowed":true}}`))
	case strings.Contains(path, "/leases"):
		if request.Method == http.MethodPost {
			path += "/" + "berth"
		}
		name := path[:strings.Index(path, "/leases")]
		if request.Method != http.MethodGet {
			c.leases[name] = body
		}
		if c.leases[name] == nil {
			answer(to, http.StatusNotFound, []byte(`{"kind":"Status","code":404,"reason":"NotFound"}`))
			return
		}
		answer(to, map[bool]int{true: http.StatusCreated, false: http.StatusOK}[request.Method == http.MethodPost], c.leases[name])
	case request.Method != http.MethodGet:
		answer(to, http.StatusCreated, body)
	case request.URL.Query().Get("watch") == "true":
		c.mu.Unlock()
		c.stream(to, request, parts[len(parts)-1])
		c.mu.Lock()
	default:
		answer(to, http.StatusNotFound, []byte(`{"kind":"Status","code":404,"reason":"NotFound"}`))
	}
}

func main() {
	c := &cluster{leases: map[string][]byte{}}
	flag.IntVar(&c.nodes, "nodes", 100, "nodes of the cluster")
	flag.IntVar(&c.pods, "pods", 1000, "pods that run")
	seconds := flag.Int("seconds", 600, "how long it lives")
	kubeconfig := flag.String("kubeconfig", "", "where to write how it is reached")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(*kubeconfig, []byte(fmt.Sprintf("kind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
			"clusters: [{name: c, cluster: {server: 'http://%s'}}]\nusers: [{name: u, user: {}}]\n", listener.Addr())), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	time.AfterFunc(time.Duration(*seconds)*time.Second, func() { os.Exit(0) })
	_ = http.Serve(listener, c)
}
