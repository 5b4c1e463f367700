package probe_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase/writer"
)

// TestPacked answers from a packed table, which is used if there is no other.
func TestPacked(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	solvedIn := solvedIn(t, rules, true)
	dir := t.TempDir()
	path := filepath.Join(dir, probe.FileName(rules.Info()))
	data, err := os.ReadFile(filepath.Join(solvedIn, probe.FileName(rules.Info())))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	packed, err := writer.Pack(context.Background(), path, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	openIn := func() *probe.Table {
		table, err := probe.Open(dir, rules)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return table
	}
	plain := openIn()
	if got := plain.Stored().Path(); got != path {
		t.Errorf("beside a packed table %s is opened", got)
	}
	plain.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	table, want := openIn(), open(t, "quixo", 3, true)
	if got := table.Stored().Path(); got != packed {
		t.Errorf("%s is opened, not %s", got, packed)
	}
	for _, p := range randomPositions(want, 500) {
		a, err := table.Answer(p)
		b, wrong := want.Answer(p)
		if err != nil || wrong != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s: %v, %v, want %v, %v", rules.Format(p), a, err, b, wrong)
		}
	}
}

// Many positions of a packed table are looked up in the order of the file: each frame is unpacked about
// once, however they are drawn. The answers are those of the unpacked table, up to the first that is
// wrong.
func TestValuesOfPacked(t *testing.T) {
	whole := open(t, "notakto", 4, true)
	path, _ := copied(t, whole)
	for _, archive := range []bool{false, true} {
		packed, err := writer.Pack(t.Context(), path, archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		table, err := probe.OpenFile(packed)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if !table.Stored().Unpacks() || whole.Stored().Unpacks() {
			t.Error("only the packed table unpacks")
		}
		checkValues(t, table)
		if err := os.Remove(packed); err != nil {
			t.Fatal(err)
		}
	}
}
