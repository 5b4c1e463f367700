// Package sparse keeps the values of states that have numbers of 64 bits: a file that is
// mapped and answers what a state is worth. Package tablebase is for games whose states
// fill whole slices; here only those are kept that play can reach.
//
// The file, all numbers with the lowest byte first:
//
//	magic       "backsolve sparse", 16 bytes
//	each tier   differences   of each key but a block's first to the one before, as varints; padded to 8 bytes
//	            index         of each block of 128 keys: its first key, where its differences begin; 16 bytes
//	            codes         of each state the number of its value in the tier's list, in so many bits;
//	                          the lowest bits first; padded to 8 bytes
//	checksums   CRC-32C of each 65,536 bytes before, the last chunk shorter; 4 bytes each
//	footer      JSON, see Header
//	trailer     length of the footer, 8 bytes; its CRC-32C, 4; "bss1", 4
//
// The identity of a table is the SHA-256 of its footer, which has the one of the checksums.
package sparse

import (
	"errors"
	"fmt"
	"hash/crc32"

	"backsolve/game"
)

// Errors of a file that is not read.
var (
	// ErrForeign is the cause when a file is no sparse table.
	ErrForeign = errors.New("it is no table of single positions")
	// ErrDamaged is the cause when a file contradicts its checksums or itself.
	ErrDamaged = errors.New("the table is damaged")
)

// ErrState is the cause when a table does not have a state: play cannot reach it.
var ErrState = errors.New("play cannot reach this position")

const (
	magic      = "backsolve sparse"
	endMagic   = "bss1"
	version    = 1
	blockKeys  = 128
	indexBytes = 16
	chunkBytes = 1 << 16
	trailer    = 16
	mostFooter = 1 << 28
	mostSteps  = 1 << 15
	mostTiers  = 1 << 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Value is what a state is worth for the player to move: the outcome, and the plies to
// the end if the winner hurries and the loser delays, −1 for a draw.
type Value struct {
	Outcome game.Outcome
	Steps   int
}

// Header is what the footer of a table says.
type Header struct {
	Version int `json:"version"`
	// Game names the game and its board, Program what made the table.
	Game    string `json:"game"`
	Program string `json:"program,omitempty"`
	// Start is the key of the first state, and StartTier its tier.
	Start     uint64 `json:"start,string"`
	StartTier int    `json:"startTier"`
	// Tiers are the tiers, the first one first.
	Tiers []Tier `json:"tiers"`
	// Sums is the SHA-256 of the checksums.
	Sums string `json:"sums"`
}

// Tier is what is known of a tier.
type Tier struct {
	States int64 `json:"states"`
	// Differences, Index and Codes are where the parts begin in the file, and End where the
	// tier ends.
	Differences int64 `json:"differences"`
	Index       int64 `json:"index"`
	Codes       int64 `json:"codes"`
	End         int64 `json:"end"`
	// Bits is the width of a code, 0 where all states have one value.
	Bits int `json:"bits"`
	// Values are the values that occur, by outcome (draw, win, lose) and steps, with the
	// number of states of each.
	Values []Count `json:"values"`
}

// Count is how many states have a value.
type Count struct {
	Outcome game.Outcome `json:"outcome"`
	Steps   int          `json:"steps"`
	States  int64        `json:"states"`
}

// blocks returns the number of blocks of a tier.
func (t *Tier) blocks() int64 { return (t.States + blockKeys - 1) / blockKeys }

// check reports what is wrong with a header whose tiers should fill the bytes up to end.
func (h *Header) check(end int64) error {
	if h.Version != version {
		return fmt.Errorf("its format has version %d; this program reads version %d", h.Version, version)
	}
	at := int64(len(magic))
	if len(h.Tiers) == 0 || len(h.Tiers) > mostTiers || h.StartTier < 0 || h.StartTier >= len(h.Tiers) {
		return fmt.Errorf("%w: it has %d tiers", ErrDamaged, len(h.Tiers))
	}
	for i := range h.Tiers {
		t := &h.Tiers[i]
		states := int64(0)
		for j, c := range t.Values {
			if c.States < 1 || c.Outcome > game.Lose || c.Steps >= mostSteps || (c.Steps < 0) != (c.Outcome == game.Draw) || c.Steps < -1 ||
				j > 0 && !less(t.Values[j-1], c) || c.States > t.States-states {
				return fmt.Errorf("%w: tier %d has a wrong list of values", ErrDamaged, i)
			}
			states += c.States
		}
		switch {
		case states != t.States || t.Bits != width(len(t.Values)) || t.States > end,
			t.Differences != at || t.Index < t.Differences || t.Index%8 != 0 || t.Index > end,
			t.Codes != t.Index+indexBytes*t.blocks() || t.End != t.Codes+8*((t.States*int64(t.Bits)+63)/64) || t.End > end:
			return fmt.Errorf("%w: the parts of tier %d do not fit", ErrDamaged, i)
		}
		at = t.End
	}
	if at != end {
		return fmt.Errorf("%w: the tiers end before the checksums", ErrDamaged)
	}
	return nil
}

// less orders values by outcome and steps.
func less(a, b Count) bool {
	return a.Outcome < b.Outcome || a.Outcome == b.Outcome && a.Steps < b.Steps
}

// width returns the bits of the numbers of n values.
func width(n int) (bits int) {
	for n > 1<<bits {
		bits++
	}
	return bits
}

// chunks returns the number of checksums of so many bytes.
func chunks(n int64) int64 { return (n + chunkBytes - 1) / chunkBytes }
