package probe

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
)

// A table with any byte changed or cut short at any length gives the right
// answer or an error.
func TestDamagedTables(t *testing.T) {
	whole := open(t, "quixo", 2, true)
	data, err := os.ReadFile(whole.stored.Path())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	path := filepath.Join(t.TempDir(), FileName(whole.rules.Info()))
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
		table, err := Open(filepath.Dir(path), whole.rules)
		if err != nil {
			refused++
			continue
		}
		for range 20 {
			p := RandomPosition(whole.rules, r)
			compareAnswers(t, table, whole, p)
		}
		table.Close()
	}
	if refused == 0 {
		t.Error("no damaged table was refused")
	}
}

func compareAnswers(t *testing.T, damaged, whole *Table, p game.Position) {
	t.Helper()
	got, err := damaged.value(p)
	if err != nil {
		return
	}
	if want, err := whole.value(p); got != want || err != nil {
		t.Errorf("%s: %v, not %v, %v", whole.rules.Format(p), got, want, err)
	}
}
