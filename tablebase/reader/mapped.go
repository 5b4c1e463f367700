package reader

import (
	"runtime/debug"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Lookups of many states in a mapped table: where something may not have been checked yet,
// and, sooner, in classes of which every checksum held once.

// lookupAllMapped is LookupAll of a table that is mapped, of states that are there: what has
// not been checked yet is checked before it is read.
func (t *Table) lookupAllMapped(m *mapping, places []Place, entries []tablebase.Entry) (err error) {
	if err := t.touchAll(format.Outcomes, places, nil); err != nil {
		return err
	}
	defer t.recoverFault(debug.SetPanicOnFault(true), &err)
	early, ahead := len(m.bytes) <= fetchedAhead, uint64(0)
	for i, p := range places {
		l := t.located(p.Class)
		word, bit := p.word(l)
		entries[i] = tablebase.Entry{Outcome: m.outcome(l, word, bit), Steps: -1, Nimber: -1}
		if early && l.Digits > 0 {
			ahead |= m.element(l.Parts[format.Steps], word, 0)
		}
	}
	onItsWay(ahead)
	if t.header.Shape.Numbered() {
		if err := t.touchAll(format.Steps, places, entries); err != nil {
			return err
		}
		m.numbers(t, places, entries)
	}
	if !m.whole() {
		return t.shrunk()
	}
	return t.checkOutcomes(places, entries)
}

// fetchedAhead is how long a table may be, in bytes, of which the processor fetches the
// steps of states together with their outcomes, before it is known whether they are
// drawn. Of a longer one this might be read from the disk for nothing.
const fetchedAhead = 64 << 20

// onItsWay uses words of which only that they are in the cache is wanted, or the compiler
// would not have them read.
//
//go:noinline
func onItsWay(uint64) {}

// touchAll touches a part for all states; with entries, only for those that are
// not drawn and have numbers.
func (t *Table) touchAll(part int, places []Place, entries []tablebase.Entry) error {
	for i, p := range places {
		l := t.located(p.Class)
		if entries != nil && (entries[i].Outcome == game.Draw || l.Digits == 0) {
			continue
		}
		word, _ := p.word(l)
		if err := t.touch(l, part, word); err != nil {
			return err
		}
	}
	return nil
}

// numbers reads the steps, or nimbers, of the states that are not drawn.
func (m *mapping) numbers(t *Table, places []Place, entries []tablebase.Entry) {
	for i, p := range places {
		if entries[i].Outcome != game.Draw {
			l := t.located(p.Class)
			word, bit := p.word(l)
			entries[i] = newEntry(t.header.Shape, entries[i].Outcome, m.number(l, word, bit))
		}
	}
}

// spot is where a state lies in the mapping.
type spot struct {
	outcome, number uint64 // offsets of its first words: of the outcomes, and of the digits
	bit             uint8
	digits          uint8
}

// spots is for as many states as are looked up at once: nearly all positions have fewer moves.
type spots [32]spot

// lookupAllChecked is LookupAll of a table that is mapped. done is false where not all of
// what has to be read has been checked, and then nothing is read.
func (t *Table) lookupAllChecked(m *mapping, places []Place, entries []tablebase.Entry) (done bool, err error) {
	for i := range places {
		if l := t.located(places[i].Class); l == nil || l.unchecked.Load() > 0 {
			return false, nil
		}
	}
	defer t.recoverFault(debug.SetPanicOnFault(true), &err)
	contradicts := false
	for first := 0; first < len(places); first += len(spots{}) {
		var at spots
		end := min(first+len(at), len(places))
		if err := t.spot(places[first:end], &at); err != nil {
			return false, err
		}
		found := at[:end-first]
		m.fetch(found)
		if m.readSpots(t.header.Shape, found, entries[first:end]) {
			contradicts = true
		}
	}
	switch {
	case !m.whole():
		return false, t.shrunk()
	case contradicts:
		return false, t.checkOutcomes(places, entries)
	}
	return true, nil
}

// spot finds the spots of places.
func (t *Table) spot(places []Place, at *spots) error {
	for i := range places {
		p := &places[i]
		l, err := t.locate(*p)
		if err != nil {
			return err
		}
		word, bit := p.word(l)
		at[i] = spot{l.Parts[format.Outcomes].WordOffset(word), l.Parts[format.Steps].WordOffset(word), uint8(bit), uint8(l.Digits)}
	}
	return nil
}

// fetch has the processor bring what is at the spots into its cache, all at once. It does
// not wait for one before it asks for the next, since nothing is done with them.
func (m *mapping) fetch(at []spot) {
	ahead, early := uint64(0), len(m.bytes) <= fetchedAhead
	for i := range at {
		s := &at[i]
		ahead |= le.Uint64(m.bytes[s.outcome:])
		if early && s.digits > 0 {
			ahead |= le.Uint64(m.bytes[s.number:]) | le.Uint64(m.bytes[s.number+uint64(s.digits-1)*8:])
		}
	}
	onItsWay(ahead)
}

// readSpots reads what is known of the states at the spots. It reports whether one has a
// code that no state has.
func (m *mapping) readSpots(shape tablebase.Shape, at []spot, entries []tablebase.Entry) (contradicts bool) {
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

// digits reads the number at a spot.
func (m *mapping) digits(s *spot) (number int) {
	words := m.bytes[s.number:][:int(s.digits)*8]
	for ; len(words) >= 8; words = words[:len(words)-8] {
		number = number<<1 | int(le.Uint64(words[len(words)-8:])>>(s.bit&63)&1)
	}
	return number
}
