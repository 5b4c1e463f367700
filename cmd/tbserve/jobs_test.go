package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"backsolve/internal/server/api"
)

// A job outlives a server that is killed in the middle of it. The next one finishes it, and
// serves the table at once.
func TestJobs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the solver outlives its server")
	}
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret solve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(flags ...string) *process {
		return begin(t, exec.Command("tbserve", append([]string{"--dir", tables(t), "--listen", "127.0.0.1:0", "--token-file", token, "--jobs", filepath.Join(dir, "jobs")}, flags...)...))
	}
	ask := func(p *process, method, path, body string, answer any) (status int) {
		r, err := http.NewRequest(method, p.url()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Content-Type", "application/json")
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	const wanted = `{"game":"quixo","size":4,"has_steps":true}`
	var refused api.Error
	small := start("--job-memory", "1MiB")
	if status := ask(small, http.MethodPost, "/v1/jobs", wanted, &refused); status != http.StatusUnprocessableEntity {
		t.Errorf("%d %+v", status, refused)
	}
	small.stop(os.Interrupt)

	killed := start()
	var job api.Job
	ask(killed, http.MethodPost, "/v1/jobs", wanted, &job)
	for job.State == api.JobStateQueued {
		ask(killed, http.MethodGet, "/v1/jobs/"+job.Id, "", &job)
	}
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.cmd.Wait()

	p := start()
	for begun := time.Now(); job.State != api.JobStateDone; time.Sleep(20 * time.Millisecond) {
		if ask(p, http.MethodGet, "/v1/jobs/"+job.Id, "", &job); job.State == api.JobStateFailed || time.Since(begun) > time.Minute {
			t.Fatalf("%+v", job)
		}
	}
	var a api.Answer
	if ask(p, http.MethodGet, "/v1/quixo/4/position?p=startpos", "", &a); a.Outcome != api.Win || *a.Steps != 21 {
		t.Errorf("%+v", a)
	}
	p.stop(os.Interrupt)
}
