package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/tablebase"
)

// hands is a crew of some hands, who settle parts of any length in any order and know of
// each other what was made a part of.
type hands struct {
	t      *testing.T
	random *rand.Rand
	hands  []*Hand
	most   int // blocks of a part
	above  []*Part
}

func (h *hands) Settle(_ context.Context, b *Blocks) error {
	for _, p := range h.above {
		again, err := b.Above(p.First, p.Blocks())
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(p, again) {
			h.t.Errorf("class %d, block %d: what the solve has is another part: got %+v\nwant %+v", p.Class, p.First, again, p)
		}
	}
	var parts []*Part
	for _, run := range h.runs(b.Len()) {
		hand := h.hands[h.random.IntN(len(h.hands))]
		p, err := h.settle(hand, b.Class(), run[0], run[1])
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	for _, p := range parts {
		if err := b.Take(p); err != nil {
			return err
		}
		if h.random.IntN(8) == 0 { // as where somebody finds that it was made wrong
			if err := errors.Join(h.miscounts(b, p), b.Count(p), b.Drop(p.First, p.Blocks()), b.Take(p)); err != nil {
				return err
			}
		}
	}
	h.above = parts
	return nil
}

// miscounts wants that a flipped bit of any plane of a part is found.
func (h *hands) miscounts(b *Blocks, p *Part) error {
	wrong := copied(p)
	planes := append(wrong.Digits, wrong.Win)
	plane := planes[h.random.IntN(len(planes))]
	plane[h.random.IntN(len(plane))] ^= 1 << h.random.IntN(min(64, 1<<b.job.class.IndexBits))
	if err := b.Count(wrong); !errors.Is(err, ErrMiscounted) {
		return fmt.Errorf("class %d: a flipped bit is not found: %v", p.Class, err)
	}
	return nil
}

// runs cuts so many blocks into parts, first and length, in any order.
func (h *hands) runs(blocks int) (all [][2]int) {
	for first := 0; first < blocks; {
		n := min(1+h.random.IntN(h.most), blocks-first)
		all = append(all, [2]int{first, n})
		first += n
	}
	h.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// settle has a hand settle blocks, and copies the part.
func (h *hands) settle(hand *Hand, class, first, blocks int) (*Part, error) {
	if hand.Class() != class {
		if err := hand.Begin(class); err != nil {
			return nil, err
		}
	}
	needs, err := hand.Needs(first, blocks)
	if err != nil {
		return nil, err
	}
	if len(needs) > 0 {
		if _, err := hand.Settle(first, blocks); err == nil || !strings.Contains(err.Error(), "are missing") {
			h.t.Errorf("class %d is settled without the class above: %v", class, err)
		}
	}
	for _, p := range h.above {
		if slices.ContainsFunc(needs, func(block int) bool { return block >= p.First && block < p.First+p.Blocks() }) {
			if err := hand.Take(p); err != nil {
				return nil, err
			}
		}
	}
	for range h.random.IntN(2) { // as it is when a message has got lost
		if _, err := hand.Settle(first, blocks); err != nil {
			return nil, err
		}
	}
	p, err := hand.Settle(first, blocks)
	if err != nil {
		return nil, err
	}
	return copied(p), nil
}

// copied returns a part that stays as it is.
func copied(p *Part) *Part {
	made := *p
	made.Win, made.Digits = slices.Clone(p.Win), nil
	for _, plane := range p.Digits {
		made.Digits = append(made.Digits, slices.Clone(plane))
	}
	return &made
}

// A table has the same bytes whoever settles its blocks.
func TestHandsSettleWhatThreadsDo(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5} {
		if n == 5 && raceEnabled {
			t.Skip("takes long under the race detector")
		}
		for _, o := range []Options{{}, {Steps: true}, {Nimbers: true}} {
			_, space := newSpace(t, "notakto", n)
			table := func(o Options) []byte {
				path := filepath.Join(t.TempDir(), "table.tb")
				s := shape(space, o.Steps)
				s.Nimbers = o.Nimbers
				w, err := tablebase.Create(path, s, false)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if _, err := Solve(t.Context(), space, w, o); err != nil {
					t.Fatal(err)
				}
				return contents(t, path)
			}
			want := table(o)
			for seed := range uint64(3) {
				crew := &hands{t: t, random: rand.New(rand.NewPCG(seed, uint64(n))), most: 1 + int(seed)*4}
				for i := range 1 + seed {
					limited := o
					limited.Threads = int(i) + 1
					if i%2 == 0 { // the others have room to keep what they settle
						limited.Memory = HandNeed(space, Options{Steps: o.Steps, Nimbers: o.Nimbers, Threads: int(i) + 1}, 1<<20)
					}
					hand, err := NewHand(t.Context(), space, limited)
					if err != nil {
						t.Fatal(err)
					}
					defer hand.Close()
					crew.hands = append(crew.hands, hand)
				}
				shared := o
				shared.Crew = crew
				if got := table(shared); !bytes.Equal(got, want) {
					t.Errorf("notakto %d, %+v: %d hands made another table", n, o, len(crew.hands))
				}
			}
		}
	}
}

// A hand with room needs nothing handed in of what it has settled itself, and gives that up
// rather than go beyond its limit.
func TestHandKeepsWhatItSettles(t *testing.T) {
	_, space := newSpace(t, "notakto", 5)
	o := Options{Steps: true, Threads: 1}
	for _, limit := range []int64{0, HandNeed(space, o, 1<<20)} {
		o.Memory = limit
		hand, err := NewHand(t.Context(), space, o)
		if err != nil {
			t.Fatal(err)
		}
		defer hand.Close()
		var above []*Part
		asked := 0
		for class := space.MaskBits; class >= 0; class-- {
			if err := hand.Begin(class); err != nil {
				t.Fatal(err)
			}
			needs, err := hand.Needs(0, hand.Len(class))
			if err != nil {
				t.Fatal(err)
			}
			if asked += len(needs); len(needs) > 0 {
				for _, p := range above {
					if err := hand.Take(p); err != nil {
						t.Fatal(err)
					}
				}
			}
			p, err := hand.Settle(0, hand.Len(class))
			if err != nil {
				t.Fatal(err)
			}
			above = []*Part{copied(p)}
		}
		if kept := asked == 0; kept != (limit == 0) {
			t.Errorf("with a limit of %d it needs %d blocks that it has settled itself", limit, asked)
		}
	}
}

// meddler is a crew that does something else than it should.
type meddler struct {
	do func(b *Blocks, whole *Part) error
}

func (m meddler) Settle(ctx context.Context, b *Blocks) error {
	whole := &Part{Class: b.Class(), Words: b.job.level.words, Win: make([]uint64, b.Len()*b.job.level.words)}
	whole.Tally.Reset(b.job.class.IndexBits, 0)
	whole.Tally.Trim()
	return m.do(b, whole)
}

// What is no part of a class, comes twice or does not come at all is found.
func TestCrewIsChecked(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	for says, do := range map[string]func(b *Blocks, whole *Part) error{
		"are not settled":        func(*Blocks, *Part) error { return nil },
		"1 blocks of class 6":    func(b *Blocks, _ *Part) error { return b.Settle(0, max(1, b.Len()-1)) },
		"is settled twice":       func(b *Blocks, p *Part) error { return errors.Join(b.Settle(0, b.Len()), b.Take(p)) },
		"has no blocks":          func(b *Blocks, p *Part) error { return b.Settle(0, b.Len()+1) },
		"is none of class 8":     func(b *Blocks, p *Part) error { p.Class = 7; return b.Take(p) },
		"has no 2 blocks":        func(b *Blocks, p *Part) error { p.Win = append(p.Win, p.Win...); return b.Take(p) },
		"nobody asked for":       func(b *Blocks, p *Part) error { p.Digits = append(p.Digits, p.Win); return b.Take(p) },
		"counts 3 weights":       func(b *Blocks, p *Part) error { p.Tally.Wins = p.Tally.Wins[:3]; return b.Take(p) },
		"counts numbers of 2":    func(b *Blocks, p *Part) error { p.Tally.StepsWins = []uint64{0, 0, 1}; return b.Take(p) },
		"cannot be":              func(b *Blocks, p *Part) error { p.Tally.Wins[0] = 1 << 40; return b.Take(p) },
		"there are no blocks 0":  func(b *Blocks, p *Part) error { _, err := b.Above(0, 1); return err },
		"the crew has gone home": func(*Blocks, *Part) error { return errors.New("the crew has gone home") },
	} {
		w, err := tablebase.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Solve(t.Context(), space, w, Options{Crew: meddler{do: do}})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
		w.Close()
	}
}

// A hand keeps its memory limit; neither it nor a crew is for games whose classes have moves inside.
func TestHandIsRefused(t *testing.T) {
	_, quixo := newSpace(t, "quixo", 3)
	if _, err := NewHand(t.Context(), quixo, Options{}); err == nil || !strings.Contains(err.Error(), "the blocks of quixo cannot be settled one by one") {
		t.Errorf("quixo: %v", err)
	}
	if _, err := Solve(t.Context(), quixo, nil, Options{Crew: threads{}}); err == nil || !strings.Contains(err.Error(), "no crew can share them out") {
		t.Errorf("quixo by a crew: %v", err)
	}
	_, space := newSpace(t, "notakto", 5)
	if _, err := NewHand(t.Context(), space, Options{Memory: 1 << 20}); err == nil || !strings.Contains(err.Error(), "memory limit of 1.0 MiB is too small") {
		t.Errorf("1 MiB: %v", err)
	}
	hand, err := NewHand(t.Context(), space, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer hand.Close()
	if err := hand.Begin(9); err == nil {
		t.Error("a class that is not there is begun")
	}
	if _, err := hand.Settle(0, 1); err == nil {
		t.Error("blocks of no class are settled")
	}
	if err := hand.Begin(8); err != nil {
		t.Fatal(err)
	}
	for _, run := range [][2]int{{-1, 1}, {0, 0}, {0, 2}, {1, 1}} {
		if _, err := hand.Settle(run[0], run[1]); err == nil {
			t.Errorf("%d blocks from %d on are settled", run[1], run[0])
		}
	}
	if err := hand.Take(&Part{Class: 9, Words: 1, Win: make([]uint64, 1)}); err == nil {
		t.Error("a class above the fullest is handed in")
	}
}
