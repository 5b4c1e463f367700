package cluster

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"backsolve/cluster/store"
	"backsolve/internal/registry"
)

// After a solve a worker logs its tasks, its times for solving, reading and waiting, and the bytes
// it moved.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	var log logRecorder
	quit := c.startWorker(t, func(o *WorkOptions) { o.Logf = log.logf })
	c.wantTable(t, 4, true, c.options())
	quit()
	account := regexp.MustCompile(`^no longer working on notakto 4×4 with steps: [1-9][0-9]* tasks, [0-9.]+ s solving, [0-9.]+ s reading, [0-9.]+ s waiting, [0-9.]+ [KM]?i?B read, [1-9][0-9.]* [KM]iB written$`)
	said := 0
	for _, text := range log.all {
		if account.MatchString(text) {
			said++
		}
	}
	if said != 1 {
		t.Errorf("it says %q", log.all)
	}
}

// gathered returns the values of the metrics of a registry, by name and labels.
func gathered(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			name := family.GetName()
			for _, label := range m.Label {
				name += " " + label.GetName() + "=" + label.GetValue()
			}
			all[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return all
}

// Coordinator and worker export what they did. A full store counts, and is logged as an error by
// both. The alerts and the dashboard ask for metrics that there are.
func TestExportedMetrics(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	ofWorker, ofCoordinator := registry.New("1"), registry.New("1")
	var lock sync.Mutex
	levels := map[slog.Level]int{}
	logf := func(level slog.Level, format string, args ...any) {
		if strings.Contains(fmt.Sprintf(format, args...), store.ErrFull.Error()) {
			lock.Lock()
			defer lock.Unlock()
			levels[level]++
		}
	}
	quit := c.startWorker(t, func(o *WorkOptions) {
		o.Metrics, o.Logf, o.Store = ofWorker, logf, &fullStore{Store: c.store, left: 2}
	})
	o := c.options()
	o.Metrics, o.Logf = ofCoordinator, logf
	c.wantTable(t, 4, true, o)
	quit()
	worker, coordinator := gathered(t, ofWorker), gathered(t, ofCoordinator)
	if n := worker["backsolve_worker_failures_total cause=store full"]; n != 2 || worker["backsolve_worker_failures_total cause=other"] != 0 {
		t.Errorf("%v failures of a full store: %v", n, worker)
	}
	if n := worker["backsolve_worker_tasks_total"]; n < 9 || worker["backsolve_worker_bytes_total direction=written"] < 1000 || worker["backsolve_worker_seconds_total doing=solving"] <= 0 {
		t.Errorf("a worker did %v", worker)
	}
	if n := coordinator["backsolve_cluster_states"]; n == 0 || coordinator["backsolve_cluster_states_decided"] != n || coordinator["backsolve_cluster_workers_faulty"] != 0 {
		t.Errorf("a coordinator had %v", coordinator)
	}
	lock.Lock()
	defer lock.Unlock()
	if levels[slog.LevelError] < 3 || len(levels) != 1 { // the coordinator may miss one that comes late
		t.Errorf("a full store is logged at the levels %v", levels)
	}
	for _, file := range []string{"cluster-alerts.yaml", "cluster-dashboard.json"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "howto", "monitoring", file))
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile(`\b(?:backsolve|process)_[a-z_]+`).FindAllString(string(text), -1)
		for _, name := range asked {
			known := false
			for of := range worker {
				known = known || strings.Fields(of)[0] == name
			}
			if _, is := coordinator[name]; !is && !known {
				t.Errorf("%s asks for %s, which is not exported", file, name)
			}
		}
		if len(asked) < 6 || strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s asks for %d metrics, or is no JSON", file, len(asked))
		}
	}
}
