package survey

import (
	"errors"
	"math"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// TestVerifyBlocks derives all blocks, and some of them.
func TestVerifyBlocks(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		all, states := uint64(0), uint64(0)
		for _, c := range table.Stored().Classes() {
			all += uint64(c.Blocks)
			states += storedStates(c)
		}
		for _, o := range []VerifyOptions{{Blocks: 1 << 40}, {Blocks: all, Threads: 1}, {Blocks: all/2 + 1, Threads: 3}, {Blocks: 1, Sample: 99}} {
			verified, found, err := verify(table, o)
			if err != nil || found != nil || verified.Blocks != min(o.Blocks, all) || verified.AllBlocks != all ||
				o.Blocks >= all && verified.States != states+o.Sample || verified.States <= o.Sample {
				t.Errorf("%+v: %+v, %v, %v; %d blocks", o, verified, found, err, all)
			}
		}
	})
}

// TestVerifyBlocksFindsErrors changes a state of the emptiest class, to which no move leads, so
// that one block is wrong. It is missed as often as Missed says.
func TestVerifyBlocksFindsErrors(t *testing.T) {
	for _, steps := range []bool{false, true} {
		table := altered(t, open(t, "quixo", 2, steps), 0, func(p *tablebase.Planes, c *tablebase.Counts) {
			if steps {
				p.Steps[1][0] ^= 1
				return
			}
			p.Win[0], p.Lose[0] = p.Lose[0], p.Win[0]
			c.ByWeight[0].Wins, c.ByWeight[0].Losses = c.ByWeight[0].Losses, c.ByWeight[0].Wins
		})
		const runs, checked = 200, 3
		missed, blocks := 0, uint64(0)
		for seed := range uint64(runs) {
			v := newVerification(table, VerifyOptions{Blocks: checked, Seed: seed, Threads: 2}, nil, nil)
			if err := v.deriveBlocks(t.Context()); err != nil {
				t.Fatal(err)
			}
			if blocks = v.result.AllBlocks; v.result.Differences == 0 {
				missed++
			} else if v.result.Differences != 1 {
				t.Fatalf("seed %d: %d differences", seed, v.result.Differences)
			}
		}
		p := Missed(blocks, checked, 1)
		if sigma := math.Sqrt(p * (1 - p) * runs); math.Abs(float64(missed)-p*runs) > 4*sigma || p < 0.3 || p > 0.7 {
			t.Errorf("missed %d times of %d, and %.2f of %d blocks are not checked", missed, runs, p, blocks)
		}
	}
	broken := altered(t, open(t, "notakto", 3, false), 0, func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] ^= 1 << 3 })
	if _, found, err := verify(broken, VerifyOptions{Blocks: 1 << 20}); !errors.Is(err, ErrDiffers) || len(found) == 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestMissed counts choices.
func TestMissed(t *testing.T) {
	const n = 7
	for checked := range uint(n + 1) {
		for wrong := range uint(n + 1) {
			all, missed := 0, 0
			for set := range uint(1 << n) {
				if choices := set; onesOf(choices) == checked {
					all++
					if choices&(1<<wrong-1) == 0 {
						missed++
					}
				}
			}
			if got, want := Missed(n, uint64(checked), uint64(wrong)), float64(missed)/float64(all); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d of %d, %d wrong: %v, want %v", checked, n, wrong, got, want)
			}
		}
	}
}

func onesOf(set uint) (n uint) {
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}
