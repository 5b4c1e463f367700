package faulttest

import (
	"bytes"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// job is a run of tbsolve under test. It runs in its own directory; its tables are in
// tables.
type job struct {
	name string
	// before are the runs, or renames, that set up the job.
	before  [][]string
	args    []string
	final   string // the file that it makes
	beside  string // another file that it makes before, "" for none
	halves  bool   // it solves each class in halves, with a file for each
	resumes int    // the classes that it finds finished

	prepared sync.Once
	found    Files         // what the job finds
	old      []byte        // of the file that it replaces, nil for none
	want     Files         // what an undisturbed run leaves
	took     time.Duration // by an undisturbed run

	traced sync.Once
	calls  []Call // of an undisturbed run
}

const (
	move   = "move" // among the runs before a job: renames a file
	tables = "tables"
)

// solve is a run of a solve.
func solve(args string) []string {
	return append(strings.Fields(args), "--quiet", "--json", "--dir", tables)
}

// copying is a run of pack, unpack or another command without such flags.
func copying(args string) []string { return append(strings.Fields(args), "--quiet") }

// jobs are all kinds of solve, pack and unpack, on small boards.
func jobs() []*job {
	streamed := "notakto 4 --after b2 --keep result"
	return []*job{
		{name: "notakto_3", args: solve("notakto 3"), final: "tables/notakto-3x3.tb"},
		{name: "notakto_4_steps", args: solve("notakto 4 --steps"), final: "tables/notakto-4x4.tb"},
		{name: "notakto_5", args: solve("notakto 5"), final: "tables/notakto-5x5.tb"},
		{name: "tictactoe_3_steps", args: solve("tictactoe 3 --steps"), final: "tables/tictactoe-3x3.tb"},
		{name: "quixo_3", args: solve("quixo 3"), final: "tables/quixo-3x3.tb"},
		{name: "quixo_3_steps_over_another", final: "tables/quixo-3x3.tb",
			before: [][]string{solve("quixo 3")},
			args:   solve("quixo 3 --steps --force")},
		{name: "quixo_3_steps_goes_on", final: "tables/quixo-3x3.tb",
			before: [][]string{solve("quixo 3 --steps --down-to-class 5")},
			args:   solve("quixo 3 --steps"), resumes: 5},
		{name: "quixo_3_steps_written_packed", args: solve("quixo 3 --steps --packed"), final: "tables/quixo-3x3.tb.zst"},
		{name: "quixo_3_written_packed_goes_on", final: "tables/quixo-3x3.tb.zst",
			before: [][]string{solve("quixo 3 --packed --down-to-class 5")},
			args:   solve("quixo 3 --packed"), resumes: 5},
		{name: "notakto_4_after_b2", args: solve("notakto 4 --after b2 --keep table --steps"), final: "tables/notakto-4x4-after-b2.tb"},
		{name: "notakto_4_streamed", args: solve(streamed), final: "tables/notakto-4x4-after-b2.json", halves: true},
		{name: "notakto_5_streamed", args: solve("notakto 5 --after c3 --keep result"), final: "tables/notakto-5x5-after-c3.json"},
		{name: "notakto_4_streamed_over_another", final: "tables/notakto-4x4-after-b2.json", halves: true,
			before: [][]string{solve("notakto 4 --after a1 --keep result"), {move, "tables/notakto-4x4-after-a1.json", "tables/notakto-4x4-after-b2.json"}},
			args:   solve(streamed + " --force")},
		{name: "notakto_5_whole", args: solve("notakto 5 --keep result"), final: "tables/notakto-5x5.json", halves: true},
		{name: "notakto_4_opening", args: solve("notakto 4 --keep opening=30kB"), final: "tables/notakto-4x4.json", beside: "tables/notakto-4x4.tb"},
		{name: "notakto_5_opening", args: solve("notakto 5 --keep opening=200kB"),
			final: "tables/notakto-5x5.json", beside: "tables/notakto-5x5.tb", halves: true},
		{name: "pack", final: "tables/quixo-3x3.tb.zst",
			before: [][]string{solve("quixo 3 --steps")},
			args:   copying("pack tables/quixo-3x3.tb")},
		{name: "pack_over_another", final: "tables/quixo-3x3.tb.zst",
			before: [][]string{solve("notakto 3"), copying("pack tables/notakto-3x3.tb"),
				{move, "tables/notakto-3x3.tb.zst", "tables/quixo-3x3.tb.zst"}, solve("quixo 3")},
			args: copying("pack tables/quixo-3x3.tb --force")},
		{name: "unpack", final: "tables/notakto-5x5.tb",
			before: [][]string{solve("notakto 5"), copying("pack tables/notakto-5x5.tb"), {move, "tables/notakto-5x5.tb", "moved"}},
			args:   copying("unpack tables/notakto-5x5.tb.zst")},
		{name: "unpack_over_another", final: "tables/quixo-3x3.tb",
			before: [][]string{solve("quixo 3 --steps"), copying("pack tables/quixo-3x3.tb"), solve("quixo 3 --force")},
			args:   copying("unpack tables/quixo-3x3.tb.zst --force")},
	}
}

// smallJobs are jobs with few calls, all of which can fail in a short run.
func smallJobs() []*job {
	text := func(args string) []string { return append(copying(args), "--dir", tables) }
	return []*job{
		{name: "quixo_2_steps", args: text("quixo 2 --steps"), final: "tables/quixo-2x2.tb"},
		{name: "quixo_2_written_packed", args: solve("quixo 2 --packed"), final: "tables/quixo-2x2.tb.zst"},
		{name: "quixo_2_written_archive", args: text("quixo 2 --steps --packed=archive"), final: "tables/quixo-2x2.tb.zst"},
		{name: "notakto_3_result", args: solve("notakto 3 --keep result"), final: "tables/notakto-3x3.json", halves: true},
		{name: "hounds-all", args: text("hounds-all"), final: "tables/hounds-all.tb"}, // by ranks
		{name: "pack_2", final: "tables/quixo-2x2.tb.zst",
			before: [][]string{solve("quixo 2 --steps")}, args: copying("pack tables/quixo-2x2.tb")},
		{name: "unpack_2", final: "tables/quixo-2x2.tb",
			before: [][]string{solve("quixo 2 --steps --packed")}, args: copying("unpack tables/quixo-2x2.tb.zst")},
	}
}

// streamed reports whether the job keeps no table.
func (j *job) streamed() bool { return strings.HasSuffix(j.final, ".json") }

// solves reports whether the job is a solve, which reports what it resumed.
func (j *job) solves() bool { return slices.Contains(j.args, "--json") }

// forced reports whether the job replaces existing files.
func (j *job) forced() bool { return strings.Contains(strings.Join(j.args, " "), "--force") }

// random returns the random source of a case.
func (j *job) random(n int) *rand.Rand {
	h := fnv.New64()
	h.Write([]byte(j.name))
	return rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
}

// prepare runs the job undisturbed.
func (j *job) prepare(t *testing.T) {
	t.Helper()
	j.prepared.Do(func() {
		dir := newDir(t)
		for _, args := range j.before {
			if args[0] == move {
				if err := os.Rename(filepath.Join(dir, args[1]), filepath.Join(dir, args[2])); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if o := run(t, dir, args); o.status != 0 {
				t.Fatalf("tbsolve %s: exit status %d: %s", strings.Join(args, " "), o.status, o.stderr)
			}
		}
		j.found = read(t, dir)
		j.old = j.found[j.final]
		began := time.Now()
		if o := run(t, dir, j.args); o.status != 0 {
			t.Fatalf("exit status %d: %s", o.status, o.stderr)
		}
		j.took = time.Since(began)
		j.want = read(t, dir)
		if j.beside != "" && j.want[j.beside] == nil {
			t.Fatalf("it leaves no %s", j.beside)
		}
		if j.want[j.final] == nil || bytes.Equal(j.want[j.final], j.old) {
			t.Fatalf("it leaves no new %s", j.final)
		}
		for name := range j.want {
			if _, ok := j.found[name]; !ok && name != j.final && name != j.beside && name != tables {
				t.Fatalf("undisturbed it leaves %s", name)
			}
		}
	})
	if j.want == nil {
		t.Fatal("it cannot be run undisturbed")
	}
}

// undisturbed returns the calls of a prepared job without faults.
func (j *job) undisturbed(t *testing.T) []Call {
	t.Helper()
	j.traced.Do(func() {
		dir := writeFiles(t, j.found)
		r := j.trace(t, dir, Fault{})
		if r.Status != 0 {
			t.Fatalf("exit status %d: %s", r.Status, r.Stderr)
		}
		j.checkLeft(t, dir, "under the tracer")
		j.calls = r.Calls
	})
	if len(j.calls) == 0 {
		t.Fatal("it cannot be traced undisturbed")
	}
	return j.calls
}

// newDir returns a new directory without symbolic links in its path.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// trace runs the job with a fault, on one thread to repeat the same calls every time.
func (j *job) trace(t *testing.T, dir string, f Fault) *Result {
	t.Helper()
	r, err := Run(Command{Dir: dir, Args: append([]string{tbsolve}, j.args...), Env: append(os.Environ(), "GOMAXPROCS=1")}, f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcome is how a run ended.
type outcome struct {
	status         int
	stdout, stderr string
}

// run runs tbsolve undisturbed.
func run(t *testing.T, dir string, args []string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(tbsolve, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// read returns the contents of a directory.
func read(t *testing.T, dir string) Files {
	t.Helper()
	files := Files{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		if err != nil || e.IsDir() {
			files[name] = nil
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// writeFiles writes the files to a new directory, and returns it.
func writeFiles(t *testing.T, files Files) string {
	t.Helper()
	dir := newDir(t)
	for name, content := range files {
		path := filepath.Join(dir, name)
		at := path
		if content != nil {
			at = filepath.Dir(path)
		}
		if err := os.MkdirAll(at, 0o777); err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
