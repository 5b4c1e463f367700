package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/partition/spacetest"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// tbsolve returns a command that runs this test binary as tbsolve.
func tbsolve(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = "tbsolve"
	cmd.Env = append(os.Environ(), "GORACE="+noWait)
	return cmd
}

// summary is the part of a report that the tests read.
type summary struct {
	Path           string `json:"path"`
	ResumedClasses int    `json:"resumed_classes"`
	Wins           uint64 `json:"wins"`
	Losses         uint64 `json:"losses"`
	Draws          uint64 `json:"draws"`
}

// solveQuixo4 solves Quixo 4×4 with steps, again if it was finished. It returns the summary,
// the checksum of the table and the time.
func solveQuixo4(t *testing.T, dir string, flags ...string) (summary, [32]byte, time.Duration) {
	t.Helper()
	began := time.Now()
	out, err := tbsolve(t, append([]string{"quixo", "4", "--steps", "--json", "--quiet", "--force", "--dir", dir}, flags...)...).Output()
	took := time.Since(began)
	if err != nil {
		t.Fatalf("%v: %s", err, stderrOf(err))
	}
	var s summary
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	table, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	return s, sha256.Sum256(table), took
}

// output runs tbsolve to its end.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := tbsolve(t, args...).Output()
	if err != nil {
		t.Fatalf("tbsolve %s: %v: %s", strings.Join(args, " "), err, stderrOf(err))
	}
	return string(out)
}

func stderrOf(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}

// A solve that is killed several times at random ends with the bytes of one that is not, and so
// does one into an archive.
func TestKilledSolveResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("solves Quixo 4×4 with steps several times")
	}
	t.Run("plain", func(t *testing.T) { killSolves(t) })
	t.Run("archive", func(t *testing.T) { killSolves(t, "--packed=archive") })
}

func killSolves(t *testing.T, flags ...string) {
	t.Helper()
	whole, want, took := solveQuixo4(t, t.TempDir(), flags...)
	if whole.ResumedClasses != 0 {
		t.Fatalf("an uninterrupted solve resumed after %d classes", whole.ResumedClasses)
	}
	random, dir := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	for range 3 {
		cmd := tbsolve(t, append([]string{"quixo", "4", "--steps", "--quiet", "--dir", dir}, flags...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForClass(t, filepath.Join(dir, filepath.Base(whole.Path)))
		time.Sleep(time.Duration(random.Int64N(int64(took) / 8)))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	if s, got, _ := solveQuixo4(t, dir, flags...); got != want || s.ResumedClasses == 0 {
		t.Errorf("another table after 3 kills, or none fell behind the first class: resumed after %d classes", s.ResumedClasses)
	}
}

// A signal ends a solve with a sentence and the status of the signal, and the same command
// resumes it.
func TestInterruptedSolveResumes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send signals to another one here")
	}
	if testing.Short() {
		t.Skip("solves Quixo 4×4 with steps")
	}
	for _, c := range []struct {
		signal os.Signal
		status int
		says   string
	}{{os.Interrupt, 130, "interrupted"}, {syscall.SIGTERM, 143, "stopped by a signal (terminated)"}} {
		dir := t.TempDir()
		cmd := tbsolve(t, "quixo", "4", "--steps", "--quiet", "--dir", dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForClass(t, filepath.Join(dir, "quixo-4x4.tb"))
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != c.status {
			t.Errorf("%v: exit status %d, not %d", c.signal, got, c.status)
		}
		says := "error: " + c.says + "; the finished classes are kept: run the same command again to resume after them\n"
		if stderr.String() != says {
			t.Errorf("%v: it says %q, not %q", c.signal, stderr.String(), says)
		}
		s, _, _ := solveQuixo4(t, dir)
		if s.ResumedClasses == 0 || s.Wins != 26_434_489 || s.Losses != 15_003_736 || s.Draws != 1_608_496 {
			t.Errorf("%v: resumed to %+v", c.signal, s)
		}
	}
}

// waitForClass waits until a class of the table is in the partial file.
func waitForClass(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if machine.FileSize(path+tablebase.PartialSuffix) > 1<<12 || machine.FileSize(path) > 0 {
			return // or the whole table is already there
		}
	}
	t.Fatal("no class was finished in a minute")
}

// While one solver writes a table, another one is refused.
func TestSecondSolverIsRefused(t *testing.T) {
	_, space := spacetest.New(t, "quixo", 3)
	dir := t.TempDir()
	path := filepath.Join(dir, "quixo-3x3.tb")
	w, err := writer.Create(path, probe.Shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, force := range []string{"--force=false", "--force"} {
		_, err := tbsolve(t, "quixo", "3", "--dir", dir, force).Output()
		if says := stderrOf(err); !strings.HasPrefix(says, "error: "+path+": another process is writing this table; ") {
			t.Errorf("%v, and it says %q", err, says)
		}
	}
}

// An interrupted solve of another kind is not discarded without --force.
func TestOtherSolveIsKept(t *testing.T) {
	_, space := spacetest.New(t, "quixo", 3)
	dir := t.TempDir()
	w, err := writer.Create(filepath.Join(dir, "quixo-3x3.tb"), probe.Shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	mask := []uint64{1<<9 - 1}
	plane := func() []uint64 { return make([]uint64, 8) }
	counts := tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, 10)}
	for weight, states := range []uint64{1, 9, 36, 84, 126, 126, 84, 36, 9, 1} {
		counts.ByWeight[weight].Draws = states
	}
	if err := w.Seal(tablebase.Class{Class: 9, IndexBits: 9, Masks: mask}, tablebase.Planes{Win: plane(), Lose: plane()}, counts); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = tbsolve(t, "quixo", "3", "--steps", "--dir", dir).Output()
	if says := stderrOf(err); !strings.Contains(says, "an interrupted solve of another kind lies here: quixo 3×3 without steps\nhint: finish that one with: tbsolve quixo 3 --dir "+dir+", or start over with --force") {
		t.Errorf("%v, and it says %q", err, says)
	}
	if _, err := tbsolve(t, "quixo", "3", "--steps", "--force", "--dir", dir).Output(); err != nil {
		t.Errorf("%v: %s", err, stderrOf(err))
	}
}
