package faulttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recover runs an interrupted job again, to the end, and checks the result. A minimum
// number of the classes that it had finished must survive. It returns a short
// description.
func (j *job) recover(t *testing.T, dir string, kept int) string {
	t.Helper()
	whole := j.checkFinal(t, dir)
	o := run(t, dir, j.args)
	how := "started over"
	switch {
	case o.status == 0:
		if !j.solves() {
			break
		}
		var said struct {
			Resumed  *int `json:"resumed_classes"`
			Existing bool `json:"existing"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &said); err != nil || said.Resumed == nil {
			t.Errorf("it does not say how many classes were resumed: %v in %s", err, o.stdout)
			break
		}
		switch {
		case said.Existing && !whole:
			t.Error("it says that the table was there, which is not whole")
		case said.Existing:
			how = "was done"
		case *said.Resumed > 0:
			how = "resumed"
		}
		if kept += j.resumes; *said.Resumed < kept && !whole {
			t.Errorf("%d classes were finished, and %d were resumed", kept, *said.Resumed)
		}
	case o.status == 1 && whole && !j.forced() && strings.Contains(o.stderr, "exists already; "):
		how = "was done"
		j.checkLeft(t, dir, "after it was refused")
		j.force(t, dir)
	default:
		how = "refused"
		checkSentence(t, o.stderr)
		t.Log("it was refused: ", o.stderr)
		j.force(t, dir)
	}
	j.checkLeft(t, dir, "in the end")
	return how
}

// force runs the job with --force, which must always succeed.
func (j *job) force(t *testing.T, dir string) {
	t.Helper()
	if o := run(t, dir, append(slices.Clone(j.args), "--force")); o.status != 0 {
		t.Errorf("with --force: exit status %d: %s", o.status, o.stderr)
	}
}

// checkFinal checks that the final file is the old one or an undisturbed run's, and reports
// whether it is the latter.
func (j *job) checkFinal(t *testing.T, dir string) bool {
	t.Helper()
	content := read(t, dir)[j.final]
	switch {
	case content == nil:
		if j.old != nil {
			t.Errorf("%s, which was to be replaced, is gone", j.final)
		}
		return false
	case bytes.Equal(content, j.want[j.final]):
		return true
	case j.old == nil || !bytes.Equal(content, j.old):
		t.Errorf("%s has its name and is wrong: %d bytes, of an undisturbed run %d", j.final, len(content), len(j.want[j.final]))
	}
	return false
}

// checkLeft checks that the directory holds exactly the files of an undisturbed run.
func (j *job) checkLeft(t *testing.T, dir, when string) {
	t.Helper()
	got := read(t, dir)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := j.want[name]; !ok {
			t.Errorf("%s %s is left over", when, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.want)) {
		if !bytes.Equal(got[name], j.want[name]) {
			t.Errorf("%s %s has %d bytes, not the %d of an undisturbed run, or others", when, name, len(got[name]), len(j.want[name]))
		}
	}
}

// sentence is the form of an error: the file or directory and the cause, and a remedy after a
// semicolon or as a hint on its own line.
var sentence = regexp.MustCompile(`^(warning: .+\n)*error: [^;\n]*(tables| \.)[^;\n]*: [^;\n]+(; |\nhint: )[^\n]+\n$`)

func checkSentence(t *testing.T, stderr string) {
	t.Helper()
	if !sentence.MatchString(stderr) {
		t.Errorf("it does not say in a sentence which file, which cause and what to do: %q", stderr)
	}
}

// finished returns how many classes a run has finished at the least, as its calls
// tell: a table's have their frame in the manifest, the streamed ones are all
// above the one that is in work.
func (j *job) finished(calls []Call) int {
	if !j.streamed() {
		return len(framesOf(calls))
	}
	begun := 0
	for _, c := range calls {
		if c.Op == Open && c.Err == 0 && strings.Contains(c.Path, ".class-") {
			begun++
		}
	}
	if j.halves {
		return max(0, begun-1) / 2
	}
	return max(0, begun-1)
}

// framesOf returns which calls seal a class of a table.
func framesOf(calls []Call) (numbers []int) {
	for n, c := range calls {
		if sealsClass(c) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// sealsClass reports whether a call wrote the frame of a class to a manifest, after its header.
func sealsClass(c Call) bool {
	return c.Op == Write && c.End > 0 && c.Err == 0 && !c.Short && c.Offset > 0 && strings.HasSuffix(c.Path, ".manifest")
}

// tally counts what came of the cases of a test.
type tally struct {
	lock     sync.Mutex
	outcomes map[string]int
	faults   int
	points   map[string]bool
}

// newTally returns a tally that is logged when all cases are over.
func newTally(t *testing.T, faults string) *tally {
	y := &tally{outcomes: map[string]int{}, points: map[string]bool{}}
	t.Cleanup(func() {
		cases := 0
		var parts []string
		for _, outcome := range slices.Sorted(maps.Keys(y.outcomes)) {
			cases += y.outcomes[outcome]
			parts = append(parts, fmt.Sprintf("%s %d", outcome, y.outcomes[outcome]))
		}
		t.Logf("%d cases with %d %s at %d distinct points: %s", cases, y.faults, faults, len(y.points), strings.Join(parts, ", "))
	})
	return y
}

// fault counts a fault; faults that agree in this are the same point.
func (y *tally) fault(point ...any) {
	y.lock.Lock()
	defer y.lock.Unlock()
	y.faults++
	y.points[fmt.Sprint(point...)] = true
}

// ended counts a case by its outcome.
func (y *tally) ended(outcome string) {
	y.lock.Lock()
	defer y.lock.Unlock()
	y.outcomes[outcome]++
}

// onFailure says how to repeat a case that failed.
func onFailure(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat it with: BACKSOLVE_LONG=1 go test -C tools ./faulttest -count=1 -run '^%s$'", strings.ReplaceAll(t.Name(), "/", "$/^"))
		}
	})
}
