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

// jobServer returns functions that start a server with jobs in a directory, and ask one.
func jobServer(t *testing.T) (start func(flags ...string) *process, ask func(p *process, method, path, body string, answer any) (status int)) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret solve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start = func(flags ...string) *process {
		return begin(t, exec.Command("tbserve", append([]string{"--dir", tables(t), "--listen", "127.0.0.1:0", "--token-file", token, "--jobs", filepath.Join(dir, "jobs")}, flags...)...))
	}
	ask = func(p *process, method, path, body string, answer any) (status int) {
		t.Helper()
		r, err := http.NewRequest(method, p.url()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Content-Type", "application/json")
		if path == "/v1/rules" {
			r.Header.Set("Content-Type", "application/wasm")
		}
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
	return start, ask
}

// Anybody's rules are checked, planned, solved and asked, and are there after a restart. Those whose
// moves never end are refused by name of the position.
func TestRules(t *testing.T) {
	start, ask := jobServer(t)
	rules := func(name string) string {
		text, err := os.ReadFile("../../game/wasm/testdata/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	p := start()
	var refused api.Error
	if status := ask(p, http.MethodPost, "/v1/rules", rules("endless"), &refused); status != http.StatusUnprocessableEntity || !strings.Contains(refused.Detail, "at 9: the rules are wrong: expand does not end") {
		t.Errorf("%d %+v", status, refused)
	}
	var added api.GameInfo
	if status := ask(p, http.MethodPost, "/v1/rules", rules("take21"), &added); status != http.StatusCreated || added.Title != "Take 21" {
		t.Errorf("%d %+v", status, added)
	}
	p.stop(os.Interrupt)

	p = start()
	var plan api.Plan
	if ask(p, http.MethodGet, "/v1/plan?game=take-21&size=1", "", &plan); !plan.Possible || plan.StoredStates != 22 {
		t.Errorf("%+v", plan)
	}
	var job api.Job
	ask(p, http.MethodPost, "/v1/jobs", `{"game":"take-21","size":1}`, &job)
	for begun := time.Now(); job.State != api.JobStateDone; time.Sleep(20 * time.Millisecond) {
		if ask(p, http.MethodGet, "/v1/jobs/"+job.Id, "", &job); job.State == api.JobStateFailed || time.Since(begun) > time.Minute {
			t.Fatalf("%+v", job)
		}
	}
	var a api.Answer
	if ask(p, http.MethodGet, "/v1/take-21/1/position?p=18", "", &a); a.Outcome != api.Win || *a.Steps != 9 {
		t.Errorf("%+v", a)
	}
	p.stop(os.Interrupt)
}

// A job outlives a server that is killed in the middle of it. The next one finishes it, and
// serves the table at once.
func TestJobs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the solver outlives its server")
	}
	start, ask := jobServer(t)
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
