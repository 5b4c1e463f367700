package retro

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
)

// recorded is a record of the atlas: a table with its length, its identity and, by nimber, its
// states.
type recorded struct {
	Solve    string   `json:"solve"` // arguments of tbsolve
	Bytes    int64    `json:"bytes"`
	Identity string   `json:"identity"`
	Nimbers  []uint64 `json:"nimbers"`
	// game, size and kind, which is a flag or nothing, are the words of Solve.
	game, kind string
	size       game.Size
}

// atlas returns the records of tables of a kind: --steps, --grundy or nothing.
func atlas(t *testing.T, kind string) (all []recorded) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "reports", "atlas", "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for from := json.NewDecoder(bytes.NewReader(text)); ; {
		var r recorded
		if err := from.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		words := append(strings.Fields(r.Solve), "")
		if r.game, r.kind = words[0], words[2]; r.Bytes > 0 && r.kind == kind {
			if r.size, _ = game.ParseSize(words[1]); r.size == 0 {
				t.Fatalf("%q names no board", r.Solve)
			}
			all = append(all, r)
		}
	}
}

// large reports whether a table takes too long for this run of the tests. Of boards that are not n×n
// there are so many that only the smallest are solved each time.
func (r *recorded) large() bool {
	most := int64(300 << 20)
	switch plain := r.size.Plain(); {
	case testing.Short():
		most = 100_000
	case os.Getenv("BACKSOLVE_LONG") == "" && plain:
		most = 10 << 20
	case os.Getenv("BACKSOLVE_LONG") == "":
		most = 300_000
	}
	return r.Bytes > most
}

// Tables with steps have the recorded lengths and identities.
func TestIdentities(t *testing.T) {
	tables := 0
	for _, want := range atlas(t, "--steps") {
		if want.large() {
			continue
		}
		tables++
		_, space := newSpace(t, want.game, int(want.size))
		_, r := solve(t, space, Options{Steps: true})
		if got := hex.EncodeToString(r.Identity[:]); got != want.Identity || r.Bytes != want.Bytes {
			t.Errorf("%s: %d bytes with the identity %s, recorded are %d and %s", want.Solve, r.Bytes, got, want.Bytes, want.Identity)
		}
	}
	if tables < 40 {
		t.Errorf("only %d identities are recorded", tables)
	}
}
