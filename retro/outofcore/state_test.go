package outofcore

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"backsolve/partition"
	"backsolve/tablebase"
)

// No number in a state, its checksum made right again, makes a solve panic.
func TestForgedState(t *testing.T) {
	space, err := partition.Named("notakto", 3)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "notakto-3x3")
	f, err := Open(path, space, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Solve(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	whole := f.state
	whole.Stages = whole.Stages[:len(whole.Stages)-1]
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(s *state){
		"more slices than stages": func(s *state) { s.Stages = nil },
		"more slice files":        func(s *state) { s.Kept = append(s.Kept, s.Kept...); s.Kept = append(s.Kept, s.Kept...) },
		"more stages":             func(s *state) { s.Stages = append(s.Stages, make([]ClassCounts, 99)...) },
		"fewer sums":              func(s *state) { s.Kept[0].Sums = s.Kept[0].Sums[1:] },
		"offsets without lengths": func(s *state) { s.Kept[0].Offsets = make([]int64, len(s.Kept[0].Sums)) },
		"another class":           func(s *state) { s.Stages[0].Class = math.MaxInt },
		"more index bits":         func(s *state) { s.Stages[0].IndexBits = math.MaxInt },
		"fewer counts":            func(s *state) { s.Stages[0].Counts = tablebase.Counts{} },
		"more blocks":             func(s *state) { s.Stages[len(s.Stages)-1].Blocks = math.MaxInt },
	} {
		text, err := json.Marshal(whole)
		var s state
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		change(&s)
		s.SHA256 = s.sum()
		if text, err = json.Marshal(s); err == nil {
			err = os.WriteFile(path+stateSuffix, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if f, err := Open(path, space, false); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
			if err == nil {
				f.Close()
			}
		}
	}
}
