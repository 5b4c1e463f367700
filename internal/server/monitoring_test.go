package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The dashboard and the alerts that are shipped ask for metrics, labels, and routes that the
// server exports.
func TestMonitoring(t *testing.T) {
	s := start(t, nil)
	s.get("/v1/quixo/2/position?p=../..%20x")
	exported := s.get("/metrics").body
	known := regexp.MustCompile(`(?m)^(?:# TYPE )?([a-z_]+)`).FindAllString(exported, -1)
	has := func(name string) bool { return slices.Contains(known, name) || slices.Contains(known, "# TYPE "+name) }
	labels := []string{"job", "instance"} // Prometheus adds these
	for _, l := range regexp.MustCompile(`[{,]([a-z]+)="`).FindAllStringSubmatch(exported, -1) {
		labels = append(labels, l[1])
	}
	for file, least := range map[string]int{"alerts.yaml": 8, "dashboard.json": 15} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "howto", "monitoring", file))
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\b(?:backsolve|process|go)_[a-z_]+`).FindAllString(string(text), -1)
		if len(names) < least {
			t.Errorf("%s asks for %d metrics, want at least %d", file, len(names), least)
		}
		for _, name := range names {
			if !has(name) {
				t.Errorf("%s asks for %s, which is not exported", file, name)
			}
		}
		plain := strings.ReplaceAll(string(text), `\"`, `"`)
		for _, l := range regexp.MustCompile(`[{,] ?([a-z]+)(?:=~|!=|=)"`).FindAllStringSubmatch(plain, -1) {
			if !slices.Contains(labels, l[1]) {
				t.Errorf("%s selects by the label %s, which no metric has", file, l[1])
			}
		}
		for _, by := range regexp.MustCompile(`by \(([a-z, ]+)\)`).FindAllStringSubmatch(plain, -1) {
			for _, l := range strings.Split(by[1], ", ") {
				if !slices.Contains(labels, l) {
					t.Errorf("%s sums by the label %s, which no metric has", file, l)
				}
			}
		}
		for _, route := range regexp.MustCompile(`route="([^"]+)"`).FindAllStringSubmatch(plain, -1) {
			if !strings.Contains(exported, `route="`+route[1]+`"`) {
				t.Errorf("%s selects the route %s, which there is not", file, route[1])
			}
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is no JSON", file)
		}
	}
}
