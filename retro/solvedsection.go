package retro

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// ErrMiscounted means that solved states cannot be those of their class.
var ErrMiscounted = errors.New("it cannot be solved so")

// errSection is the cause if a section does not fit its class.
var errSection = errors.New("it is not a section of the class")

// Columns returns the columns of the outcomes, and of the lowest digits of the steps, or of all where digits
// is negative, of a section of a class whose sections have at most the given number of words. The error wraps ErrMiscounted unless each state that is
// won or lost is in one ply.
func (s *SolvedSection) Columns(words, digits int) (outcomes, steps [][]uint64, err error) {
	outcomes = [][]uint64{s.Win, s.Lose}
	n := len(s.Plies)
	if digits <= 0 && n == 0 {
		return outcomes, nil, nil
	}
	if digits < 0 {
		digits = work.DigitsFor(s.Plies[n-1].Ply)
	}
	wrong := fmt.Errorf("%w: the steps of section %d", ErrMiscounted, s.Section)
	for range digits {
		steps = append(steps, make([]uint64, len(s.Win)))
	}
	left := [...][]uint64{slices.Clone(s.Win), slices.Clone(s.Lose)}
	log, b := plylog.New(nil, len(s.Win), bits.Len(uint(words))-1), new(plylog.Buffer)
	for _, p := range s.Plies {
		for i, chunk := range [][]byte{p.Won, p.Lost} {
			if len(chunk) == 0 {
				continue
			}
			if err := log.Unpack(0, chunk, b); err != nil {
				return nil, nil, err
			}
			for k, at := range b.At {
				x := b.Words[k]
				if int(at) >= len(left[i]) || x&^left[i][at] != 0 || p.Ply>>uint(digits) != 0 {
					return nil, nil, wrong
				}
				left[i][at] &^= x
				for d := range steps {
					if p.Ply>>uint(d)&1 == 1 {
						steps[d][at] |= x
					}
				}
			}
		}
	}
	if bitslice.Any(left[0]) || bitslice.Any(left[1]) {
		return nil, nil, wrong
	}
	return outcomes, steps, nil
}

func (l *level) takeSection(of *SolvedSection, b *plylog.Buffer) error {
	first, end := l.file.bounds(of.Section)
	if len(of.Win) != end-first || len(of.Lose) != end-first {
		return errSection
	}
	if err := l.write(first, of.Win, of.Lose); err != nil || l.won == nil {
		return err
	}
	for _, p := range of.Plies {
		if err := l.add(of.Section, p, b); err != nil {
			return err
		}
	}
	return nil
}

func (l *logs) add(section int, p PlyLabels, b *plylog.Buffer) error {
	for i, chunk := range [...][]byte{p.Won, p.Lost} {
		if len(chunk) == 0 {
			continue
		}
		log := l.both()[i]
		log.Begin(p.Ply)
		if err := log.AppendChunk(p.Ply, section, chunk, b); err != nil {
			return err
		}
	}
	return nil
}

func (l *level) solvedSection(section int) (*SolvedSection, error) {
	first, end := l.file.bounds(section)
	of := &SolvedSection{Section: section, Win: make([]uint64, end-first), Lose: make([]uint64, end-first)}
	err := l.readOutcomes([][]uint64{of.Win, of.Lose}, first)
	if err != nil || l.won == nil {
		return of, err
	}
	of.Plies, err = l.plies(section)
	return of, err
}

func (l *level) plies(section int) (plies []PlyLabels, err error) {
	b := new([2]plylog.Buffer)
	for ply := range max(l.won.Plies(), l.lost.Plies()) {
		p, err := l.labels(ply, section, b)
		if err != nil {
			return nil, err
		}
		if p.Won != nil || p.Lost != nil {
			plies = append(plies, PlyLabels{ply, slices.Clone(p.Won), slices.Clone(p.Lost)})
		}
	}
	return plies, nil
}

// beginPlies begins the plies in which states of a class are decided.
func (l *level) beginPlies(counts tablebase.Counts) {
	for ply, n := range counts.BySteps {
		if n.Wins > 0 {
			l.won.Begin(ply)
		}
		if n.Losses > 0 {
			l.lost.Begin(ply)
		}
	}
}
