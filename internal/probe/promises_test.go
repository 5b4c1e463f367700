package probe_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// Values and batches of texts have the values and the errors that questions one by one have, in
// tables and from what is no table.
func TestValuesOfTexts(t *testing.T) {
	table := open(t, "quixo", 3, true)
	board, err := probe.NewBoard("quixo", 3, "")
	if err != nil {
		t.Fatal(err)
	}
	rater := knowing(table, probe.FromSearch, true, nil)
	rater.Rules = board.Rules()
	var texts []string
	for i, p := range randomPositions(table, 700) {
		if texts = append(texts, table.Rules().Format(p)); i%90 == 3 {
			texts = append(texts, "nonsense")
		}
	}
	for _, a := range []probe.Answerer{table, rater} {
		values, errs := make([]probe.Value, len(texts)), make([]error, len(texts))
		probe.Values(a, texts, values, errs)
		for i, text := range texts {
			want, err := a.Ask(text, probe.NoLine)
			if (err == nil) != (errs[i] == nil) || err != nil && err.Error() != errs[i].Error() || err == nil && values[i] != want.Value {
				t.Fatalf("%s is %v, %v; want %+v, %v", text, values[i], errs[i], want, err)
			}
		}
	}
	for _, alone := range []bool{true, false} {
		b, err := table.Prefetch(t.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }, alone)
		if err != nil {
			t.Fatal(err)
		}
		end := 501 + slices.Index(texts[500:], "nonsense")
		values, errs := make([]probe.Value, end-200), make([]error, end-200)
		b.Values(200, texts[200:end], values, errs)
		for i, text := range texts {
			want, err := table.Ask(text, probe.NoLine)
			got, moves, failure := b.AppendAsk([]byte("x"), i, text)
			if (err == nil) != (failure == nil) || err == nil && (string(got) != "x"+string(want.AppendJSON(nil)) || moves != len(want.Moves)) {
				t.Fatalf("%s is %s, %v; want %+v, %v", text, got, failure, want, err)
			}
			if i >= 200 && i < end && ((errs[i-200] == nil) != (err == nil) || err == nil && values[i-200] != want.Value) {
				t.Fatalf("%s is %v, %v; want %+v, %v", text, values[i-200], errs[i-200], want, err)
			}
		}
	}
}

// A value and a score are written as people read them.
func TestWords(t *testing.T) {
	for score, want := range map[probe.Number]string{{}: "-", probe.NewNumber(0): "0", probe.NewNumber(4): "+4", probe.NewNumber(-64): "-64"} {
		if score.Signed() != want {
			t.Errorf("%v, want %s", score, want)
		}
	}
	if value, known := probe.NewNumber(-3).Value(); value != -3 || !known || *probe.NewNumber(-3).Pointer() != -3 || (probe.Number{}).Pointer() != nil {
		t.Errorf("%d, %t", value, known)
	}
	for nimber, want := range map[probe.Number]string{{}: "-", probe.NewNumber(0): "0", probe.NewNumber(7): "7"} {
		if nimber.String() != want {
			t.Errorf("%v, want %s", nimber, want)
		}
	}
	got := string(probe.Value{Outcome: game.Draw, Steps: -1}.AppendJSON(nil)) + string(probe.Value{Outcome: game.Lose, Steps: 4}.AppendJSON(nil))
	if got != `{"outcome":"draw","steps":null}{"outcome":"lose","steps":4}` {
		t.Error(got)
	}
	ordered := []probe.Value{{game.Win, 1}, {game.Win, 3}, {game.Draw, -1}, {game.Lose, 4}, {game.Lose, 2}, {game.Lose, 0}}
	for i, v := range ordered {
		for j, w := range ordered {
			if c := v.Compare(w); (c < 0) != (i < j) || (c == 0) != (i == j) {
				t.Errorf("%v and %v: %d", v, w, c)
			}
		}
	}
}

// The default directory, directories that are none, and the sizes and moves of the tables in one.
func TestDirectories(t *testing.T) {
	t.Setenv(probe.DirVariable, "")
	if got := probe.DefaultDir(); got != "tables" {
		t.Errorf("the default is %s", got)
	}
	t.Setenv(probe.DirVariable, "/elsewhere")
	if got := probe.DefaultDir(); got != "/elsewhere" {
		t.Errorf("the default is %s", got)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"quixo-4x4.tb", "quixo-3x3.tb.zst", "quixo-3x3.tb", "quixo-5x5.tb.partial", "quixo-2x2.txt", "notakto-3x3.tb", "notakto-3x3-grundy.tb", "notakto-4x4-after-a1.tb", "notakto-4x4-after-a1-b3.tb.zst", "notakto-4x4-after-a1-b3.tb", "notakto-4x4-after-a9.tb"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for at, says := range map[string]string{dir: "", "tables": "", "./tables/": "", "none": "which does not exist", "quixo-4x4.tb": "which is not a directory", "https://example.org/none": ""} {
		err := probe.CheckDir(at)
		var e *probe.DirError
		if says == "" && err != nil || says != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", at, err, says)
		}
	}
	for _, test := range []struct {
		game, suffix string
		want         []int
	}{{"quixo", "", []int{3, 4}}, {"quixo", tablebase.PartialSuffix, []int{3, 4, 5}}, {"notakto", "", []int{3}}, {"nim", "", nil}} {
		if got := probe.SizesIn(dir, test.game, test.suffix); !slices.Equal(got, test.want) {
			t.Errorf("%s%s: %v, want %v", test.game, test.suffix, got, test.want)
		}
	}
	b, err := probe.NewBoard("notakto", 4, "")
	if err != nil {
		t.Fatal(err)
	}
	var e *probe.MissingError
	if err := b.Missing(dir); !errors.As(err, &e) || !slices.Equal(e.After, []string{"a1", "a1,b3"}) || e.Dir != dir || e.Unfinished {
		t.Errorf("%+v", err)
	}
	if err := b.Missing("none"); errors.As(err, &e) {
		t.Errorf("no directory: %v", err)
	}
	if err := b.Missing("https://me:secret@example.org/t"); !errors.As(err, &e) || e.Dir != "https://example.org/t" || e.After != nil {
		t.Errorf("%+v", err)
	}
	if err := b.MissingNimbers(dir); !errors.As(err, &e) || !e.Nimbers || e.Dir != dir {
		t.Errorf("%+v", err)
	}
	if err := b.MissingNimbers("none"); errors.As(err, &e) {
		t.Errorf("no directory: %v", err)
	}
}

// A board says what it is, and which file its table is.
func TestBoards(t *testing.T) {
	rules, dir := newRules(t, "notakto", 3), t.TempDir()
	probetest.Solve(t, dir, rules, 0, true)
	probetest.Solve(t, dir, rules, 1<<4, true)
	for after, start := range map[string]string{"": ".../.../...", "b2": ".../.X./..."} {
		b, err := probe.NewBoard("notakto", 3, after)
		if err != nil {
			t.Fatal(err)
		}
		table, err := b.OpenTable(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		s, err := b.Parse("startpos")
		if err != nil || b.Rules().Format(s) != start || b.Rules().Format(b.Start()) != start || table.Rules().Format(table.Start()) != start || table.Board() != b.String() {
			t.Errorf("%v starts with %v, %v", b, s, err)
		}
		if b.Strategy() != nil || b.Unsolvable() != nil || b.Info().Variant == "" || (b.Taken() != 0) != (after != "") {
			t.Errorf("%v: %v", b, b.Unsolvable())
		}
		of, err := probe.BoardOf(t.Context(), table.Stored().Path())
		if err != nil || of.String() != b.String() || of.Taken() != b.Taken() {
			t.Fatalf("%v, %v, want %v", of, err, b)
		}
		same, err := of.OpenTable(t.Context(), "/nowhere")
		if err != nil || same.Stored().Identity() != table.Stored().Identity() {
			t.Fatal(err)
		}
		same.Close()
	}
	if _, err := probe.BoardOf(t.Context(), filepath.Join(dir, "none.tb")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	large, err := probe.NewBoard("notakto", 8, "")
	if err != nil || large.Strategy() == nil || large.Unsolvable() == nil {
		t.Errorf("%v: %v", large, err)
	}
	if _, err := large.OpenTable(t.Context(), dir); err == nil {
		t.Error("a table that is too large is opened")
	}
	nim, err := probe.NewBoard("nim", 3, "")
	if err != nil || !errors.Is(nim.Unsolvable(), probe.ErrNoTableNeeded) || !strings.Contains(nim.Unsolvable().Error(), "answers for all its positions") {
		t.Errorf("%v: %v, %v", nim, err, nim.Unsolvable())
	}
	table := open(t, "notakto", 3, true)
	if _, _, err := table.Rate(nil, nil, nil); !errors.Is(err, probe.ErrPosition) {
		t.Errorf("the state of another game: %v", err)
	}
	if _, err := table.AskState(nil, nil, probe.NoLine); !errors.Is(err, probe.ErrPosition) {
		t.Errorf("the state of another game: %v", err)
	}
	if n, err := table.Nimber(game.Position{}); n != (probe.Number{}) || err != nil || table.HasNimbers() {
		t.Errorf("a nimber without a table of them: %v, %v", n, err)
	}
	if _, ok := table.NimbersIdentity(); ok {
		t.Error("a table without nimbers has an identity of them")
	}
	for name, want := range map[string]string{"4x5": "notakto-4x5.tb", "4": "notakto-4x4.tb"} {
		size, ok := game.ParseSize(name)
		if !ok {
			t.Fatal(name)
		}
		if got := probe.FileName(newRules(t, "notakto", int(size)).Info()); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Errors of what is missing name the board, and where it was looked for.
func TestMissingErrors(t *testing.T) {
	board := newRules(t, "notakto", 4).Info()
	for want, e := range map[string]error{
		"there is no table of notakto 4×4 in d":                      &probe.MissingError{Board: board, Dir: "d"},
		"there is no table of notakto 4×4 after b4 in d":             &probe.MissingError{Board: board, Dir: "d", Taken: 2},
		"there is no table of notakto 4×4 with nimbers in d":         &probe.MissingError{Board: board, Dir: "d", Nimbers: true},
		"the table of notakto 4×4 in d is not finished":              &probe.MissingError{Board: board, Dir: "d", Unfinished: true},
		"the table of notakto 4×4 with nimbers in d is not finished": &probe.MissingError{Board: board, Dir: "d", Unfinished: true, Nimbers: true},
		"the table of notakto 4×4 after b4 was solved without steps": &probe.StepsError{Board: board, Dir: "d", Taken: 2},
	} {
		if e.Error() != want || errors.Is(e, fs.ErrNotExist) == strings.Contains(want, "steps") {
			t.Errorf("%v, want %s", e, want)
		}
	}
}
