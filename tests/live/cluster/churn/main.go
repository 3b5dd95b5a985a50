// SPDX-License-Identifier: Apache-2.0

// churn creates pods of which each has labels, annotations and an image of its own, and deletes the oldest, so that as many are there at any
// time; and now and then a node in the same way. Prints `N pods, N nodes` at the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	kubeconfig = flag.String("kubeconfig", "", "of the cluster")
	length     = flag.Duration("for", time.Minute, "how long")
	rate       = flag.Float64("rate", 100, "pods a second, at most")
	live       = flag.Int("live", 1000, "pods that are there at a time")
	liveNodes  = flag.Int("nodes", 50, "nodes that are there at a time")
	perNode    = flag.Int("pods-per-node", 20, "pods that come until a node is exchanged")
)

const workers = 30

func pod(n int) *corev1.Pod {
	job := fmt.Sprintf("job-%d", n)
	out := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: job, Namespace: "default",
			Labels:      map[string]string{"job": job, "controller-uid": "uid-of-" + job, "app": "batch"},
			Annotations: map[string]string{"example.com/submitted-by": "somebody-" + job},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Image: "registry.example.com/" + job + ":v1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}},
		}}},
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"job": job}}
	switch n % 8 {
	case 0:
		out.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: int32(10_000 + n%50_000)}}
	case 1:
		out.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: corev1.LabelHostname}}}}
	case 2:
		out.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone,
			WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selector}}
	}
	return out
}

func node(n int) *corev1.Node {
	name := fmt.Sprintf("node-%d", n)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name,
			corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", n/20), "example.com/serial": "serial-" + name}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "example.com/rack", Value: "rack-" + name, Effect: corev1.TaintEffectPreferNoSchedule}}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
				corev1.ResourcePods: resource.MustParse("110")},
			Images: []corev1.ContainerImage{{Names: []string{"registry.example.com/of-" + name + ":v1"}, SizeBytes: 50_000_000}},
		},
	}
}

// step creates the n-th pod, and takes away and exchanges what is due then.
func step(ctx context.Context, client kubernetes.Interface, n int) error {
	now := int64(0)
	if _, err := client.CoreV1().Pods("default").Create(ctx, pod(n), metav1.CreateOptions{}); err != nil {
		return err
	}
	if old := n - *live; old >= 0 {
		if err := client.CoreV1().Pods("default").Delete(ctx, fmt.Sprintf("job-%d", old), metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
			return err
		}
	}
	if n%*perNode != 0 {
		return nil
	}
	next := n / *perNode + *liveNodes
	if _, err := client.CoreV1().Nodes().Create(ctx, node(next), metav1.CreateOptions{}); err != nil {
		return err
	}
	return client.CoreV1().Nodes().Delete(ctx, fmt.Sprintf("node-%d", next-*liveNodes), metav1.DeleteOptions{})
}

func churn(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for n := range *liveNodes {
		if _, err := client.CoreV1().Nodes().Create(ctx, node(n), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	numbers, faults := make(chan int), make(chan error, workers)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for n := range numbers {
				// A pod that is so old that its creation is not over yet would be a fault of this program.
				if err := step(ctx, client, n); err != nil {
					faults <- err
					return
				}
			}
		})
	}
	made := 0
	ticker := time.NewTicker(time.Duration(float64(time.Second) / *rate))
	defer ticker.Stop()
	for end := time.After(*length); ; made++ {
		<-ticker.C
		select {
		case <-end:
			close(numbers)
			all.Wait()
			fmt.Printf("%d pods, %d nodes\n", made, made / *perNode + *liveNodes)
			return nil
		case err := <-faults:
			return err
		case numbers <- made:
		}
	}
}

func main() {
	flag.Parse()
	if err := churn(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
