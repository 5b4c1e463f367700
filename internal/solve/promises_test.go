package solve

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// boards solves boards into one directory, and keeps the notices of the last solve.
type boards struct {
	t       *testing.T
	dir     string
	rules   game.Grid
	taken   uint64
	moves   []string
	notices []any
}

func newBoards(t *testing.T, n int) *boards {
	rules, _ := spacetest.New(t, "notakto", n)
	return &boards{t: t, dir: t.TempDir(), rules: rules}
}

func (b *boards) job(o Options) *Job {
	b.t.Helper()
	b.notices = nil
	o.Notify = func(notice any) { b.notices = append(b.notices, notice) }
	j, err := New(b.dir, b.rules, b.taken, b.moves, o)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

func (b *boards) solve(o Options) (Report, error) {
	b.t.Helper()
	return b.job(o).Solve(b.t.Context())
}

func (b *boards) must(o Options) Report {
	b.t.Helper()
	r, err := b.solve(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

var (
	steps   = Options{Engine: retro.Options{Steps: true}}
	packed  = Options{Packed: true}
	archive = Options{Packed: true, Archive: true, Engine: retro.Options{Steps: true}}
	nimbers = Options{Engine: retro.Options{Nimbers: true}}
)

// A job uses a table or result that is as requested, and else says what it found. The plan and the
// state say the same beforehand.
func TestWhatIsThere(t *testing.T) {
	forced := func(o Options) Options { o.Force = true; return o }
	for name, c := range map[string]struct {
		made, wanted Options
		err          error // nil for any table there
		state        State // but for bytes
	}{
		"the same":                       {Options{}, Options{}, nil, State{State: "solved"}},
		"more than wanted":               {steps, Options{}, nil, State{State: "solved", HasSteps: true}},
		"packed instead of plain":        {packed, Options{}, nil, State{State: "packed"}},
		"plain instead of packed":        {Options{}, packed, ErrUnpacked, State{State: "solved"}},
		"plain instead of an archive":    {steps, archive, ErrUnarchived, State{State: "solved", HasSteps: true}},
		"an archive instead of packed":   {archive, Options{Packed: true, Engine: steps.Engine}, nil, State{State: "packed", HasSteps: true, Archive: true}},
		"an archive":                     {archive, archive, nil, State{State: "packed", HasSteps: true, Archive: true}},
		"packed instead of an archive":   {Options{Packed: true, Engine: steps.Engine}, archive, ErrUnarchived, State{State: "packed", HasSteps: true}},
		"nimbers instead of a table":     {nimbers, Options{}, errSolved, State{State: "solved", HasNimbers: true}},
		"a table instead of nimbers":     {Options{}, nimbers, errSolved, State{State: "none"}},
		"nimbers":                        {nimbers, nimbers, nil, State{State: "solved", HasNimbers: true}},
		"the same, and solved once more": {Options{}, forced(Options{}), errSolved, State{State: "solved"}},
	} {
		b := newBoards(t, 3)
		first := b.must(c.made).(*Summary)
		p := b.job(c.wanted).Plan()
		got := p.Table
		if got.Bytes == 0 || c.state.State == "none" {
			got.Bytes = c.state.Bytes
		} else {
			got.Bytes = 0
		}
		if got != c.state {
			t.Errorf("%s: the state is %+v", name, p.Table)
		}
		r, err := b.solve(c.wanted)
		if c.err == errSolved {
			if err != nil || r.(*Summary).Existing || !p.Possible {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			continue
		}
		if !errors.Is(err, c.err) || p.Possible != (c.err == nil) || !errors.Is(p.Err, c.err) || p.Err != nil && p.Why != err.Error() {
			t.Errorf("%s: %v; the plan says %q", name, err, p.Why)
		}
		if s, is := r.(*Summary); c.err == nil && (!is || !s.Existing || s.Path != first.Path || s.Identity != first.Identity || s.Bytes != first.Bytes || s.Packed != first.Packed || s.Seconds != 0) {
			t.Errorf("%s: %+v is not %+v", name, r, first)
		}
	}
	b := newBoards(t, 3)
	b.must(Options{})
	var lacks *probe.StepsError
	if _, err := b.solve(steps); !errors.As(err, &lacks) || !strings.HasPrefix(err.Error(), b.job(steps).Path+" is there: ") {
		t.Errorf("without steps: %v", err)
	}
}

// errSolved says in TestWhatIsThere that the board is solved.
var errSolved = errors.New("it is solved")

// A summary has the numbers of the table and of the solve.
func TestSummary(t *testing.T) {
	b := newBoards(t, 3)
	for name, o := range map[string]Options{"plain": {}, "steps": steps, "packed": packed, "nimbers": nimbers} {
		o.Force = true
		j := b.job(o)
		s := b.must(o).(*Summary)
		info, err := os.Stat(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		if on := max(s.Packed, 0); s.Path != j.Path || (on > 0) != o.Packed || on > 0 && on != info.Size() || on == 0 && s.Bytes != info.Size() || s.HasSteps != o.Engine.Steps {
			t.Errorf("%s: %+v of %d bytes", name, s, info.Size())
		}
		if on := max(info.Size(), 0); s.Disk < on || s.States != 1<<9 || s.Wins+s.Losses != s.States || s.Draws != 0 || s.Classes != j.Space.MaskBits+1 || len(s.ClassResults) != s.Classes || s.ResumedClasses != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if (s.GreatestNimber != nil) != o.Engine.Nimbers || s.GreatestNimber != nil && *s.GreatestNimber < 1 || s.Start.Outcome != "win" || s.Seconds <= 0 || s.StatesPerSecond <= 0 || s.PeakMemory <= 0 || s.Board != "notakto 3×3" {
			t.Errorf("%s: %+v", name, s)
		}
		if want := fmt.Sprint(s.Game, s.Size); want != "notakto3" || len(s.Identity) != 64 || s.Existing {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A file that is no table is in the way of one of its name, but not of the other form. Without a
// file there is no state.
func TestInTheWay(t *testing.T) {
	b := newBoards(t, 3)
	if s := StateOf(b.rules, 0, b.dir); s != (State{State: "none"}) {
		t.Errorf("of nothing: %+v", s)
	}
	if s := StateOf(b.rules, 0, filepath.Join(b.dir, "none")); s != (State{State: "none"}) {
		t.Errorf("of no directory: %+v", s)
	}
	plain := b.job(Options{}).Path
	for _, path := range []string{plain, plain + tablebase.PackedSuffix} {
		if err := os.WriteFile(path, []byte("a letter"), 0o644); err != nil {
			t.Fatal(err)
		}
		s := StateOf(b.rules, 0, b.dir)
		if s.State != "unusable" || s.Bytes != 8 || s.Err == nil || s.Reason != s.Err.Error() {
			t.Errorf("%s: %+v", path, s)
		}
		o := Options{Packed: path != plain}
		if _, err := b.solve(o); !errors.Is(err, ErrInTheWay) || !errors.Is(err, tablebase.ErrForeign) {
			t.Errorf("%s: %v", path, err)
		}
		if p := b.job(o).Plan(); p.Possible || !errors.Is(p.Err, ErrInTheWay) || p.Table.State != "unusable" {
			t.Errorf("%s: %+v", path, p)
		}
		if _, err := b.solve(Options{Packed: path == plain}); err != nil {
			t.Errorf("beside %s: %v", path, err)
		}
		for _, path := range []string{plain, plain + tablebase.PackedSuffix} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A table is not made where there is no directory, and none is made above it.
func TestDirectories(t *testing.T) {
	b := newBoards(t, 2)
	above := b.dir
	for _, c := range []struct {
		dir    string
		says   string
		remedy bool
	}{
		{filepath.Join(above, "new"), "", false},
		{filepath.Join(above, "none", "new"), "there is no directory " + filepath.Join(above, "none"), true},
		{b.job(Options{}).Path, "is not a directory", false},
		{filepath.Join(b.job(Options{}).Path, "new"), "not a directory", false},
	} {
		b.dir = above
		b.must(Options{})
		b.dir = c.dir
		p := b.job(Options{}).Plan()
		_, err := b.solve(Options{})
		var wrong *DirError
		if c.says == "" {
			if err != nil || !p.Possible {
				t.Errorf("%s: %v, %q", c.dir, err, p.Why)
			}
			continue
		}
		if !errors.As(err, &wrong) || !errors.As(err, new(*Refusal)) || !strings.Contains(err.Error(), "no table can be written in "+c.dir) || !strings.Contains(err.Error(), c.says) || (wrong.Remedy != "") != c.remedy {
			t.Errorf("%s: %v", c.dir, err)
		}
		if p.Possible || p.Why != err.Error() || !errors.As(p.Err, new(*Refusal)) {
			t.Errorf("%s: the plan says %q", c.dir, p.Why)
		}
		if _, err := checkDir(c.dir); err == nil || checkWritable(c.dir) == nil {
			t.Errorf("%s is fine", c.dir)
		}
	}
	for _, dir := range []string{above, filepath.Join(above, "another")} {
		before, _ := os.ReadDir(above)
		if err := checkWritable(dir); err != nil {
			t.Error(err)
		}
		if after, _ := os.ReadDir(above); len(after) != len(before) {
			t.Errorf("%s: a test has left a file", dir)
		}
	}
}

// An interrupted solve has a state, is resumed by either form's name, and is kept beside a table.
func TestUnfinished(t *testing.T) {
	b := newBoards(t, 4)
	o := Options{Engine: retro.Options{DownTo: 6, Steps: true}}
	r := b.must(o).(*Classes)
	if r.All != 9 || len(r.Classes) != 3 || r.Classes[0].Class != 8 || r.Game != "notakto" || r.Size != 4 || r.Seconds <= 0 || r.PeakMemory <= 0 || r.Board != "notakto 4×4" {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Classes {
		var wins, losses uint64
		for _, s := range c.Stones {
			wins, losses = wins+s.Wins, losses+s.Losses
			if s.Other != 0 || s.Mover < 0 || s.Mover > 16 {
				t.Errorf("class %d: %+v", c.Class, s)
			}
		}
		if c.Draws != 0 || c.Wins != wins || c.Losses != losses || wins+losses == 0 {
			t.Errorf("%+v", c)
		}
	}
	s := StateOf(b.rules, 0, b.dir)
	if s.State != "unfinished" || s.Classes != 3 || !s.HasSteps || s.Bytes == 0 || s.Running {
		t.Errorf("%+v", s)
	}
	lock, err := tablebase.Lock(b.job(o).Path)
	if err != nil {
		t.Fatal(err)
	}
	if s := StateOf(b.rules, 0, b.dir); !s.Running {
		t.Errorf("while it runs: %+v", s)
	}
	if _, err := b.solve(steps); !errors.Is(err, tablebase.ErrBusy) {
		t.Errorf("while it runs: %v", err)
	}
	lock.Unlock()
	if _, err := b.solve(Options{}); err == nil || len(b.notices) > 0 {
		t.Errorf("without its steps: %v, %v", b.notices, err)
	}
	s2 := b.must(steps).(*Summary)
	if s2.ResumedClasses != 3 || len(s2.ClassResults) != s2.Classes-3 || len(b.notices) != 1 || b.notices[0] != (Resumed{3, 9}) {
		t.Errorf("%+v, %v", s2, b.notices)
	}
}

// Once a table is there, work beside it is kept that is to replace it, and what else was left goes.
func TestLeftBeside(t *testing.T) {
	b := newBoards(t, 4)
	b.must(Options{})
	plain := b.job(Options{}).Path
	forced := Options{Force: true, Engine: retro.Options{DownTo: 2, Steps: true}}
	b.must(forced)
	b.must(Options{})
	want := Kept{Path: plain + tablebase.PartialSuffix, Other: &tablebase.Shape{Game: "notakto", Size: 4, Planes: 1, Steps: true}}
	if len(b.notices) != 1 || !reflect.DeepEqual(b.notices[0], want) {
		t.Errorf("the notices are %+v, not %+v", b.notices, want)
	}
	if u, err := writer.FindUnfinished(plain); err != nil || u.Classes == 0 {
		t.Errorf("it is not kept: %v", err)
	}
	r := b.must(Options{Force: true, Engine: steps.Engine}).(*Summary)
	if r.ResumedClasses == 0 || r.Existing {
		t.Errorf("%+v", r)
	}
	left := []string{plain + ".cluster", plain + tablebase.ManifestSuffix, plain + ".lock"}
	if err := os.MkdirAll(filepath.Join(left[0], "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left[1], []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.must(steps)
	for _, path := range left {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}

// results saves the results of the whole game and of the game after each cell.
func (b *boards) results(cell string) *Saved {
	b.t.Helper()
	b.taken, b.moves = 0, nil
	if cell != "" {
		b.taken, b.moves = probetest.Mask(b.t, b.rules, cell), []string{cell}
	}
	return b.must(Options{Keep: KeepResult}).(*Saved)
}

// A result has the numbers of the table, after moves as well, and is read as it was saved.
func TestResult(t *testing.T) {
	for _, cell := range []string{"", "b2", "a1"} {
		b := newBoards(t, 3)
		r := b.results(cell)
		table := probetest.Open(t, b.rules, b.taken, false)
		stats, err := survey.Summarize(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		if r.States != stats.Total.States || r.Wins != stats.Total.Wins || r.Losses != stats.Total.Losses || r.Start.Outcome != stats.Start.Outcome || r.Start.Position != b.rules.Format(table.Start()) {
			t.Errorf("%q: %+v, want %+v", cell, r.Result, stats.Total)
		}
		if want := map[bool]string{true: "first", false: "second"}[(cell == "") == (r.Start.Outcome == "win")]; r.Winner != want || r.Work != WorkRaw || r.Existing || r.Shared || r.Resumed != 0 || r.Opening != nil || r.Seconds <= 0 || r.PeakMemory <= 0 || r.Written <= 0 {
			t.Errorf("%q: %+v", cell, r)
		}
		if r.Path != strings.TrimSuffix(b.job(Options{}).Path, ".tb")+".json" || !slices.Equal(r.After, append([]string{}, b.moves...)) {
			t.Errorf("%q: %s after %v", cell, r.Path, r.After)
		}
		free := 9
		if cell != "" {
			free = 8
		}
		if len(r.Moves) == 0 || !slices.IsSortedFunc(r.Moves, func(a, b ResultMove) int {
			return strings.Compare(map[string]string{"win": "0", "lose": "1"}[a.Outcome]+a.Move, map[string]string{"win": "0", "lose": "1"}[b.Outcome]+b.Move)
		}) {
			t.Errorf("%q: the moves are %v", cell, r.Moves)
		}
		for _, m := range r.Moves {
			a, err := table.AskState(nil, table.Start(), probe.NoLine)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(a.Moves, func(of probe.Move) bool { return of.Move == strings.Fields(m.Move)[0] })
			if i < 0 || a.Moves[i].Outcome.String() != m.Outcome {
				t.Errorf("%q: %+v", cell, m)
			}
		}
		var marks, wins, terminal uint64
		for i, m := range r.Marks {
			if m.Marks != 9-free+i {
				t.Errorf("%q: %+v", cell, m)
			}
			marks, wins, terminal = marks+m.Wins+m.Losses, wins+m.Wins, terminal+m.TerminalWins
		}
		var byClass, classTerminal uint64
		for _, c := range r.Classes {
			byClass, classTerminal = byClass+c.Wins+c.Losses, classTerminal+c.TerminalWins
		}
		if marks != 1<<free || wins != r.Wins || byClass != marks || terminal != classTerminal || terminal == 0 || len(r.Marks) != free+1 {
			t.Errorf("%q: %d of %d states by marks, %d by class, %d and %d terminal wins", cell, marks, 1<<free, byClass, terminal, classTerminal)
		}
		read, err := readResult(r.Path)
		if err != nil || !reflect.DeepEqual(read, r.Result) || read.SHA256 != read.sum() {
			t.Errorf("%q: read as %+v, %v", cell, read, err)
		}
		if again := b.results(cell); !again.Existing || !reflect.DeepEqual(again.Result, r.Result) || again.Path != r.Path || again.Name != b.job(Options{}).Name() {
			t.Errorf("%q: again %+v", cell, again)
		}
		if entries, err := os.ReadDir(b.dir); err != nil || len(entries) != 1 {
			t.Errorf("%q: %v are left, %v", cell, entries, err)
		}
	}
}

// Results of games that have the same states must have the same counts.
func TestResultsAgree(t *testing.T) {
	b := newBoards(t, 3)
	whole := b.results("")
	if whole.With == nil || len(whole.With.Cells) != 1 {
		t.Fatalf("%+v", whole.With)
	}
	half := whole.With.Cells[0]
	after := b.results(half)
	if !slices.Equal(whole.With.Classes, after.Classes) {
		t.Errorf("after %s: %+v, not %+v", half, after.Classes, whole.With.Classes)
	}
	forge := func(r *Result, path string) {
		r.SHA256 = r.sum()
		if err := r.save(path); err != nil {
			t.Fatal(err)
		}
	}
	taken := probetest.Mask(t, b.rules, half)
	cells := taken
	after.Classes[0].Wins++
	forge(after.Result, after.Path)
	if err := whole.agree(b.dir, b.rules, 0, cells); err == nil || !strings.Contains(err.Error(), "not those of "+after.Path) {
		t.Errorf("the half is counted otherwise: %v", err)
	}
	if err := after.agree(b.dir, b.rules, taken, 0); err == nil || !strings.Contains(err.Error(), "not those of "+whole.Path) {
		t.Errorf("the half of the whole is counted otherwise: %v", err)
	}
	after.Classes[0].Wins--
	forge(after.Result, after.Path)
	for name, err := range map[string]error{"the whole": whole.agree(b.dir, b.rules, 0, cells), "the half": after.agree(b.dir, b.rules, taken, 0), "another half": after.agree(b.dir, b.rules, taken<<1|taken>>1, 0)} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The half of the whole is another game's.
	other := map[bool]string{true: "a1", false: "b2"}[half != "a1"]
	if r := b.results(other); r.Existing {
		t.Errorf("%+v", r)
	}
	of := *whole.Result
	of.With = nil
	forge(&of, whole.Path)
	if err := after.agree(b.dir, b.rules, taken, 0); err != nil {
		t.Errorf("a whole without a half: %v", err)
	}
	b.taken, b.moves = taken, []string{half}
	for _, bad := range []string{"", "{}", "null", `{"sha256":"00"}`} {
		if err := os.WriteFile(after.Path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readResult(after.Path); !errors.Is(err, ErrResult) || !strings.HasPrefix(err.Error(), after.Path) {
			t.Errorf("%q: %v", bad, err)
		}
		if _, err := b.solve(Options{Keep: KeepResult}); !errors.Is(err, ErrResult) {
			t.Errorf("%q: %v", bad, err)
		}
		if p := b.job(Options{Keep: KeepResult}).Plan(); p.Possible || !errors.Is(p.Err, ErrResult) {
			t.Errorf("%q: %+v", bad, p)
		}
		if err := whole.agree(b.dir, b.rules, 0, cells); !errors.Is(err, ErrResult) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if r, err := readResult(filepath.Join(b.dir, "none")); r != nil || err != nil {
		t.Errorf("of nothing: %v, %v", r, err)
	}
	text, err := json.Marshal(after.Result)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"wins":`, `"wins":1`, 1)
	if err := os.WriteFile(after.Path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readResult(after.Path); !errors.Is(err, ErrResult) {
		t.Errorf("another number: %v", err)
	}
}

// An opening table has as many classes as fit, and with all it is an ordinary table.
func TestOpening(t *testing.T) {
	b := newBoards(t, 4)
	var none *OpeningError
	if _, err := b.solve(Options{Keep: KeepOpening, OpeningBytes: 1}); !errors.As(err, &none) || err.Error() != "no class of notakto 4×4 fits in 1 B" {
		t.Errorf("a byte: %v", err)
	}
	last := 0
	for _, bytes := range []int64{16 << 10, 48 << 10, 1 << 30} {
		b := newBoards(t, 4)
		o := Options{Keep: KeepOpening, OpeningBytes: bytes}
		p := b.job(o).Plan()
		if !p.Possible || p.Steps || !strings.Contains(p.What, "result and table of the ") || p.Work != WorkRaw || p.Written == 0 {
			t.Errorf("%d bytes: %+v", bytes, p)
		}
		r := b.must(o).(*Saved)
		if r.Opening == nil || r.Opening.Path != b.job(o).Path || r.Opening.Classes <= last || !strings.Contains(p.What, fmt.Sprintf("the %d emptiest", r.Opening.Classes)) {
			t.Fatalf("%d bytes: %+v", bytes, r.Opening)
		}
		last = r.Opening.Classes
		table, err := probe.OpenFile(r.Opening.Path)
		if err != nil {
			t.Fatal(err)
		}
		identity := table.Stored().Identity()
		if table.Classes() != r.Opening.Classes || table.Opening() != (r.Opening.Classes <= 8) || table.Stored().Bytes() != r.Opening.Bytes || r.Opening.Bytes > bytes || hex.EncodeToString(identity[:]) != r.Opening.Identity {
			t.Errorf("%d bytes: %+v, and a table of %d", bytes, r.Opening, table.Classes())
		}
		table.Close()
		s := StateOf(b.rules, 0, b.dir)
		if want := map[bool]int{true: last, false: 0}[last <= 8]; s.State != "solved" || s.Classes != want || s.Bytes != r.Opening.Bytes {
			t.Errorf("%d bytes: %+v", bytes, s)
		}
		if again := b.must(o).(*Saved); !again.Existing || again.Opening != nil {
			t.Errorf("again: %+v", again)
		}
		if last <= 8 { // an opening table is none of the board
			if s := b.must(Options{Force: true}).(*Summary); s.Existing || s.Classes != 9 {
				t.Errorf("the whole: %+v", s)
			}
		}
	}
	if last != 9 {
		t.Errorf("with all room it has %d classes", last)
	}
}

// An interrupted solve without a table resumes, and what is left of a finished one goes.
func TestOutOfCore(t *testing.T) {
	b := newBoards(t, 4)
	want := b.must(Options{Keep: KeepResult}).(*Saved)
	for _, work := range []string{WorkRaw, WorkPacked} {
		b := newBoards(t, 4)
		o := Options{Keep: KeepResult}
		pack(t, work == WorkPacked)
		ctx, cancel := context.WithCancel(t.Context())
		events := 0
		o.Engine.Progress = func(tablebase.Event) {
			if events++; events == 20 {
				cancel()
			}
		}
		if _, err := b.job(o).Solve(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		o.Engine.Progress = nil
		left, err := os.ReadDir(b.dir)
		if err != nil || len(left) == 0 {
			t.Fatalf("nothing is left: %v", err)
		}
		if p := b.job(o).Plan(); !p.Possible || p.Work != work {
			t.Errorf("%+v", p)
		}
		r := b.must(o).(*Saved)
		if r.Resumed == 0 || r.Work != work || r.SHA256 != want.SHA256 {
			t.Errorf("%+v", r)
		}
		if left, err := os.ReadDir(b.dir); err != nil || len(left) != 1 {
			t.Errorf("%v are left: %v", left, err)
		}
	}
	j := b.job(Options{Keep: KeepResult})
	if j.SharedDir() != strings.TrimSuffix(j.Path, ".tb")+".cluster" || b.job(Options{}).SharedDir() != j.Path+".cluster" || filepath.Dir(j.SavedMark()) != j.SharedDir() {
		t.Errorf("%s and %s", j.SharedDir(), j.SavedMark())
	}
	// Shared work without the mark that it is saved is kept, and else deleted.
	for _, saved := range []bool{false, true} {
		if err := os.MkdirAll(j.SharedDir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if saved {
			if err := os.WriteFile(j.SavedMark(), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if r := b.must(Options{Keep: KeepResult}).(*Saved); !r.Existing {
			t.Errorf("%+v", r)
		}
		_, err := os.Stat(j.SharedDir())
		if kept := err == nil; kept == saved || kept != (len(b.notices) == 1 && b.notices[0] == Kept{Path: j.SharedDir()}) {
			t.Errorf("saved is %t: %v, %v", saved, b.notices, err)
		}
	}
	j.Limit = Limit{Bytes: 1, Source: "for a test"}
	j.Engine.Memory, j.Force = 1, true
	var small *MemoryError
	if _, err := j.Solve(t.Context()); !errors.As(err, &small) || !errors.As(err, new(*Refusal)) || small.Need <= 1 {
		t.Errorf("a byte: %v", err)
	}
	j.Limit.Bytes, j.Engine.Memory = small.Need, small.Need
	if p := j.Plan(); !p.Possible || p.Memory != small.Need {
		t.Errorf("the least, %d: %+v", small.Need, p)
	}
	e := outOfCore{j}.estimate()
	e.free = e.work.Disk
	if err := (outOfCore{j}).check(e.o.Plan(j.Space), &e); err != nil {
		t.Errorf("just enough disk: %v", err)
	}
	e.free--
	if err := (outOfCore{j}).check(e.o.Plan(j.Space), &e); !errors.As(err, new(*DiskError)) || !strings.Contains(err.Error(), "the work files of notakto 4×4 take up to") {
		t.Errorf("a byte of disk too little: %v", err)
	}
}
