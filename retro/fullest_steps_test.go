package retro

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// SHA-256 over the counts by steps of classes 25 to 22 of Quixo 5×5. An engine without logs, which
// held the steps of the class above in memory, wrote the same bytes.
const fullestSteps = "aab99f9451a909bab4d523ee2ac61ef4011cfe692fe5d5f262e92b88e741ca1d"

// The fullest classes of Quixo 5×5 have the counts above, and random states agree with their
// children.
func TestFullestStepsOfQuixo5(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" || testing.Short() {
		t.Skip("takes a minute; set BACKSOLVE_LONG=1, without the race detector, to run it")
	}
	rules, space := newSpace(t, "quixo", 5)
	w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, true), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(context.Background(), space, w, Options{Steps: true, DownTo: 22, LogPath: filepath.Join(t.TempDir(), "log")}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, c := range w.Sealed() {
		fmt.Fprintln(&text, c.Class, c.Counts.BySteps)
	}
	sum := sha256.Sum256(text.Bytes())
	if got := hex.EncodeToString(sum[:]); got != fullestSteps {
		t.Errorf("the counts by steps have the sum %s, want %s", got, fullestSteps)
	}
	deriveSteps(t, rules, space, w)
}

// deriveSteps derives states of the sealed classes, except the fullest, from the rules and the
// stored values of their children.
func deriveSteps(t *testing.T, rules game.Grid, space *partition.Space, w *writer.Writer) {
	cut, err := partition.NewCut(space)
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Free()
	var planes []tablebase.Planes
	for i, c := range w.Sealed() {
		var p tablebase.Planes
		if err := w.LoadRun(i, 0, c.Blocks, &p); err != nil {
			t.Fatal(err)
		}
		planes = append(planes, p)
	}
	value := func(p game.Position) (outcome game.Outcome, steps int) {
		class, block, index := cut.Find(p)
		stored := planes[space.MaskBits-class]
		word, bit := block*cut.Class(class).Words()+int(index>>6), index&63
		has := func(plane []uint64) bool { return plane[word]>>bit&1 == 1 }
		for d, digit := range stored.Steps {
			if has(digit) {
				steps |= 1 << uint(d)
			}
		}
		switch {
		case has(stored.Win):
			return game.Win, steps
		case has(stored.Lose):
			return game.Lose, steps
		}
		return game.Draw, -1
	}
	r := rand.New(rand.NewPCG(5, 25))
	var moves []game.Move
	for range 200_000 {
		class := 22 + r.IntN(4)
		c := cut.Class(class)
		p := space.Position(partition.State{Class: class, Mask: c.Masks[r.IntN(len(c.Masks))], Index: uint32(r.Uint64N(1 << uint(c.IndexBits)))})
		outcome, steps := value(p)
		want, least, most := game.Lose, -1, 0
		if over, is := rules.Terminal(p); is {
			want, least = over, 0
		} else {
			moves = rules.Moves(moves[:0], p)
			for _, m := range moves {
				switch child, n := value(rules.Play(p, m)); {
				case child == game.Lose && (want != game.Win || n+1 < least):
					want, least = game.Win, n+1
				case child == game.Draw && want == game.Lose:
					want = game.Draw
				case child == game.Win:
					most = max(most, n+1)
				}
			}
			if want == game.Lose {
				least = most
			}
		}
		if want == game.Draw {
			least = -1
		}
		if outcome != want || steps != least {
			t.Fatalf("%s: %v in %d is stored, %v in %d is right", rules.Format(p), outcome, steps, want, least)
		}
	}
}
