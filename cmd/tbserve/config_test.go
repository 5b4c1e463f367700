package main

import (
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// configured returns the options of a configuration file and a command line.
func configured(t *testing.T, file string, args ...string) (*options, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tbserve.conf")
	replace(t, path, []byte(file))
	cmd := new(cobra.Command)
	o := newOptions(cmd)
	if err := cmd.ParseFlags(append(args, "--config", path)); err != nil {
		t.Fatal(err)
	}
	return o, o.configure(cmd)
}

// The command line comes before the environment, and that before the file.
func TestConfigure(t *testing.T) {
	t.Setenv("TBSERVE_RATE", "2")
	t.Setenv("TBSERVE_MAX_BATCH", "1000")
	t.Setenv("TBSERVE_SERVICE_HOST", "10.0.0.1") // Kubernetes sets such ones
	t.Setenv("TBSERVE_CORS", "")
	o, err := configured(t, `# of this machine
[tbserve]
rate = 3
max-batch = 3
log-level=warn
dir = /ssd/tables
dir = /disk/tables

; how to play
opponent = fair=mcts:1000
verify-always = true
`, "--max-batch", "1")
	if err != nil {
		t.Fatal(err)
	}
	if o.MaxBatch != 1 || o.Rate != 2 || o.logLevel != slog.LevelWarn || !o.always || o.origins != nil ||
		!slices.Equal(o.dirs, []string{"/ssd/tables", "/disk/tables"}) || !slices.Equal(o.opponents, []string{"fair=mcts:1000"}) {
		t.Errorf("%+v", o)
	}
}

func TestConfigureRefuses(t *testing.T) {
	for file, want := range map[string]string{
		"[tbserve]\nrtae = 5\n":           "there is no setting \"rtae\"; the settings are the flags of tbserve --help, without --",
		"[tbserve]\nconfig = other\n":     "there is no setting \"config\"",
		"[tbserve]\nhealth = true\n":      "there is no setting \"health\"",
		"[tbserve]\nrate = 5\nrate = 6\n": "rate is given twice; give it once",
		"[tbserve]\nrate = fast\n":        "--rate",
		"rate = 5\n":                      "begin with the line [tbserve]",
		"[server]\nrate = 5\n":            "begin with the line [tbserve]",
		"[tbserve]\nrate 5\n":             "write NAME = VALUE",
		"[tbserve":                        "begin with the line [tbserve]",
		"":                                "begin with the line [tbserve]",
		"\x00\xff":                        "begin with the line [tbserve]",
	} {
		if _, err := configured(t, file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tbserve.conf: ") {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
	t.Setenv("TBSERVE_RATE", "fast")
	if _, err := configured(t, "[tbserve]\n"); err == nil || !strings.HasPrefix(err.Error(), "$TBSERVE_RATE: ") {
		t.Error(err)
	}
	if _, err := configured(t, "[tbserve]\n", "--rate", "1"); err != nil {
		t.Error(err)
	}
}

// readUntil reads the log until a text comes. A process that does not write it is killed.
func (p *process) readUntil(text string) {
	p.t.Helper()
	defer time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() }).Stop()
	var log strings.Builder
	for !strings.Contains(log.String(), text) {
		line, err := p.rest.ReadString('\n')
		if log.WriteString(line); err != nil {
			p.t.Fatalf("%v after %s", err, &log)
		}
	}
}

// SIGHUP changes the level of the log, says which changes need a restart, and keeps the
// configuration if the file is wrong.
func TestConfigurationIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tbserve.conf")
	file := "[tbserve]\nlisten = 127.0.0.1:0\ndir = " + tables(t) + "\n"
	replace(t, path, []byte(file))
	p := begin(t, exec.Command("tbserve", "--config", path))
	again := func(file, want string) {
		t.Helper()
		replace(t, path, []byte(file))
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		p.readUntil(want)
	}
	again(file+"rate = 1000\nlog-level = debug\n", `"configuration read again","need_restart":["rate"]`)
	wantWin(t, new(http.Client), p.url(), "")
	p.readUntil(`"msg":"request"`)
	again(file+"rtae = 1000\n", `"keeping the old configuration"`)
	wantWin(t, new(http.Client), p.url(), "")
	p.readUntil(`"msg":"request"`)
	p.stop(os.Interrupt)
}
