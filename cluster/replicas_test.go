//go:build unix

package cluster

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/retro"
)

// startServers starts a NATS cluster of n servers.
func startServers(t *testing.T, n int) (all []*server.Server) {
	t.Helper()
	var routes []*url.URL
	for range n {
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: freeAddress(t)})
	}
	for i, route := range routes {
		port, err := strconv.Atoi(route.Port())
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("server", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port}, Routes: routes,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		all = append(all, s)
	}
	waitFor(t, "the leader of the servers", func() bool {
		leaders := 0
		for _, s := range all {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == n {
				leaders++
			}
		}
		return leaders == 1
	})
	return all
}

// With three replicas, one of three NATS servers may be lost with its files.
func TestReplicas(t *testing.T) {
	if testing.Short() {
		t.Skip("servers take seconds to find each other")
	}
	t.Parallel()
	servers := startServers(t, 3)
	place := openStore(t, filepath.Join(t.TempDir(), "store"))
	o := Options{URL: servers[0].ClientURL(), Store: place, Version: "1", ShardBytes: 200, Replicas: 3, timing: quick}
	o.Getenv = func(string) string { return "" }
	var once sync.Once
	startWorker(t, WorkOptions{Options: o, Threads: 1, onTask: func(class, _ int) {
		if class == 4 {
			once.Do(func() {
				lost := servers[0] // all clients are connected to it
				dir := lost.StoreDir()
				lost.Shutdown()
				lost.WaitForShutdown()
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			})
		}
	}})
	space, path := newSpace(t, 4), filepath.Join(t.TempDir(), "table.tb")
	var log logRecorder
	o.Logf = log.logf
	if err := coordinate(t.Context(), path, space, true, o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
	if log.has("NATS has lost the record") {
		t.Errorf("the record was lost: %q", log.all)
	}
	o.URL = servers[1].ClientURL()
	conn, err := connect(o, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	for _, name := range []string{taskStream, "KV_" + stateBucket, "KV_" + aliveBucket} {
		if stream, err := conn.js.Stream(t.Context(), name); err != nil || stream.CachedInfo().Config.Replicas != 3 {
			t.Errorf("%s: %+v, %v", name, stream, err)
		}
	}
}

// One server cannot have three replicas, and the error says so.
func TestTooFewServers(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 3)
	o := c.options()
	o.Replicas = 3
	_, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err == nil || !strings.Contains(err.Error(), "3 replicas need a NATS cluster of at least as many servers") {
		t.Errorf("the error is %v", err)
	}
}
