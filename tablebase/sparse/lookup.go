package sparse

import (
	"cmp"
	"encoding/binary"
	"errors"
	"runtime/debug"
	"slices"
	"sort"

	"backsolve/internal/parallel"
)

// State is a state of a table and its value.
type State struct {
	Key uint64
	Value
}

// Ref names a state.
type Ref struct {
	Tier int
	Key  uint64
}

// Lookup returns what a state is worth. The error wraps ErrState where the table does not have
// it, or is a *tablebase.Error. See LookupAll for files that are overwritten.
func (t *Table) Lookup(tier int, key uint64) (v Value, err error) {
	defer t.RecoverFault(debug.SetPanicOnFault(true), &err)
	if tier < 0 || tier >= len(t.header.Tiers) {
		return v, ErrState
	}
	info := &t.header.Tiers[tier]
	number, err := t.find(info, key)
	if err == nil {
		v, err = t.value(info, number)
	}
	if whole := t.whole(); whole != nil {
		return Value{}, whole
	}
	return v, t.failed(err)
}

// maxRequests is how many states of a table that is packed or on a server are looked up at once.
const maxRequests = 16

// LookupAll looks states up into values, which is as long; again, if someone has written to the file since it was
// opened: see WithRevalidation. The error comes from Lookup.
func (t *Table) LookupAll(states []Ref, values []Value) error {
	return t.WithRevalidation(func() error { return t.lookupAll(states, values) })
}

func (t *Table) lookupAll(states []Ref, values []Value) (err error) {
	if t.Mapped() != nil {
		for i := 0; i < len(states) && err == nil; i++ {
			values[i], err = t.Lookup(states[i].Tier, states[i].Key)
		}
		return err
	}
	defer t.ShareDeadline()()
	wanted, found := slices.Clone(states), make([]Value, len(states)) // so that the caller's stay on the stack
	err = parallel.Each(len(wanted), maxRequests, func(next func() (int, bool)) (err error) {
		for i, more := next(); more && err == nil; i, more = next() {
			found[i], err = t.Lookup(wanted[i].Tier, wanted[i].Key)
		}
		return err
	})
	copy(values, found)
	return err
}

// whole says where a mapped file lacks its end. Call it after the data were read.
func (t *Table) whole() error {
	if m := t.Mapped(); m != nil && !t.Whole(m) || t.IsClosed() {
		return t.Shrunk()
	}
	return nil
}

func (t *Table) find(tier *Tier, key uint64) (int64, error) {
	if tier.Ranks > 0 {
		if key >= uint64(tier.Ranks) {
			return 0, ErrState
		}
		return int64(key), nil
	}
	block, err := t.blockOf(tier, key)
	if err != nil {
		return 0, err
	}
	k, data, err := t.keys(tier, block)
	if err != nil || k > key {
		return 0, cmp.Or(err, ErrState)
	}
	number := block * BlockStates
	for last := min(tier.States, number+BlockStates) - 1; k < key; number++ {
		if number == last {
			return 0, ErrState
		}
		if k, data, err = next(k, data); err != nil {
			return 0, err
		}
	}
	if k > key {
		return 0, ErrState
	}
	return number, nil
}

// blockOf returns the only block that can have a key, or ErrState if all begin above it.
func (t *Table) blockOf(tier *Tier, key uint64) (int64, error) {
	if tier.Ranks > 0 {
		return int64(min(key, uint64(tier.Ranks-1)) / BlockStates), nil
	}
	// The fence before the key leads to a chunk of the index, and that to a block.
	fence := int64(sort.Search(len(tier.fences), func(f int) bool { return tier.fences[f] > key })) - 1
	if fence < 0 {
		return 0, ErrState
	}
	low, n := fence*fenceBlocks, min(fenceBlocks, tier.Blocks()-fence*fenceBlocks)
	for n > 1 {
		entry, err := t.entry(tier, low+n/2)
		if err != nil {
			return 0, err
		}
		if le.Uint64(entry) <= key {
			low += n / 2
		}
		n -= n / 2
	}
	return low, nil
}

func (t *Table) entry(tier *Tier, block int64) ([]byte, error) {
	return t.bytes(tier.Index+block*indexBytes, tier.Index+(block+1)*indexBytes)
}

// keys returns the first key of a block, and the differences of the others, nil for ranks.
func (t *Table) keys(tier *Tier, block int64) (first uint64, data []byte, err error) {
	if tier.Ranks > 0 {
		return uint64(block) * BlockStates, nil, nil
	}
	entry, err := t.entry(tier, block)
	if err != nil {
		return 0, nil, err
	}
	first, at, end := le.Uint64(entry), int64(le.Uint64(entry[8:])), tier.Index
	if block+1 < tier.Blocks() {
		if entry, err = t.entry(tier, block+1); err != nil {
			return 0, nil, err
		}
		end = int64(le.Uint64(entry[8:]))
	}
	if at < tier.Differences || end < at || end > tier.Index || end-at > BlockStates*binary.MaxVarintLen64 {
		return 0, nil, damaged("a block of keys lies outside its tier")
	}
	if at < end {
		data, err = t.bytes(at, end)
	}
	return first, data, err
}

// next returns the key after one, and the differences behind it.
func next(key uint64, data []byte) (uint64, []byte, error) {
	if len(data) > 0 && data[0]-1 < 0x7f { // most are short
		if d := uint64(data[0]); key+d > key {
			return key + d, data[1:], nil
		}
	}
	d, n := binary.Uvarint(data)
	if n <= 0 || d == 0 || key+d < key {
		return 0, nil, damaged("a block of keys does not ascend")
	}
	return key + d, data[n:], nil
}

func (t *Table) value(tier *Tier, number int64) (Value, error) {
	words, err := t.words(tier, number, 1)
	if err != nil {
		return Value{}, err
	}
	return tier.decode(words, number*tier.bits%64)
}

// words returns the words of the values of some states, the first of which may begin inside one.
func (t *Table) words(tier *Tier, number, states int64) ([]byte, error) {
	if tier.bits == 0 {
		return nil, nil
	}
	from, to := number*tier.bits/64, ((number+states)*tier.bits+63)/64
	return t.bytes(tier.Codes+8*from, tier.Codes+8*to)
}

// decode returns the value that begins at a bit of some words, or ErrState for a rank without a state.
func (tier *Tier) decode(words []byte, bit int64) (Value, error) {
	code := uint64(0)
	if tier.bits > 0 {
		words = words[bit/64*8:]
		code = le.Uint64(words) >> (bit % 64)
		if bit%64+tier.bits > 64 {
			code |= le.Uint64(words[8:]) << (64 - bit%64)
		}
		code &= 1<<tier.bits - 1
	}
	switch {
	case code == uint64(len(tier.Values)) && tier.Ranks > 0:
		return Value{}, ErrState
	case code >= uint64(len(tier.Values)):
		return Value{}, damaged("a state has a value that is not in the list")
	}
	return tier.Values[code].Value, nil
}

// Block appends the states of a block of a tier: those with the numbers, or the ranks, from
// block*BlockStates on. The error is a *tablebase.Error.
func (t *Table) Block(dst []State, tier int, block int64) (states []State, err error) {
	defer t.RecoverFault(debug.SetPanicOnFault(true), &err)
	info, first := &t.header.Tiers[tier], block*BlockStates
	n := min(info.codes()-first, BlockStates)
	key, data, err := t.keys(info, block)
	if err != nil {
		return dst, t.failed(err)
	}
	words, err := t.words(info, first, n)
	for i := int64(0); err == nil && i < n; i++ {
		v, wrong := info.decode(words, i*info.bits)
		switch {
		case wrong == nil:
			dst = append(dst, State{key, v})
		case !errors.Is(wrong, ErrState):
			err = wrong
		}
		if info.Ranks > 0 {
			key++
		} else if err == nil && i+1 < n {
			key, data, err = next(key, data)
		}
	}
	return dst, t.failed(errors.Join(err, t.whole()))
}

// Near appends the states of the block that has a key if any has it. The error wraps ErrState
// where the key is below all, or is a *tablebase.Error.
func (t *Table) Near(dst []State, tier int, key uint64) (states []State, err error) {
	defer t.RecoverFault(debug.SetPanicOnFault(true), &err)
	block, err := t.blockOf(&t.header.Tiers[tier], key)
	if err != nil {
		return dst, t.failed(err)
	}
	return t.Block(dst, tier, block)
}

// Cursor finds the states of a tier by their numbers, fastest in ascending order.
type Cursor struct {
	Table *Table
	Tier  int

	block  int64 // that was read last
	first  int64 // the number of its first state
	states []State
}

// At returns the state with a number, from 0 to the tier's States-1. The error is a *tablebase.Error.
func (c *Cursor) At(number int64) (State, error) {
	tier := &c.Table.header.Tiers[c.Tier]
	near, first := number/BlockStates, number/BlockStates*BlockStates
	if tier.Ranks > 0 {
		fence := sort.Search(len(tier.fences), func(f int) bool { return tier.fences[f] > uint64(number) }) - 1
		near, first = int64(fence)*fenceBlocks, int64(tier.fences[fence])
	}
	if c.states == nil || number < c.first || near > c.block {
		if err := c.read(near, first); err != nil {
			return State{}, err
		}
	}
	for number >= c.first+int64(len(c.states)) {
		if c.block+1 == tier.Blocks() {
			return State{}, c.Table.failed(damaged("tier %d has less states than its directory says", c.Tier))
		}
		if err := c.read(c.block+1, c.first+int64(len(c.states))); err != nil {
			return State{}, err
		}
	}
	return c.states[number-c.first], nil
}

func (c *Cursor) read(block, first int64) (err error) {
	c.block, c.first = block, first
	c.states, err = c.Table.Block(c.states[:0], c.Tier, block)
	return err
}
