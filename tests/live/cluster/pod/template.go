// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// podTemplate is what of a pod template matters to a process.
type podTemplate struct {
	Spec struct {
		ServiceAccountName         string
		SecurityContext            struct{ RunAsUser, RunAsGroup *int }
		InitContainers, Containers []containerSpec
		Volumes                    []struct {
			Name                  string
			ConfigMap             *struct{ Name string }
			EmptyDir              *struct{}
			Image                 *struct{ Reference string }
			PersistentVolumeClaim *struct{ ClaimName string }
		}
	}
}

type containerSpec struct {
	Name, Image     string
	Command, Args   []string
	SecurityContext struct {
		RunAsUser, RunAsGroup    *int
		ReadOnlyRootFilesystem   bool
		AllowPrivilegeEscalation *bool
		Capabilities             struct{ Drop []string }
	}
	Env []struct {
		Name, Value string
		ValueFrom   struct{ FieldRef struct{ FieldPath string } }
	}
	VolumeMounts []struct {
		Name, MountPath string
		ReadOnly        bool
	}
}

const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

func (k *kubelet) container(template podTemplate, spec containerSpec, server *url.URL) (container, error) {
	image, err := k.imageOf(spec.Image)
	if err != nil {
		return container{}, err
	}
	c := container{
		Root: filepath.Join(k.dir, "root-"+spec.Name), Host: k.name, Image: image,
		User: image.user, Group: image.group,
		Mounts: map[string]mounted{serviceAccountDir: {filepath.Join(k.dir, "serviceaccount"), true}},
		Security: security{
			ReadOnly:         spec.SecurityContext.ReadOnlyRootFilesystem,
			NoNewPrivileges:  spec.SecurityContext.AllowPrivilegeEscalation != nil && !*spec.SecurityContext.AllowPrivilegeEscalation,
			DropCapabilities: slices.Contains(spec.SecurityContext.Capabilities.Drop, "ALL"),
		},
		Env: append(image.env, "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port(),
			"HOSTNAME="+k.name),
		Command: append(slices.Clone(spec.Command), spec.Args...),
	}
	if len(spec.Command) == 0 {
		c.Command = append(slices.Clone(image.entrypoint), spec.Args...)
	}
	for _, mount := range spec.VolumeMounts {
		from, err := k.source(template, mount.Name)
		if err != nil {
			return c, err
		}
		c.Mounts[mount.MountPath] = mounted{from, mount.ReadOnly}
	}
	for _, said := range []struct{ user, group *int }{
		{template.Spec.SecurityContext.RunAsUser, template.Spec.SecurityContext.RunAsGroup},
		{spec.SecurityContext.RunAsUser, spec.SecurityContext.RunAsGroup},
	} {
		if said.user != nil {
			c.User = *said.user
		}
		if said.group != nil {
			c.Group = *said.group
		}
	}
	fields := map[string]string{"metadata.name": k.name, "metadata.namespace": k.namespace, "status.podIP": "127.0.0.1"}
	for _, variable := range spec.Env {
		value := variable.Value
		if path := variable.ValueFrom.FieldRef.FieldPath; path != "" {
			value = fields[path]
		}
		c.Env = append(c.Env, variable.Name+"="+value)
	}
	return c, nil
}

func (k *kubelet) volume(name string) string { return filepath.Join(k.dir, "volumes", name) }

// source is the directory that a volume is.
func (k *kubelet) source(template podTemplate, name string) (string, error) {
	for _, volume := range template.Spec.Volumes {
		switch {
		case volume.Name != name:
		case volume.Image != nil:
			image, err := k.imageOf(volume.Image.Reference)
			return image.Files, err
		case volume.PersistentVolumeClaim != nil:
			dir, bound := k.claims[volume.PersistentVolumeClaim.ClaimName]
			if !bound {
				return "", fmt.Errorf("claim %s is not bound: no -claim says where it is", volume.PersistentVolumeClaim.ClaimName)
			}
			return dir, nil
		case volume.ConfigMap != nil, volume.EmptyDir != nil:
			return k.volume(name), nil
		default:
			return "", fmt.Errorf("volume %s is of a kind that is not simulated here", name)
		}
	}
	return "", fmt.Errorf("there is no volume %s", name)
}

// volumes brings every volume up to date.
func (k *kubelet) volumes(template podTemplate) error {
	var wrong error
	for _, volume := range template.Spec.Volumes {
		switch {
		case volume.ConfigMap != nil:
			wrong = errors.Join(wrong, k.configMap(volume.ConfigMap.Name, k.volume(volume.Name)))
		case volume.EmptyDir != nil:
			wrong = errors.Join(wrong, os.MkdirAll(k.volume(volume.Name), 0o777), os.Chmod(k.volume(volume.Name), 0o777))
		default:
			_, err := k.source(template, volume.Name)
			wrong = errors.Join(wrong, err)
		}
	}
	return wrong
}

// configMap writes its files as a kubelet does: into a new directory, to which the link ..data is then swapped; each file is
// a link through it.
func (k *kubelet) configMap(name, dir string) error {
	text, err := k.cluster.Run(nil, "get", "configmap", "-n", k.namespace, name, "-o", "json")
	if err != nil {
		return err
	}
	var read struct {
		Metadata   struct{ ResourceVersion string }
		Data       map[string]string
		BinaryData map[string]string
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return err
	}
	version := "..version-" + read.Metadata.ResourceVersion
	if now, err := os.Readlink(filepath.Join(dir, "..data")); err == nil && now == version {
		return nil
	}
	files := map[string][]byte{}
	for file, content := range read.Data {
		files[file] = []byte(content)
	}
	for file, content := range read.BinaryData {
		if files[file], err = base64.StdEncoding.DecodeString(content); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, version), 0o755); err != nil {
		return err
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, version, file), content, 0o644); err != nil {
			return err
		}
	}
	fresh := filepath.Join(dir, "..data_tmp")
	if err := errors.Join(os.RemoveAll(fresh), os.Symlink(version, fresh), os.Rename(fresh, filepath.Join(dir, "..data"))); err != nil {
		return err
	}
	for file := range files {
		if err := os.Symlink(filepath.Join("..data", file), filepath.Join(dir, file)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return k.forget(dir, version, files)
}

// forget removes what the ConfigMap no longer has, and its older versions.
func (k *kubelet) forget(dir, version string, files map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		_, kept := files[entry.Name()]
		if kept || entry.Name() == "..data" || entry.Name() == version {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}

// serviceAccount writes its token and the cluster's authority, and says where the API server is.
func (k *kubelet) serviceAccount(template podTemplate) (*url.URL, error) {
	account := template.Spec.ServiceAccountName
	if account == "" {
		account = "default"
	}
	token, err := k.cluster.Run(nil, "create", "token", "-n", k.namespace, account, "--duration=2h")
	if err != nil {
		return nil, err
	}
	cluster := func(field string) (string, error) {
		return k.cluster.Run(nil, "config", "view", "--raw", "-o", "jsonpath={.clusters[0].cluster."+field+"}")
	}
	authority, wrong := cluster("certificate-authority-data")
	pem, badData := base64.StdEncoding.DecodeString(authority)
	server, wrongServer := cluster("server")
	where, badURL := url.Parse(server)
	if err := errors.Join(wrong, badData, wrongServer, badURL); err != nil {
		return nil, err
	}
	dir := filepath.Join(k.dir, "serviceaccount")
	write := func(name, content string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
	}
	return where, errors.Join(os.MkdirAll(dir, 0o755), write("token", strings.TrimSpace(token)), write("ca.crt", string(pem)),
		write("namespace", k.namespace))
}
