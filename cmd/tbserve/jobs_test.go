package main

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"backsolve/server/api"
	"backsolve/server/client"
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
	start := func(flags ...string) (*process, *client.Client) {
		p := begin(t, exec.Command("tbserve", append([]string{"--dir", tables(t), "--listen", "127.0.0.1:0", "--token-file", token, "--jobs", filepath.Join(dir, "jobs")}, flags...)...))
		return p, &client.Client{Address: p.url(), Token: "secret", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	}
	ctx, steps := t.Context(), true
	small, c := start("--job-memory", "1MiB")
	var refused *client.Error
	if _, err := c.Solve(ctx, api.JobRequest{Game: "quixo", Size: 4, HasSteps: &steps}); !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity {
		t.Errorf("%v", err)
	}
	small.stop(os.Interrupt)

	killed, c := start()
	job, err := c.Solve(ctx, api.JobRequest{Game: "quixo", Size: 4, HasSteps: &steps})
	if err != nil {
		t.Fatal(err)
	}
	for job.State == api.JobStateQueued {
		if job, err = c.Job(ctx, job.Id); err != nil {
			t.Fatal(err)
		}
	}
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.cmd.Wait()

	p, c := start()
	for begun := time.Now(); job.State != api.JobStateDone; time.Sleep(20 * time.Millisecond) {
		if job, err = c.Job(ctx, job.Id); err != nil || job.State == api.JobStateFailed || time.Since(begun) > time.Minute {
			t.Fatalf("%v, %+v", err, job)
		}
	}
	a, err := c.Position(ctx, "quixo", 4, api.GetPositionParams{P: "startpos"})
	if err != nil || a.Outcome != api.Win || *a.Steps != 21 {
		t.Errorf("%v, %+v", err, a)
	}
	p.stop(os.Interrupt)
}
