package main

import (
	"backsolve/cluster"
	"backsolve/cmd/cli"
)

// Remedies for the errors of package cluster, which knows no command lines.
func init() {
	cli.AddRemedy(cluster.ErrBusy, "wait for it, or stop it with tbcluster stop")
	cli.AddRemedy(cluster.ErrOther, "finish that one as it was begun, with the same version, --cluster and --store, or discard it with --force")
	cli.AddRemedy(cluster.ErrOtherStore, "give the same --store, or start over with --force")
	cli.AddRemedy(cluster.ErrLost, "start over with --force")
	cli.AddRemedy(cluster.ErrStore, "give the same --store as the coordinator")
}
