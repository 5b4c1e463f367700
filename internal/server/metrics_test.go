package server

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// count returns the sum of a metric over its labels.
func (m *metrics) count(name string) (sum float64) {
	families, err := m.registry.Gather()
	if err != nil {
		panic(err)
	}
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			if f.GetName() == name {
				sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func TestMetrics(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusOK, "/v1/notakto/3/position?p=.../.../...") // 9 moves
	s.want(http.StatusBadRequest, "/v1/notakto/3/position")
	s.want(http.StatusOK, "/v1/notakto/3/line?p=XXX/.../...")
	s.post("/v1/notakto/3/positions", linesMedia, ".../.../..X\nnonsense\n")
	s.want(http.StatusOK, "/uwapi/notakto/3x3/positions/?p=.../.../...")
	s.want(http.StatusNotFound, "/some/nonsense")
	s.want(http.StatusNotFound, "/other/nonsense")
	s.do("BREW", "/v1/tables", "")
	r := s.want(http.StatusOK, "/metrics",
		`backsolve_http_requests_total{method="GET",route="/v1/{game}/{size}/position",status="200"} 1`,
		`backsolve_http_requests_total{method="GET",route="/v1/{game}/{size}/position",status="400"} 1`,
		`backsolve_http_requests_total{method="POST",route="/v1/{game}/{size}/positions",status="200"} 1`,
		`backsolve_http_requests_total{method="GET",route="/uwapi/{game}/{variant}/positions",status="200"} 1`,
		`backsolve_http_requests_total{method="GET",route="other",status="404"} 2`,
		`backsolve_http_requests_total{method="other",route="other",status="405"} 1`,
		`backsolve_http_request_seconds_count{route="/v1/{game}/{size}/position"} 2`,
		"backsolve_http_requests_in_flight 1\n",
		"backsolve_positions_total 5\n", // of the batch, the malformed one as well
		"backsolve_lookups_total 30\n",  // 10, 1, 9 and 10; none for nonsense
		`backsolve_tables{state="ok"} 6`,
		`backsolve_tables{state="broken"} 0`,
		"backsolve_table_reloads_total 6\n",
		`backsolve_build_info{goarch="`+runtime.GOARCH+`",goos="`+runtime.GOOS+`",goversion="`+runtime.Version()+`",version="devel"} 1`,
		"backsolve_unreadable_directories 0",
		"go_goroutines ",
	)
	if strings.Contains(r.body, "nonsense") {
		t.Error("an address of a client is a label")
	}
	if (runtime.GOOS == "linux" || runtime.GOOS == "darwin") && s.server.metrics.count("backsolve_page_faults_total") == 0 {
		t.Error("no page faults")
	}
	if !strings.Contains(r.body, "backsolve_table_bytes") {
		t.Error("no bytes of tables")
	}
}
