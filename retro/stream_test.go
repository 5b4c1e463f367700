package retro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

func spaceAfter(t *testing.T, n int, taken uint64) (game.Grid, partition.Space) {
	t.Helper()
	rules, _ := newSpace(t, "notakto", n)
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		t.Fatal(err)
	}
	return rules, space
}

// Games of Notakto that go on after given moves.
var afterBoards = []struct {
	n     int
	taken uint64
}{{3, 0}, {4, 0}, {5, 0}, {4, 1 << 5}, {5, 1 << 12}, {5, 1 << 3}, {5, 1<<0 | 1<<13}}

// What is solved after given moves is what the whole table says.
func TestAfterAgreesWithTheWholeTable(t *testing.T) {
	for _, b := range afterBoards {
		for _, steps := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d-%x/steps=%v", b.n, b.taken, steps), func(t *testing.T) {
				rules, space := spaceAfter(t, b.n, b.taken)
				whole := solveBoard(t, "notakto", b.n, steps)
				path, _ := solve(t, space, Options{Steps: steps})
				after := &solved{t, rules, space, openTable(t, path)}
				free := bitboard.All(b.n) &^ b.taken
				// All positions of the smaller boards, every so-manyth of 5×5.
				stride := uint64(1)
				if b.n == 5 {
					stride = 991
				}
				for rest := uint64(0); rest < 1<<uint(b.n*b.n); rest += stride {
					p := game.Position{X: rest&free | b.taken}
					if got, want := after.value(p), whole.value(p); got != want {
						t.Fatalf("%s: %v after the moves, %v in the whole table", rules.Format(p), got, want)
					}
				}
			})
		}
	}
}

// streamed solves a space by Stream with memory for so many blocks.
func streamed(t *testing.T, space partition.Space, path string, blocks int64, o Options) (*StreamResult, error) {
	t.Helper()
	_, least := StreamNeed(space, o)
	slice := int64(bitslice.Words(space.IndexBits[0])) * 8
	o.Memory = least + blocks*(slice+blockOverhead(space))
	return Stream(context.Background(), space, path, o)
}

// A streamed solve has the counts of a solve into a table, however few blocks fit
// in memory.
func TestStreamAgreesWithSolve(t *testing.T) {
	for _, b := range append(afterBoards, struct {
		n     int
		taken uint64
	}{6, 1 << 0}) {
		if b.n == 6 && (testing.Short() || raceEnabled) {
			continue
		}
		t.Run(fmt.Sprintf("%d-%x", b.n, b.taken), func(t *testing.T) {
			_, space := spaceAfter(t, b.n, b.taken)
			path, _ := solve(t, space, Options{})
			table := openTable(t, path)
			want := classCounts(table.Classes())
			at := space.Locate(game.Position{X: b.taken})
			entry, err := table.Lookup(at.Class, 0, uint64(at.Index))
			if err != nil {
				t.Fatal(err)
			}
			memories := []int64{0, 3, 100_000}
			if b.n == 6 {
				memories = []int64{500, 100_000}
			}
			for _, blocks := range memories {
				dir := t.TempDir()
				got, err := streamed(t, space, filepath.Join(dir, "s"), blocks, Options{Threads: 3, Stripes: 2})
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.Classes, want) {
					t.Errorf("memory for %d blocks more: other counts than those of the table", blocks)
				}
				if got.Won != (entry.Outcome == game.Win) {
					t.Errorf("the start is won: %v, the table says %v", got.Won, entry.Outcome)
				}
				if left, _ := os.ReadDir(dir); len(left) != 0 {
					t.Errorf("work files are left: %v", left)
				}
			}
		})
	}
}

func classCounts(infos []tablebase.ClassInfo) (c []ClassCounts) {
	for _, i := range infos {
		c = append(c, ClassCounts{i.Class, i.IndexBits, i.Blocks, i.Counts})
	}
	return c
}

// A streamed solve that is interrupted resumes and ends with the same counts.
func TestStreamResumes(t *testing.T) {
	_, space := spaceAfter(t, 5, 1<<12)
	want, err := Stream(context.Background(), space, filepath.Join(t.TempDir(), "s"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	path, interrupted := filepath.Join(t.TempDir(), "s"), 0
	for {
		ctx, stop := context.WithCancelCause(context.Background())
		events := 0
		got, err := Stream(ctx, space, path, Options{Progress: func(Event) {
			if events++; events == 40+interrupted {
				stop(errStop)
			}
		}})
		stop(nil)
		if err == nil {
			if interrupted == 0 || got.Resumed == 0 {
				t.Errorf("interrupted %d times, resumed after %d classes", interrupted, got.Resumed)
			}
			if !reflect.DeepEqual(got.Classes, want.Classes) || got.Won != want.Won {
				t.Error("other counts after interruptions")
			}
			return
		}
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		if interrupted++; interrupted > 300 {
			t.Fatal("the solve does not get on")
		}
	}
}

// Damage to the work files is found, never counted.
func TestStreamFindsDamage(t *testing.T) {
	_, space := spaceAfter(t, 5, 1<<12)
	path := filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancelCause(context.Background())
	_, err := Stream(ctx, space, path, Options{Progress: func(e Event) {
		if e.Class == 4 && !e.Sealed {
			stop(errStop)
		}
	}})
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	class := path + ".class-05"
	b := contents(t, class)
	b[len(b)/2] ^= 4
	if err := os.WriteFile(class, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Stream(context.Background(), space, path, Options{}); err == nil {
		t.Fatal("a flipped bit in a work file went unnoticed")
	} else {
		t.Log(err)
	}
}
