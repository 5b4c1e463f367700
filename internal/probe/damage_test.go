package probe_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// TestDamagedTables changes any byte of a table, or truncates it at any length. Answers are
// right or errors.
func TestDamagedTables(t *testing.T) {
	whole := open(t, "quixo", 2, true)
	data, err := os.ReadFile(whole.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	path := filepath.Join(t.TempDir(), probe.FileName(whole.Rules().Info()))
	refused := 0
	for i := range 600 {
		damaged, at := append([]byte(nil), data...), r.IntN(len(data))
		if i%3 == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= byte(1 + r.IntN(255))
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := probe.Open(filepath.Dir(path), whole.Rules())
		if err != nil {
			refused++
			continue
		}
		if i%2 == 0 {
			table.Number()
		}
		for range 20 {
			p := probe.RandomPosition(whole.Rules(), r)
			compareAnswers(t, table, whole, p)
		}
		table.Close()
	}
	if refused == 0 {
		t.Error("no damaged table was refused")
	}
}

func compareAnswers(t *testing.T, damaged, whole *probe.Table, p game.Position) {
	t.Helper()
	got, err := damaged.Value(p)
	if err != nil {
		return
	}
	if want, err := whole.Value(p); got != want || err != nil {
		t.Errorf("%s: %v, not %v, %v", whole.Rules().Format(p), got, want, err)
	}
	answer, err := damaged.AppendAnswer(nil, p)
	if want, wrong := whole.AppendAnswer(nil, p); err == nil && (string(answer) != string(want) || wrong != nil) {
		t.Errorf("%s, not %s, %v", answer, want, wrong)
	}
}
