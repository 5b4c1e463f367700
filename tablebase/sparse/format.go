// Package sparse stores the values of positions by their 64-bit keys: those that play can
// reach, no others. Package tablebase is for games whose positions fill whole slices.
//
// The file, all numbers little-endian:
//
//	magic       "backsolve sparse", 16 bytes
//	each tier   differences   each key minus the one before, as varints, but for the first of a
//	                          block of 128 keys; padded to 8 bytes
//	            index         for each block its first key and where its differences begin; 16 bytes
//	            codes         for each key the number of its value in the tier's list, in as few
//	                          bits as hold all, the lowest first; padded to 8 bytes
//	            In a tier of ranks there are codes alone, one for each key from 0 up to the number
//	            of ranks: that behind the last value, if no state has the key.
//	padding     up to a multiple of 4,096 bytes
//	directory   CRC-32C of each 65,536 bytes before, the last chunk shorter; 4 bytes each
//	            for each tier the first key of every 64th block, 8 bytes each, or if it has ranks
//	            the number of states before it, and its list of values: outcome 1 byte, steps 2,
//	            states 8, least key 8
//	footer      JSON, see Header
//	trailer     length of the footer, 8 bytes; its CRC-32C, 4; "bss1", 4
//
// The identity of a table is the SHA-256 of its footer without the fingerprint, so that the same
// rules make the same table in any language. The footer has the SHA-256 of the directory. A
// packed table is the same bytes in seekable zstd, a frame for each 32 KiB.
package sparse

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// ErrState is the cause when a table does not have a state: play cannot reach it.
var ErrState = errors.New("play cannot reach this position")

// BlockStates is the number of states of a block, but for a tier's last one.
const BlockStates = 128

const (
	magic       = tablebase.SparseMagic
	endMagic    = "bss1"
	version     = 3 // the newest; tables without ranks have 2, or 1 with steps
	indexBytes  = 16
	fenceBlocks = 64 // blocks between fences
	valueBytes  = 1 + 2 + 8 + 8
	trailer     = 16
	maxFooter   = 1 << 20
	maxSteps    = 1 << 15
	maxTiers    = 1 << 12
	maxLength   = 1 << 56 // of a file, so that no number computed from it overflows
)

var le = binary.LittleEndian

// Value is what a state is worth for the player to move: the outcome, and the plies to
// the end if the winner hurries and the loser delays, −1 for a draw and where they are not known.
type Value struct {
	Outcome game.Outcome
	Steps   int
}

// Header is the footer of a table.
type Header struct {
	Version int `json:"version"`
	// Game names the game and its board, Program what made the table.
	Game    string `json:"game"`
	Program string `json:"program,omitempty"`
	// Start is the key of the first state, and StartTier its tier.
	Start     uint64 `json:"start,string"`
	StartTier int    `json:"startTier"`
	// Rules and Fingerprint are custom.ShortFingerprint and custom.Fingerprint of the rules, 0 where
	// they are not known, as the second is not in tables of earlier versions.
	Rules       uint64 `json:"rules,string"`
	Fingerprint uint64 `json:"fingerprint,string,omitempty"`
	// Outcomes says that the table has no steps; they read as −1.
	Outcomes bool `json:"outcomes,omitempty"`
	// Tiers are the tiers, the first one first.
	Tiers []Tier `json:"tiers"`
	// Directory is the SHA-256 of the directory.
	Directory string `json:"directory"`
}

// Tier describes a tier.
type Tier struct {
	States int64 `json:"states"`
	// Ranks is 0, or a number above all keys: there is a code for each key below.
	Ranks int64 `json:"ranks,omitempty"`
	// Differences, Index and Codes are where the parts begin in the file, and End where the
	// tier ends.
	Differences int64 `json:"differences"`
	Index       int64 `json:"index"`
	Codes       int64 `json:"codes"`
	End         int64 `json:"end"`
	// ValueCount is the length of Values.
	ValueCount int `json:"values"`
	// Values are the values that occur, by outcome (draw, win, lose) and steps.
	Values []Count `json:"-"`

	bits   int64    // of a code, 0 where all states have one value
	fences []uint64 // the first keys of every 64th block; of ranks the numbers of states before it
}

// Count is how many states have a value, and the least key of these.
type Count struct {
	Value
	States int64
	First  uint64
}

// Blocks returns the number of blocks of a tier.
func (t *Tier) Blocks() int64 { return (t.codes() + BlockStates - 1) / BlockStates }

func (t *Tier) codes() int64 { return max(t.States, t.Ranks) }

// setWidth finds out how many bits a code has. Of ranks it has one at least, so that they cannot be
// more than there are bits in the file.
func (t *Tier) setWidth() {
	t.bits = width(t.ValueCount)
	if t.Ranks > 0 {
		t.bits = max(width(t.ValueCount+1), 1)
	}
}

func (t *Tier) indexBytes() int64 {
	if t.Ranks > 0 {
		return 0
	}
	return indexBytes * t.Blocks()
}

func (t *Tier) directoryBytes() int64 {
	return 8*((t.Blocks()+fenceBlocks-1)/fenceBlocks) + valueBytes*int64(t.ValueCount)
}

// identity returns the identity of a table by its header, whose JSON is the footer.
func (h *Header) identity(footer []byte) [sha256.Size]byte {
	if h.Fingerprint != 0 {
		same := *h
		same.Fingerprint = 0
		footer, _ = json.Marshal(&same)
	}
	return sha256.Sum256(footer)
}

func (h *Header) versionOf() int {
	switch {
	case slices.ContainsFunc(h.Tiers, func(t Tier) bool { return t.Ranks > 0 }):
		return 3
	case h.Outcomes:
		return 2
	}
	return 1
}

// body returns the length of all before the directory.
func (h *Header) body() int64 {
	return (h.Tiers[len(h.Tiers)-1].End + format.PageSize - 1) / format.PageSize * format.PageSize
}

// checkLayout says what is wrong with a header whose directory ends at a byte of the file, and
// returns the length of the directory.
func (h *Header) checkLayout(end int64) (directory int64, err error) {
	if h.Version != h.versionOf() || h.Version < 1 {
		if h.Version >= 1 && h.Version <= version {
			return 0, damaged("version %d has no such ranks or steps", h.Version)
		}
		return 0, fmt.Errorf("%w: version %d, while this program reads %d", tablebase.ErrNewer, h.Version, version)
	}
	if len(h.Tiers) > maxTiers || h.StartTier < 0 || h.StartTier >= len(h.Tiers) {
		return 0, damaged("it has %d tiers", len(h.Tiers))
	}
	at := int64(len(magic))
	for i := range h.Tiers {
		t := &h.Tiers[i]
		// Everything else is computed from these, so they are checked first. A rank takes at least a bit,
		// and another state a byte.
		if t.Ranks < 0 || t.Ranks > 8*end {
			return 0, damaged("tier %d has %d ranks", i, t.Ranks)
		}
		most := end
		if t.Ranks > 0 {
			most = t.Ranks
		}
		if t.States < 0 || t.States > most || t.ValueCount < 0 || int64(t.ValueCount) > min(t.States, 3*maxSteps) {
			return 0, damaged("tier %d has %d states and %d values", i, t.States, t.ValueCount)
		}
		t.setWidth()
		if t.Differences != at || t.Index < at || t.Index%8 != 0 || t.Index > end || t.Ranks > 0 && t.Index != at ||
			t.Codes != t.Index+t.indexBytes() || t.End != t.Codes+8*((t.codes()*t.bits+63)/64) || t.End > end {
			return 0, damaged("the parts of tier %d do not fit", i)
		}
		at = t.End
		directory += t.directoryBytes()
	}
	if directory += 4 * chunks(h.body()); h.body()+directory != end {
		return 0, damaged("its parts do not fill it")
	}
	return directory, nil
}

// readTier reads a tier's part of the directory, and returns what follows.
func (t *Tier) readTier(b []byte, outcomes bool) (rest []byte, err error) {
	rest = b[t.directoryBytes():]
	for range (t.Blocks() + fenceBlocks - 1) / fenceBlocks {
		t.fences, b = append(t.fences, le.Uint64(b)), b[8:]
	}
	if n := len(t.fences); t.Ranks > 0 && (!slices.IsSorted(t.fences) || t.fences[0] != 0 || t.fences[n-1] > uint64(t.States)) {
		return nil, damaged("a tier has wrong numbers of states")
	}
	states := int64(0)
	for j := range t.ValueCount {
		c := Count{Value{game.Outcome(b[0]), int(int16(le.Uint16(b[1:])))}, int64(le.Uint64(b[3:])), le.Uint64(b[11:])}
		fits := uint64(c.States-1) < uint64(t.States-states) // from 1 to those that are left
		if !fits || c.Outcome > game.Lose || c.Steps < -1 || (c.Steps < 0) != (outcomes || c.Outcome == game.Draw) ||
			j > 0 && byValue(t.Values[j-1], c) >= 0 {
			return nil, damaged("a tier has a wrong list of values")
		}
		states += c.States
		t.Values, b = append(t.Values, c), b[valueBytes:]
	}
	if states != t.States {
		return nil, damaged("a tier has %d states, and %d by their values", t.States, states)
	}
	return rest, nil
}

func (t *Tier) appendTier(b []byte) []byte {
	for _, key := range t.fences {
		b = le.AppendUint64(b, key)
	}
	for _, c := range t.Values {
		b = le.AppendUint16(append(b, byte(c.Outcome)), uint16(c.Steps))
		b = le.AppendUint64(le.AppendUint64(b, uint64(c.States)), c.First)
	}
	return b
}

func byValue(a, b Count) int {
	return cmp.Or(cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Steps, b.Steps))
}

// width returns how many bits tell n values apart.
func width(n int) int64 { return int64(bits.Len(uint(max(n-1, 0)))) }

func chunks(n int64) int64 { return (n + format.ChunkSize - 1) / format.ChunkSize }

func damaged(detail string, args ...any) error {
	return &tablebase.Error{Err: tablebase.ErrDamaged, Detail: fmt.Sprintf(detail, args...)}
}
