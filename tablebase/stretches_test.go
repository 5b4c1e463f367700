package tablebase

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

// twoPlanes returns the classes of openingTable with a plane of lost states, as of a game with
// draws.
func twoPlanes() (Shape, []sealed) {
	classes := openingTable()
	for i := range classes {
		p := &classes[i].planes
		p.Lose = make([]uint64, len(p.Win))
		for w, win := range p.Win {
			p.Lose[w] = ^win & 0x5555555555555555
			if classes[i].class.IndexBits == 3 {
				p.Lose[w] &= 255
			}
		}
		for w := range classes[i].counts.ByWeight {
			t := &classes[i].counts.ByWeight[w]
			t.Draws, t.Losses = t.Losses-t.Losses/2, t.Losses/2
		}
	}
	return Shape{Game: "quixo", Size: 4, Planes: 2, Opening: true}, classes
}

// A class that is written stretch by stretch, in whatever order, has the bytes of one that is
// sealed at once.
func TestStretchesAreSeal(t *testing.T) {
	two, classesOfTwo := twoPlanes()
	for _, table := range []struct {
		shape   Shape
		classes []sealed
	}{{openingShape, openingTable()}, {two, classesOfTwo}} {
		path := filepath.Join(t.TempDir(), "t.tb")
		w := create(t, path, table.shape, false)
		for _, c := range table.classes {
			begun, err := w.Begin(c.class)
			if err != nil {
				t.Fatal(err)
			}
			words, step := len(c.planes.Win), StretchWords
			if words < step && c.class.Class == 2 {
				t.Fatalf("class 2 has %d words: one stretch", words)
			}
			starts := []int{}
			for at := 0; at < words; at += step {
				starts = append(starts, at)
			}
			slices.Reverse(starts)
			for _, at := range starts {
				if err := begun.Seal(c.counts); !errors.Is(err, ErrInput) {
					t.Errorf("with a stretch missing: %v", err)
				}
				end := min(at+step, words)
				var lose []uint64
				if c.planes.Lose != nil {
					lose = c.planes.Lose[at:end]
				}
				if err := begun.Write(at, c.planes.Win[at:end], lose); err != nil {
					t.Fatal(err)
				}
			}
			if err := begun.Seal(c.counts); err != nil {
				t.Fatal(err)
			}
			if err := begun.Seal(c.counts); !errors.Is(err, ErrInput) {
				t.Errorf("sealed twice: %v", err)
			}
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, path), read(t, write(t, table.shape, table.classes))) {
			t.Errorf("%v: stretch by stretch the table has other bytes", table.shape)
		}
	}
}

// What cannot be is refused, and what was begun and not sealed leaves the writer as it was.
func TestStretchesRefuse(t *testing.T) {
	classes := openingTable()
	c := classes[0]
	w := create(t, filepath.Join(t.TempDir(), "t.tb"), openingShape, false)
	begun, err := w.Begin(c.class)
	if err != nil {
		t.Fatal(err)
	}
	words := len(c.planes.Win)
	for name, test := range map[string]struct {
		first     int
		win, lose []uint64
	}{
		"between stretches":  {1, c.planes.Win[1:], nil},
		"a part of one":      {0, c.planes.Win[:5], nil},
		"beyond the end":     {0, append(slices.Clone(c.planes.Win), 0), nil},
		"behind the end":     {(words/StretchWords + 1) * StretchWords, []uint64{1}, nil},
		"before the first":   {-StretchWords, c.planes.Win[:StretchWords], nil},
		"nothing":            {0, nil, nil},
		"with another plane": {0, c.planes.Win, c.planes.Win},
	} {
		if err := begun.Write(test.first, test.win, test.lose); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := begun.Write(0, c.planes.Win, nil); err != nil {
		t.Fatal(err)
	}
	if err := begun.Seal(classes[1].counts); !errors.Is(err, ErrInput) {
		t.Errorf("with other counts: %v", err)
	}
	if _, err := w.Begin(Class{2, 15, []uint64{4, 1}}); !errors.Is(err, ErrInput) {
		t.Errorf("masks that descend: %v", err)
	}
	// Another class takes its place.
	if err := w.Seal(c.class, c.planes, c.counts); err != nil {
		t.Fatal(err)
	}
	if err := begun.Seal(c.counts); !errors.Is(err, ErrInput) {
		t.Errorf("in the place of another one: %v", err)
	}
	two, _ := twoPlanes()
	both := create(t, filepath.Join(t.TempDir(), "t.tb"), two, false)
	if begun, err = both.Begin(classes[1].class); err != nil {
		t.Fatal(err)
	}
	if err := begun.Write(0, []uint64{1, 1, 1}, []uint64{0, 3, 0}); !errors.Is(err, ErrInput) {
		t.Errorf("won and lost: %v", err)
	}
	for name, w := range map[string]*Writer{
		"with steps": create(t, filepath.Join(t.TempDir(), "t.tb"), quixoShape, false),
		"packed":     create(t, filepath.Join(t.TempDir(), "t.tb"+PackedSuffix), notaktoShape, false),
	} {
		if _, err := w.Begin(classes[1].class); !errors.Is(err, ErrInput) || w.TakesStretches() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An error of the disk is told as one, and what is written again then is whole.
func TestStretchesOfAFullDisk(t *testing.T) {
	c := openingTable()[0]
	w := create(t, filepath.Join(t.TempDir(), "t.tb"), openingShape, false)
	begun, err := w.Begin(c.class)
	if err != nil {
		t.Fatal(err)
	}
	partial := w.partial
	w.partial = full{partial}
	if err := begun.Write(0, c.planes.Win, nil); !errors.Is(err, errFullDisk) || errors.Is(err, ErrInput) {
		t.Errorf("%v", err)
	}
	w.partial = partial
	if err := begun.Write(0, c.planes.Win, nil); err != nil {
		t.Fatal(err)
	}
	if err := begun.Seal(c.counts); err != nil {
		t.Error(err)
	}
}

var errFullDisk = errors.New("no room")

// full is a file on a disk without room.
type full struct{ file }

func (full) WriteAt([]byte, int64) (int, error) { return 0, errFullDisk }
