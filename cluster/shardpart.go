package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro"
)

// A solve in shards has these objects in the store:
//
//	class-12/blocks-00000003-00000003           section 3: won states, lost states, and those of each ply
//	class-12/labels/round-002/of-04-shard-01/0  what shard 1 of 4 labelled in round 2: parts from 0 on
const (
	labelsMagic  = "bkslabl1"
	sectionMagic = "bkssect1"
)

// labelsHead is the head of a part of what a shard labelled in a round.
type labelsHead struct {
	Solve  string `json:"solve"` // name of the board
	Class  int    `json:"class"`
	Shards int    `json:"shards"`
	Shard  int    `json:"shard"`
	Round  int    `json:"round"`
	Part   int    `json:"part"`
	// Lengths has for each section its number and the bytes of its won and lost states.
	Lengths [][3]int `json:"lengths"`
	// Last says that no part follows.
	Last bool `json:"last"`
}

// labelsBytes is from which length on a part of labels is put into the store.
const labelsBytes = 8 << 20

// labelsWriter puts what a shard labelled into the store.
type labelsWriter struct {
	to    store.Store
	name  string // of the group
	head  labelsHead
	data  []byte
	bytes int64
}

func newLabelsWriter(to store.Store, s *Solve, g group) *labelsWriter {
	return &labelsWriter{to: to, name: s.object(g), head: labelsHead{Solve: s.name(), Class: g.class, Shards: g.shards, Shard: g.first, Round: g.round}}
}

func (w *labelsWriter) add(ctx context.Context, l retro.SectionLabels) error {
	if len(w.data) >= labelsBytes {
		if err := w.put(ctx); err != nil {
			return err
		}
	}
	w.head.Lengths = append(w.head.Lengths, [3]int{l.Section, len(l.Won), len(l.Lost)})
	w.data = append(append(w.data, l.Won...), l.Lost...)
	return nil
}

// put puts a part. The last one has Last set before.
func (w *labelsWriter) put(ctx context.Context) error {
	start := appendHead(nil, labelsMagic, w.head)
	if err := w.to.Put(ctx, fmt.Sprintf("%s/%d", w.name, w.head.Part), start, w.data); err != nil {
		return err
	}
	w.bytes += int64(len(start) + len(w.data))
	w.head.Part++
	w.head.Lengths, w.data = nil, w.data[:0]
	return nil
}

// getLabels reads what a shard labelled in a round, section by section, and returns the bytes read.
func getLabels(ctx context.Context, from store.Store, s *Solve, g group, take func(l retro.SectionLabels) error) (size int64, err error) {
	last := false
	for part := 0; err == nil && !last; part++ {
		err = getObject(ctx, from, fmt.Sprintf("%s/%d", s.object(g), part), func(r io.Reader) error {
			var head labelsHead
			if err := readHead(r, labelsMagic, &head); err != nil {
				return err
			}
			if head.Solve != s.name() || head.Class != g.class || head.Shards != g.shards || head.Shard != g.first || head.Round != g.round || head.Part != part {
				return fmt.Errorf("%w: it has other labels", errObject)
			}
			last = head.Last
			var buffer []byte
			for _, l := range head.Lengths {
				if min(l[1], l[2]) < 0 || max(l[1], l[2]) > maxSlice {
					return fmt.Errorf("%w: it has %d bytes of labels", errObject, l[1]+l[2])
				}
				buffer = slices.Grow(buffer[:0], l[1]+l[2])[:l[1]+l[2]]
				if err := readFull(r, buffer); err != nil {
					return err
				}
				size += int64(len(buffer))
				if err := take(retro.SectionLabels{Section: l[0], Won: buffer[:l[1]], Lost: buffer[l[1]:]}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return size, err
}

// sectionHead is the head of a section of a class.
type sectionHead struct {
	Solve   string `json:"solve"` // name of the board
	Class   int    `json:"class"`
	Section int    `json:"section"`
	Words   int    `json:"words"` // of a plane
	// Plies has for each ply its number and the bytes of its won and lost states.
	Plies [][3]int `json:"plies,omitempty"`
}

// sectionOf is the group whose object has the outcomes of a section.
func sectionOf(class, section int) group {
	return group{subclass: subclass{class: class}, first: section, blocks: 1}
}

// sectionWords returns the words of a plane of a section of a class of a number of blocks.
func (s *Solve) sectionWords(space *partition.Space, blocks int64, section group) int64 {
	slice := int64(bitslice.Words(space.IndexBits[section.class]))
	words := plan.SharedSection(blocks, slice, s.Steps)
	return min(words, blocks*slice-int64(section.first)*words)
}

// shardSections returns the sections of a class of a number of blocks that a shard has.
func (s *Solve) shardSections(space *partition.Space, blocks int64, shard group) (first, end int) {
	words := blocks * int64(bitslice.Words(space.IndexBits[shard.class]))
	section := s.sectionWords(space, blocks, sectionOf(shard.class, 0))
	n := int((words + section - 1) / section)
	return shard.first * n / shard.shards, (shard.first + 1) * n / shard.shards
}

func putSection(ctx context.Context, to store.Store, s *Solve, class int, of *retro.SolvedSection) (size int64, err error) {
	head := sectionHead{Solve: s.name(), Class: class, Section: of.Section, Words: len(of.Win)}
	for _, p := range of.Plies {
		head.Plies = append(head.Plies, [3]int{p.Ply, len(p.Won), len(p.Lost)})
	}
	b := appendHead(make([]byte, 0, 16*len(of.Win)+1<<10), sectionMagic, head)
	b = appendWords(appendWords(b, of.Win), of.Lose)
	for _, p := range of.Plies {
		b = append(append(b, p.Won...), p.Lost...)
	}
	return int64(len(b)), to.Put(ctx, s.object(sectionOf(class, of.Section)), b)
}

// getSection reads a section whose planes have that many words, and returns its bytes.
func getSection(ctx context.Context, from store.Store, s *Solve, class, section int, words int64) (of *retro.SolvedSection, size int64, err error) {
	err = getObject(ctx, from, s.object(sectionOf(class, section)), func(r io.Reader) error {
		var head sectionHead
		err := readHead(r, sectionMagic, &head)
		if err == nil && (head.Solve != s.name() || head.Class != class || head.Section != section || int64(head.Words) != words) {
			err = fmt.Errorf("%w: it has section %d of class %d of %s", errObject, head.Section, head.Class, head.Solve)
		}
		of = &retro.SolvedSection{Section: section, Win: make([]uint64, words), Lose: make([]uint64, words)}
		if err == nil {
			err = readWords(r, of.Win)
		}
		if err == nil {
			err = readWords(r, of.Lose)
		}
		size = 16 * words
		for _, p := range head.Plies {
			if err == nil && (p[0] < 0 || p[0] > maxPly || min(p[1], p[2]) < 0 || max(p[1], p[2]) > maxSlice) {
				err = fmt.Errorf("%w: it has %d bytes of ply %d", errObject, p[1]+p[2], p[0])
			}
			if err != nil {
				return err
			}
			var b []byte
			if b, err = readAnnounced(r, int64(p[1]+p[2])); err == nil {
				of.Plies = append(of.Plies, retro.PlyLabels{Ply: p[0], Won: b[:p[1]], Lost: b[p[1]:]})
				size += int64(len(b))
			}
		}
		return err
	})
	return of, size, err
}

// maxPly is more plies than any solve has.
const maxPly = 1 << 16
