package sparse

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
)

// ranks returns tiers of states whose keys are below the numbers returned, with and without gaps.
func ranks(seed uint64) (all contents, tiers []Tier) {
	r := rand.New(rand.NewPCG(seed, 5))
	for range 1 + r.IntN(3) {
		n, gaps, kinds, states := int64(1+r.IntN([]int{500, 20_000}[r.IntN(2)])), r.IntN(3), 1+r.IntN(300), map[uint64]Value{}
		for key := range n {
			v := Value{game.Draw, -1}
			if k := r.IntN(kinds); k > 0 {
				v = Value{game.Outcome(1 + k%2), k / 2}
			}
			if gaps == 0 || r.IntN(3) >= gaps {
				states[uint64(key)] = v
			}
		}
		all, tiers = append(all, states), append(tiers, Tier{Ranks: n})
	}
	all, tiers = append(all, random(seed, 1, 300)...), append(tiers, Tier{}) // one of keys
	return all, tiers
}

// In a tier of ranks all states are found, and no others, with and without gaps; codes take all its room.
func TestRanks(t *testing.T) {
	for seed := range uint64(40) {
		all, tiers := ranks(seed)
		path := filepath.Join(t.TempDir(), "ranks.tb")
		if err := Write(path, Header{Game: "ranks", Tiers: tiers}, len(all), all.states); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := all.compare(t, table); err != nil {
			t.Error(err)
		}
		if err := table.Verify(t.Context(), 2, nil); err != nil {
			t.Error(err)
		}
		for i := range tiers[:len(tiers)-1] {
			tier := &table.header.Tiers[i]
			if _, err := table.Lookup(i, uint64(tier.Ranks)); !errors.Is(err, ErrState) {
				t.Errorf("a rank beyond all is found: %v", err)
			}
			if bits := 8 * (tier.End - tier.Differences); bits > tier.Ranks*tier.bits+63 {
				t.Errorf("%d ranks take %d bits", tier.Ranks, bits)
			}
			number, cursor := int64(0), Cursor{Table: table, Tier: i}
			for want, err := range table.Tier(i) {
				got, wrong := cursor.At(number)
				fresh, also := want, error(nil)
				if number%977 == 0 {
					fresh, also = (&Cursor{Table: table, Tier: i}).At(number)
				}
				if got != want || fresh != want || err != nil || wrong != nil || also != nil {
					t.Fatalf("state %d of tier %d is %v or %v, want %v", number, i, got, fresh, want)
				}
				number++
			}
			states, err := table.Near(nil, i, uint64(tier.Ranks-1))
			if err != nil || len(states) > BlockStates {
				t.Errorf("%d states are in the last block, %v", len(states), err)
			}
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A rank is below the number of ranks.
func TestRanksBeyond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ranks.tb")
	err := Write(path, Header{Tiers: []Tier{{Ranks: 5}}}, 1, contents{{5: {game.Draw, -1}}}.states)
	if _, missing := os.Stat(path); err == nil || missing == nil {
		t.Errorf("%v, and %v", err, missing)
	}
}

// No forged number of ranks or states lets a table be read beyond its end.
func TestForgedRanks(t *testing.T) {
	all, tiers := ranks(1)
	path := filepath.Join(t.TempDir(), "ranks.tb")
	if err := Write(path, Header{Game: "ranks", Tiers: tiers}, len(all), all.states); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{-1, 0, 1, tiers[0].Ranks - 64, tiers[0].Ranks + 64, 1 << 40, 1 << 62} {
		if _, err := openBytes(forge(t, content, func(_, _ []byte, h *Header) { h.Tiers[0].Ranks = n })); err == nil {
			t.Errorf("%d ranks are taken for %d", n, tiers[0].Ranks)
		} else {
			refused(t, "ranks", err)
		}
	}
}
