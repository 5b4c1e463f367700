package catalog

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples"
	"backsolve/game/examples/hounds"
	"backsolve/game/games"
	"backsolve/game/wasm"
	"backsolve/internal/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// solveHounds writes the table of a game that is defined by its positions.
func solveHounds(t *testing.T, dir string) (path string) {
	t.Helper()
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "hounds.tb")
	if err := generic.Make(t.Context(), path, "", custom.NewRules(hounds.Game{}), generic.Options{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// A sparse table is listed, answers, is summarized, and goes when its file goes.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	path := solveHounds(t, dir)
	c, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list := c.List().Tables
	if len(list) != 1 || list[0].Err != nil || !list[0].Sparse || list[0].Value.Steps != 23 || list[0].States != 1111 {
		t.Fatalf("the list is %+v", list)
	}
	h, err := c.Find("hounds", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if h.Table() != nil || !h.Stored() || h.Identity() != list[0].Identity || h.String() != "hounds" {
		t.Errorf("the handle is %v with identity %s", h, h.Identity())
	}
	a, err := h.Answerer().Ask("startpos moves a2b2", probe.NoLine)
	if err != nil || a.Steps != 22 || len(a.Moves) != 3 {
		t.Errorf("the answer is %+v: %v", a, err)
	}
	stats, err := h.Stats(context.Background())
	if err != nil || stats.Total.Wins+stats.Total.Losses+stats.Total.Draws != 1111 || stats.LongestWin == nil {
		t.Fatalf("the summary is %+v: %v", stats, err)
	}
	longest, err := h.Answerer().Ask(stats.LongestWin.Position, probe.NoLine)
	if err != nil || longest.Steps != stats.LongestWin.Steps || longest.Outcome.String() != "win" {
		t.Errorf("%s is no longest win: %+v: %v", stats.LongestWin.Position, longest, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c.Scan()
	if _, err := c.Find("hounds", 1, ""); !errors.As(err, new(*probe.MissingError)) {
		t.Errorf("without the file: %v", err)
	}
	if _, err := h.Answerer().Ask("startpos", probe.NoLine); err != nil {
		t.Errorf("a table in use was closed: %v", err)
	}
	h.Release()
}

// renamed returns take-21 under another name of as many letters, which are of two bytes there.
func renamed(source []byte, name string) []byte {
	wide := func(text string) (b []byte) {
		for i := range len(text) {
			b = append(b, text[i], 0)
		}
		return b
	}
	return bytes.Replace(source, wide("take-21"), wide(name), 1)
}

// The table of a file of rules is served if the file is beside it.
func TestRulesBeside(t *testing.T) {
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../../game/wasm/testdata/take21.wasm")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := wasm.New(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	beside := filepath.Join(dir, "take-21.tb.wasm")
	err = errors.Join(generic.Make(t.Context(), filepath.Join(dir, "take-21.tb"), "", rules.Numbers(), generic.Options{}), os.WriteFile(beside, source, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h, err := c.Find("take-21", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := h.Answerer().Ask("18", probe.NoLine); err != nil || a.Steps != 9 {
		t.Errorf("18 is answered by %+v, %v", a, err)
	}
	h.Release()

	// Rules without a table name a game, too, but never one that is built in.
	later := filepath.Join(dir, "take-22.tb.wasm")
	if err := os.WriteFile(later, renamed(source, "take-22"), 0o666); err != nil {
		t.Fatal(err)
	}
	c.Scan()
	if _, err := games.Lookup("take-22"); err != nil {
		t.Error(err)
	}
	if _, err := games.AddRules(bytes.NewReader(renamed(source, "notakto")), "", ""); !errors.As(err, new(*custom.Fault)) {
		t.Errorf("notakto is replaced: %v", err)
	}

	if err := os.WriteFile(beside, source[:len(source)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if list := again.List().Tables; len(list) != 1 || !errors.As(list[0].Err, new(*custom.Fault)) {
		t.Errorf("with damaged rules: %+v", list)
	}
}

// Rules that are wrong are compiled once, beside a table and without one, until they are others.
func TestWrongRulesBeside(t *testing.T) {
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../../game/wasm/testdata/take21.wasm")
	if err != nil {
		t.Fatal(err)
	}
	read, right := 0, games.ReadRules
	defer func() { games.ReadRules = right }()
	games.ReadRules = func(rules []byte) (custom.Listed, error) {
		read++
		return right(rules)
	}
	dir := t.TempDir()
	for _, name := range []string{"take-31.tb", "take-31.tb.wasm", "take-32.tb.wasm"} {
		if err := os.WriteFile(filepath.Join(dir, name), source[:len(source)-1], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		c.Scan()
	}
	if list := c.List().Tables; read != 2 || len(list) != 1 || !errors.As(list[0].Err, new(*custom.Fault)) {
		t.Errorf("two files are compiled %d times: %+v", read, list)
	}
	if err := os.WriteFile(filepath.Join(dir, "take-32.tb.wasm"), renamed(source, "take-32"), 0o666); err != nil {
		t.Fatal(err)
	}
	c.Scan()
	if _, err := games.Lookup("take-32"); err != nil || read != 3 {
		t.Errorf("%v, and compiled %d times", err, read)
	}
}

// A sparse table of another game, a damaged one and one behind a link are listed with errors.
func TestSparseRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take rights on Windows")
	}
	outside, dir := t.TempDir(), t.TempDir()
	path := solveHounds(t, outside)
	if err := os.Symlink(path, filepath.Join(dir, "hounds.tb")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("chomp-4x4.tb", content)
	write("morris-3.tb", content[:len(content)-1])
	c, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]error{"hounds": ErrLink, "chomp-4x4": probe.ErrOtherBoard, "morris-3": tablebase.ErrTruncated} {
		if _, err := c.Find(name, 1, ""); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
