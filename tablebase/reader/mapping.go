package reader

import (
	"runtime/debug"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// mapping looks up in a mapped table. It checks everything once, before it reads it.
type mapping struct {
	*contents
	bytes []byte
}

func (m *mapping) findAll(keys []Key, places []Place) (found int, err error) {
	defer m.RecoverFault(debug.SetPanicOnFault(true), &err)
	for ; found < len(keys); found++ {
		k, l := &keys[found], m.class(keys[found].Class)
		if l == nil {
			break
		}
		block, is, err := m.search(l, k.Mask, k.Hint)
		if err != nil {
			return found, err
		}
		if !is {
			break
		}
		places[found] = Place{k.Class, block, k.Index}
	}
	if !m.Whole(m.bytes) {
		return 0, m.Shrunk()
	}
	return found, nil
}

func (m *mapping) search(l *class, mask uint64, hint int) (block int, found bool, err error) {
	part := l.Parts[format.Masks]
	if uint(hint) < uint(l.Blocks) {
		if err := m.checkOnce(l, format.Masks, uint64(hint)); err != nil {
			return 0, false, err
		}
		if m.element(part, uint64(hint)) == mask {
			return hint, true, nil
		}
	}
	// The block is among the n from low on: nothing is known of the one at low, and those
	// behind the n have greater masks. Compilers turn the comparison, which no processor
	// can predict, into a conditional move.
	checked, low := -1, 0
	for n := l.Blocks; n > 0; {
		middle := low + n/2
		if chunk := middle / (format.ChunkSize / 8); chunk != checked {
			if err := m.checkOnce(l, format.Masks, uint64(middle)); err != nil {
				return 0, false, err
			}
			checked = chunk
		}
		if n == 1 {
			break
		}
		if m.element(part, uint64(middle)) <= mask {
			low = middle
		}
		n -= n / 2
	}
	return low, l.Blocks > 0 && m.element(part, uint64(low)) == mask, nil
}

func (m *mapping) element(p format.Part, word uint64) uint64 {
	return le.Uint64(m.bytes[p.WordOffset(word):])
}

type address struct {
	outcome, number uint64 // offsets of its first words: of the outcomes, and of the digits
	bit             uint8
	digits          uint8
}

// addresses is for the states that are looked up at once: nearly all positions have fewer moves.
type addresses [32]address

func (m *mapping) lookupAll(places []Place, entries []tablebase.Entry) (err error) {
	defer m.RecoverFault(debug.SetPanicOnFault(true), &err)
	contradicts := false
	for first := 0; first < len(places); first += len(addresses{}) {
		var at addresses
		end := min(first+len(at), len(places))
		if err := m.resolve(places[first:end], &at); err != nil {
			return err
		}
		found := at[:end-first]
		m.prefetch(found)
		if m.read(m.header.Shape, found, entries[first:end]) {
			contradicts = true
		}
	}
	if !m.Whole(m.bytes) {
		return m.Shrunk()
	}
	if contradicts {
		for i, e := range entries[:len(places)] {
			if e.Outcome > game.Lose {
				return m.bothWonAndLost(places[i])
			}
		}
	}
	return nil
}

// resolve finds the addresses of places, and checks what has not been checked.
func (m *mapping) resolve(places []Place, at *addresses) error {
	for i := range places {
		l, err := m.locate(places[i])
		if err != nil {
			return err
		}
		word, bit := places[i].word(l)
		at[i] = address{l.Parts[format.Outcomes].WordOffset(word), l.Parts[format.Steps].WordOffset(word), uint8(bit), uint8(l.Digits)}
		if l.unchecked.Load() > 0 {
			if err := m.check(l, word, at[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// check checks what a lookup reads: the outcome of the state and, unless it is drawn, the digits.
func (m *mapping) check(l *class, word uint64, at []address) error {
	if err := m.checkOnce(l, format.Outcomes, word); err != nil {
		return err
	}
	var entry [1]tablebase.Entry
	m.read(tablebase.Shape{Planes: m.header.Shape.Planes}, at, entry[:])
	if entry[0].Outcome == game.Draw || at[0].digits == 0 {
		return nil
	}
	return m.checkOnce(l, format.Steps, word)
}

// prefetchedSteps bounds the bytes of a table whose steps are fetched with the outcomes, before it is
// known whether states are drawn. Those of a longer one might be read from the disk for nothing.
const prefetchedSteps = 64 << 20

// prefetch brings the words at the addresses into the cache of the processor, all at once:
// it does not wait for one before it asks for the next, as nothing is done with them.
func (m *mapping) prefetch(at []address) {
	words, early := uint64(0), len(m.bytes) <= prefetchedSteps
	for i := range at {
		s := &at[i]
		words |= le.Uint64(m.bytes[s.outcome:])
		if early && s.digits > 0 {
			words |= le.Uint64(m.bytes[s.number:]) | le.Uint64(m.bytes[s.number+uint64(s.digits-1)*8:])
		}
	}
	use(words)
}

// use keeps the compiler from removing reads whose result nothing needs.
//
//go:noinline
func use(uint64) {}

// read reads the states at the addresses into entries. It reports whether a state's two planes contradict.
func (m *mapping) read(shape tablebase.Shape, at []address, entries []tablebase.Entry) (contradicts bool) {
	two, numbered := shape.Planes == 2, shape.Numbered()
	for i := range at {
		s := &at[i]
		words := m.bytes[s.outcome:]
		outcome := game.Outcome(le.Uint64(words) >> (s.bit & 63) & 1)
		if two {
			outcome |= game.Outcome(le.Uint64(words[8:])>>(s.bit&63)&1) << 1
		} else {
			outcome = game.Lose - outcome
		}
		contradicts = contradicts || outcome > game.Lose
		if numbered && outcome != game.Draw {
			entries[i] = newEntry(shape, outcome, m.digits(s))
		} else {
			entries[i] = tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}
		}
	}
	return contradicts
}

func (m *mapping) digits(s *address) (number int) {
	words := m.bytes[s.number:][:int(s.digits)*8]
	for ; len(words) >= 8; words = words[:len(words)-8] {
		number = number<<1 | int(le.Uint64(words[len(words)-8:])>>(s.bit&63)&1)
	}
	return number
}
