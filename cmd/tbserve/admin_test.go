package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The admin listener has profiles and metrics, and tells pages in a browser nothing. The
// others have no profiles.
func TestAdmin(t *testing.T) {
	p := begin(t, exec.Command("tbserve", "--dir", tables(t), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"))
	_, rest, _ := strings.Cut(p.log.String(), `"msg":"admin listener","address":"`)
	admin, _, found := strings.Cut(rest, `/"`)
	if !found {
		t.Fatal(p.log.String())
	}
	for _, try := range []struct {
		url, host string
		status    int
		text      string
	}{
		{admin + "/metrics", "", http.StatusOK, "backsolve_tables{"},
		{admin + "/debug/pprof/heap?debug=1", "", http.StatusOK, "heap profile"},
		{admin + "/debug/pprof/", "evil.example", http.StatusMisdirectedRequest, "evil.example"},
		{admin + "/v1/tables", "", http.StatusNotFound, ""},
		{p.url() + "/debug/pprof/", "", http.StatusNotFound, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, try.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = try.host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != try.status || !strings.Contains(string(body), try.text) {
			t.Errorf("%s: %v, %s, %.200s", try.url, err, resp.Status, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	p.stop(os.Interrupt)
}
