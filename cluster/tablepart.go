package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"backsolve/cluster/store"
	"backsolve/retro"
)

// A part is an object with solved blocks. In a solve into a table each group has one part: a head
// with the counts, then the planes, 8 bytes a word: the won states, then the digits, the lowest
// first.
const partMagic = "bkspart1"

// maxDigits is more binary digits of steps or nimbers than any solve has.
const maxDigits = 16

// partHead is the head of a part of a table.
type partHead struct {
	Solve  string `json:"solve"` // name of the board
	Class  int    `json:"class"`
	First  int    `json:"first"`
	Blocks int    `json:"blocks"`
	Words  int    `json:"words"` // of a slice
	Digits int    `json:"digits"`

	Counts retro.StateCounts `json:"counts"`
}

// appendPart appends the bytes of a part.
func appendPart(to []byte, s *Solve, p *retro.SolvedBlocks) []byte {
	to = appendHead(to, partMagic, partHead{s.name(), p.Class, p.First, p.Blocks(), p.Words, len(p.Digits), p.Counts})
	to = slices.Grow(to, int(planeBytes(p)))
	for _, plane := range append([][]uint64{p.Win}, p.Digits...) {
		to = appendWords(to, plane)
	}
	return to
}

// planeBytes returns the bytes of the planes of a part.
func planeBytes(p *retro.SolvedBlocks) int64 { return 8 * int64(len(p.Win)) * int64(1+len(p.Digits)) }

// getPart reads the part of a group, whose slices have that many words. The error wraps errObject
// or that of the store. Free the part with freePart.
func getPart(ctx context.Context, from store.Store, s *Solve, g group, words int) (p *retro.SolvedBlocks, err error) {
	err = getObject(ctx, from, s.object(g), func(r io.Reader) error {
		p, err = decodePart(r, s, g, words)
		return err
	})
	return p, err
}

// decodePart decodes the part of a group.
func decodePart(r io.Reader, s *Solve, g group, words int) (*retro.SolvedBlocks, error) {
	var head partHead
	if err := readHead(r, partMagic, &head); err != nil {
		return nil, err
	}
	if head.Solve != s.name() || head.Class != g.class || head.First != g.first || head.Blocks != g.blocks || head.Words != words {
		return nil, fmt.Errorf("%w: it has blocks %d to %d of class %d of %s", errObject, head.First, head.First+head.Blocks-1, head.Class, head.Solve)
	}
	if head.Digits < 0 || head.Digits > maxDigits {
		return nil, fmt.Errorf("%w: it has %d digits", errObject, head.Digits)
	}
	p := &retro.SolvedBlocks{Class: g.class, First: g.first, Words: words, Counts: head.Counts}
	for i := range head.Digits + 1 {
		plane := newPlane(g.blocks * words)
		if err := readWords(r, plane); err != nil {
			return nil, err
		}
		if i == 0 {
			p.Win = plane
		} else {
			p.Digits = append(p.Digits, plane)
		}
	}
	return p, nil
}

// planePool has planes of freed parts.
var planePool sync.Pool

// newPlane returns a plane with arbitrary content.
func newPlane(words int) []uint64 {
	if p, ok := planePool.Get().(*[]uint64); ok && cap(*p) >= words {
		return (*p)[:words]
	}
	return make([]uint64, words)
}

// freePart reuses the planes of a part. The part must not be used any more.
func freePart(p *retro.SolvedBlocks) {
	for _, plane := range append(p.Digits, p.Win) {
		planePool.Put(&plane)
	}
}
