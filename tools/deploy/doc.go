// Package deploy tests the files by which docs/howto/cluster.md sets up a cluster: the manifest for
// Kubernetes, the units of systemd and the configuration of NATS.
package deploy

// root is the directory of the repository.
const root = "../.."
