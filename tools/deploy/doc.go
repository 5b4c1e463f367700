// Package deploy tests what docs/howto/cluster-services.md sets up a cluster with: the units for
// systemd, the configuration of NATS and the manifest for Kubernetes.
package deploy

// root is the directory of the repository.
const root = "../.."
