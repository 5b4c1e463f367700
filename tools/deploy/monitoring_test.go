package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// monitoring returns a file of docs/howto/monitoring.
func monitoring(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(root + "/docs/howto/monitoring/" + name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Grafana's own types know all that the dashboards have, and reject a misspelt option.
func TestDashboards(t *testing.T) {
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	check := func(text string) error {
		//lint:ignore SA1019 Grafana imports this schema in all versions
		var d dashboard.Dashboard
		if err := d.UnmarshalJSONStrict([]byte(text)); err != nil && err.Error() != "" { // an empty list of them is no error
			return err
		}
		return d.Validate()
	}
	for _, name := range []string{"dashboard.json", "cluster-dashboard.json"} {
		text := monitoring(t, name)
		if err := check(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for right, wrong := range map[string]string{`"gridPos"`: `"gridpos"`, `"legendFormat"`: `"legend"`} {
			if err := check(strings.Replace(text, right, wrong, 1)); err == nil {
				t.Errorf("%s: %s is taken", name, wrong)
			}
		}
	}
}

// Prometheus accepts the rules of the alerts, and rejects a function that it does not know.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool")
	}
	for _, name := range []string{"alerts.yaml", "cluster-alerts.yaml"} {
		check := func(text string) ([]byte, error) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return exec.Command(promtool, "check", "rules", path).CombinedOutput()
		}
		text := monitoring(t, name)
		if said, err := check(text); err != nil {
			t.Errorf("%s: %v: %s", name, err, said)
		}
		if said, err := check(strings.Replace(text, "expr: ", "expr: rated()+", 1)); err == nil {
			t.Errorf("%s: an unknown function is taken: %s", name, said)
		}
	}
}
