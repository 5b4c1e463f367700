package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const race = `{"Action":"start","Package":"backsolve/game"}
{"Action":"run","Package":"backsolve/game","Test":"TestLong"}
{"Action":"output","Package":"backsolve/game","Test":"TestLong","Output":"    a_test.go:3: takes long under the race detector\n"}
{"Action":"output","Package":"backsolve/game","Test":"TestLong","Output":"--- SKIP: TestLong (0.00s)\n"}
{"Action":"skip","Package":"backsolve/game","Test":"TestLong","Elapsed":0}
{"Action":"run","Package":"backsolve/game","Test":"TestNever"}
{"Action":"output","Package":"backsolve/game","Test":"TestNever","Output":"    a_test.go:9: said before\n"}
{"Action":"output","Package":"backsolve/game","Test":"TestNever","Output":"    a_test.go:10: the system does not tell\n"}
{"Action":"skip","Package":"backsolve/game","Test":"TestNever"}
{"Action":"pass","Package":"backsolve/game","Test":"TestShort"}
{"Action":"pass","Package":"backsolve/game"}
{"Action":"skip","Package":"backsolve/game/none"}
`

const plain = `{"Action":"pass","Package":"backsolve/game","Test":"TestLong"}
{"Action":"output","Package":"backsolve/game","Test":"TestNever","Output":"    a_test.go:10: the system does not tell\n"}
{"Action":"skip","Package":"backsolve/game","Test":"TestNever"}
{"Action":"output","Package":"backsolve/tools/page","Test":"TestSilent/part","Output":"    --- SKIP: TestSilent/part (0.00s)\n"}
{"Action":"skip","Package":"backsolve/tools/page","Test":"TestSilent/part"}
{"Action":"output","Package":"backsolve/cmd/cli","Test":"TestAlso","Output":"    b_test.go:1: the system does not tell\n"}
{"Action":"skip","Package":"backsolve/cmd/cli","Test":"TestAlso"}
`

// logs writes files into a directory and returns it.
func logs(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTally(t *testing.T) {
	dir := logs(t, map[string]string{"race.json": race, "plain.json": plain, "page.txt": "the page in a browser: no Chromium is there\n", "old.json": "old"})
	sum, err := readAll(dir, []string{"race", "page", "plain"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := sum.write(&out); err != nil {
		t.Fatal(err)
	}
	want := `left out: the page in a browser: no Chromium is there
skipped, for no reason that it gives: tools/page TestSilent/part
skipped, the system does not tell: cmd/cli TestAlso, game TestNever
tests: 2 passed, 0 failed, 5 skipped
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was skipped runs with these arguments of go test, once for each test; where a step
// was left out, that is all.
func TestSkipped(t *testing.T) {
	const parts = `{"Action":"skip","Package":"backsolve/cmd/cli","Test":"TestParts/one"}
{"Action":"skip","Package":"backsolve/cmd/cli","Test":"TestParts/two"}
{"Action":"pass","Package":"backsolve/cmd/cli","Test":"TestParts/three"}
{"Action":"pass","Package":"backsolve/cmd/cli","Test":"TestParts"}
`
	dir := logs(t, map[string]string{
		"race.json": race, "parts.json": parts, "plain.json": plain, "page.txt": "the page\n",
		"good.json": `{"Action":"pass","Package":"p","Test":"TestX"}` + "\n",
	})
	for steps, want := range map[string]string{
		"race":       "-run ^(TestLong|TestNever)$ backsolve/game",
		"race parts": "-run ^(TestLong|TestNever|TestParts)$ backsolve/cmd/cli backsolve/game",
		"race plain": "-run ^(TestAlso|TestNever|TestSilent)$ backsolve/cmd/cli backsolve/game backsolve/tools/page",
		"good":       "-run ^$ .",
		"race page":  "./...",
	} {
		var out bytes.Buffer
		cmd := newCommand()
		cmd.SetArgs(append([]string{"--dir", dir, "--skipped"}, strings.Fields(steps)...))
		cmd.SetOut(&out)
		if err := cmd.Execute(); err != nil || out.String() != want+"\n" {
			t.Errorf("%s: %q, %v, want %q", steps, out.String(), err, want)
		}
	}
}

// A test that failed, and a step without a log, are not passed over.
func TestFailures(t *testing.T) {
	dir := logs(t, map[string]string{
		"bad.json": `{"Action":"fail","Package":"p","Test":"TestX"}` + "\n", "good.json": race, "none.json": "FAIL p\n",
	})
	for step, says := range map[string]string{"bad": "tests failed", "gone": "how the step gone went", "none": "line 1 is not of go test -json"} {
		cmd := newCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs([]string{"--dir", dir, "good", step})
		cmd.SetOut(new(bytes.Buffer))
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", step, err, says)
		}
	}
}
