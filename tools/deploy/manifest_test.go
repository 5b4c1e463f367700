// Package deploy tests what docs/howto/cluster-services.md sets up a cluster with: the units for
// systemd, the configuration of NATS and the manifest for Kubernetes.
package deploy

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// root is the directory of the repository.
const root = "../.."

// manifestPath is what docs/howto/cluster-services.md has for Kubernetes.
const manifestPath = root + "/docs/howto/kubernetes/backsolve.yaml"

// kinds are the objects that the manifest may have, by version and kind.
var kinds = map[string]func() any{
	"v1 Namespace":                       func() any { return new(corev1.Namespace) },
	"v1 ConfigMap":                       func() any { return new(corev1.ConfigMap) },
	"v1 Service":                         func() any { return new(corev1.Service) },
	"v1 PersistentVolumeClaim":           func() any { return new(corev1.PersistentVolumeClaim) },
	"apps/v1 StatefulSet":                func() any { return new(appsv1.StatefulSet) },
	"apps/v1 Deployment":                 func() any { return new(appsv1.Deployment) },
	"batch/v1 Job":                       func() any { return new(batchv1.Job) },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return new(networkingv1.NetworkPolicy) },
}

// decode reads a document by the types of Kubernetes's own API, in which every field must be,
// spelt as there.
func decode(document []byte) (any, error) {
	text, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.UnmarshalCaseSensitivePreserveInts(text, &head); err != nil {
		return nil, err
	}
	kind := kinds[head.APIVersion+" "+head.Kind]
	if kind == nil {
		return nil, fmt.Errorf("there is no kind %q in %q", head.Kind, head.APIVersion)
	}
	object := kind()
	unknown, err := json.UnmarshalStrict(text, object)
	return object, errors.Join(append(unknown, err)...)
}

// documents returns the documents of the manifest.
func documents(t *testing.T) (all [][]byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(manifestPath))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		all = append(all, []byte(document))
	}
	return all
}

// The manifest has only what Kubernetes knows, and a misspelt field would be noticed here.
func TestManifestIsOfKubernetes(t *testing.T) {
	tried := 0
	for _, document := range documents(t) {
		if _, err := decode(document); err != nil {
			t.Errorf("%v in\n%s", err, document)
			continue
		}
		var fields any
		if err := yaml.Unmarshal(document, &fields); err != nil {
			t.Fatal(err)
		}
		misspell(fields, "", func(path string) {
			tried++
			text, err := yaml.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := decode(text); err == nil {
				t.Errorf("%s is taken", path)
			}
		})
	}
	if tried < 100 {
		t.Errorf("%d fields were misspelt", tried)
	}
}

// misspell calls try while a field is misspelt, for each field below a value at a path. Names
// that everybody may choose are no fields.
func misspell(value any, path string, try func(path string)) {
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			misspell(element, fmt.Sprintf("%s[%d]", path, i), try)
		}
	case map[string]any:
		switch path[strings.LastIndex(path, ".")+1:] {
		case "data", "labels", "annotations", "matchLabels", "selector", "limits", "requests":
			if _, fields := v["matchLabels"]; !fields {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			field := v[name]
			misspell(field, path+"."+name, try)
			for _, wrong := range []string{name + "s", strings.ToUpper(name[:1]) + name[1:]} {
				delete(v, name)
				v[wrong] = field
				try(path + "." + wrong)
				delete(v, wrong)
				v[name] = field
			}
		}
	}
}

// workload is a set of pods of the manifest.
type workload struct {
	name     string
	selector map[string]string // nil where Kubernetes chooses it
	pod      corev1.PodTemplateSpec
	claims   []corev1.PersistentVolumeClaim
}

// workloads returns the workloads of the manifest, and the names of its other objects as kind/name.
func workloads(t *testing.T) (all []workload, others map[string]any) {
	t.Helper()
	others = map[string]any{}
	for _, document := range documents(t) {
		object, err := decode(document)
		if err != nil {
			t.Fatal(err)
		}
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			all = append(all, workload{o.Name, o.Spec.Selector.MatchLabels, o.Spec.Template, o.Spec.VolumeClaimTemplates})
		case *appsv1.Deployment:
			all = append(all, workload{o.Name, o.Spec.Selector.MatchLabels, o.Spec.Template, nil})
		case *batchv1.Job:
			all = append(all, workload{o.Name, nil, o.Spec.Template, nil})
		case *corev1.Service:
			others["service/"+o.Name] = o
		case *corev1.ConfigMap:
			others["config/"+o.Name] = o
		case *corev1.PersistentVolumeClaim:
			others["claim/"+o.Name] = o
		}
	}
	return all, others
}

// What the manifest's objects say of each other is there: what selects pods selects some, what
// is mounted is a volume, and what volumes and variables are taken from is in the manifest
// or, as secrets and certificates are, made before by what docs/howto/cluster-services.md says.
func TestManifestHoldsTogether(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash(root + "/docs/howto/cluster-services.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, others := workloads(t)
	if len(all) != 3 {
		t.Errorf("there are %d sets of pods", len(all))
	}
	there := func(where, what string) {
		kind, name, _ := strings.Cut(what, "/")
		made := map[string]string{"secret": "create secret generic " + name + " ", "config": "create configmap " + name + " "}[kind]
		if others[what] == nil && (made == "" || !strings.Contains(string(page), made)) {
			t.Errorf("%s: there is no %s", where, what)
		}
	}
	for _, w := range all {
		if !matches(w.selector, w.pod.Labels) {
			t.Errorf("%s selects %v, and its pods are %v", w.name, w.selector, w.pod.Labels)
		}
		volumes := map[string]bool{}
		for _, c := range w.claims {
			volumes[c.Name] = true
		}
		for _, v := range w.pod.Spec.Volumes {
			volumes[v.Name] = true
			switch {
			case v.ConfigMap != nil:
				there(w.name, "config/"+v.ConfigMap.Name)
			case v.Secret != nil:
				there(w.name, "secret/"+v.Secret.SecretName)
			case v.PersistentVolumeClaim != nil:
				there(w.name, "claim/"+v.PersistentVolumeClaim.ClaimName)
			}
		}
		for _, c := range w.pod.Spec.Containers {
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s mounts %s, which is no volume", w.name, m.Name)
				}
				delete(volumes, m.Name)
			}
			for _, from := range c.EnvFrom {
				if from.SecretRef != nil {
					there(w.name, "secret/"+from.SecretRef.Name)
				} else {
					there(w.name, "config/"+from.ConfigMapRef.Name)
				}
			}
		}
		if len(volumes) > 0 {
			t.Errorf("%s has volumes that nobody mounts: %v", w.name, volumes)
		}
	}
	service, _ := others["service/nats"].(*corev1.Service)
	if service == nil || !slices.ContainsFunc(all, func(w workload) bool { return matches(service.Spec.Selector, w.pod.Labels) }) {
		t.Error("the service of NATS selects nothing")
	}
}

func matches(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// Nobody in the manifest may do more than he must, takes all of a node's memory, or has a secret
// in plain words.
func TestManifestIsStrict(t *testing.T) {
	all, _ := workloads(t)
	for _, w := range all {
		pod := w.pod.Spec
		if pod.SecurityContext == nil || !is(pod.SecurityContext.RunAsNonRoot) || pod.SecurityContext.SeccompProfile == nil {
			t.Errorf("%s may run as root, or without seccomp", w.name)
		}
		if is(pod.AutomountServiceAccountToken) || pod.AutomountServiceAccountToken == nil {
			t.Errorf("%s has a token of the cluster", w.name)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !is(s.ReadOnlyRootFilesystem) || s.Capabilities == nil || len(s.Capabilities.Drop) == 0 {
				t.Errorf("%s may do more than it must", w.name)
			}
			if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
				t.Errorf("%s takes what memory it wants, or asks for no processor", w.name)
			}
			if len(c.Env) > 0 {
				t.Errorf("%s has variables in plain words", w.name)
			}
			if strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image[strings.LastIndex(c.Image, "/")+1:], ":") {
				t.Errorf("%s has an image of any version, %s", w.name, c.Image)
			}
		}
	}
}

func is(yes *bool) bool { return yes != nil && *yes }
