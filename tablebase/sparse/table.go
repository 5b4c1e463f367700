package sparse

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"runtime/debug"
	"sort"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"
)

// Table is an open table. All methods but Close are safe for concurrent use.
type Table struct {
	header   Header
	identity [sha256.Size]byte
	file     mmap.MMap
	sums     []byte
	checked  []atomic.Uint64 // a bit for each chunk whose checksum was compared
}

// Open opens a table. What it reads of the states it checks when it is first asked for. The
// error wraps ErrForeign or ErrDamaged, or is the system's.
func Open(path string) (*Table, error) {
	f, err := os.Open(path)
	return open(path, f, err)
}

// OpenIn opens a table by its name below a directory, from which no link leads out. Errors
// are those of Open.
func OpenIn(root *os.Root, name string) (*Table, error) {
	f, err := root.Open(name)
	return open(name, f, err)
}

func open(path string, f *os.File, err error) (*Table, error) {
	var t *Table
	if err == nil {
		t, err = read(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// read maps an open file, which it closes.
func read(f *os.File) (t *Table, err error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < int64(len(magic)+trailer) {
		return nil, ErrForeign
	}
	m, err := mmap.MapRegion(f, int(info.Size()), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, err
	}
	t = &Table{file: m}
	if err := t.readFooter(); err != nil {
		return nil, errors.Join(err, m.Unmap())
	}
	return t, nil
}

// readFooter reads what stands behind the states.
func (t *Table) readFooter() (err error) {
	defer t.guard(&err)()
	m := t.file
	end := int64(len(m) - trailer)
	if string(m[:len(magic)]) != magic || string(m[end+12:]) != endMagic {
		return ErrForeign
	}
	length := binary.LittleEndian.Uint64(m[end:])
	if length > mostFooter || int64(length) > end-int64(len(magic)) {
		return fmt.Errorf("%w: its footer is too long", ErrDamaged)
	}
	footer := m[end-int64(length) : end]
	if crc32.Checksum(footer, castagnoli) != binary.LittleEndian.Uint32(m[end+8:]) {
		return fmt.Errorf("%w: its footer does not match its checksum", ErrDamaged)
	}
	if err := json.Unmarshal(footer, &t.header); err != nil {
		return fmt.Errorf("%w: its footer: %w", ErrDamaged, err)
	}
	t.identity = sha256.Sum256(footer)
	// The states take what leaves room for their checksums.
	body := end - int64(len(footer))
	if n := len(t.header.Tiers); n > 0 {
		body = t.header.Tiers[n-1].End
	}
	if body < 0 || body > end || body+4*chunks(body) != end-int64(len(footer)) {
		return fmt.Errorf("%w: its parts do not fit", ErrDamaged)
	}
	if err := t.header.check(body); err != nil {
		return err
	}
	t.sums = m[body : end-int64(len(footer))]
	if sum := sha256.Sum256(t.sums); hex.EncodeToString(sum[:]) != t.header.Sums {
		return fmt.Errorf("%w: its checksums are not those of its footer", ErrDamaged)
	}
	t.checked = make([]atomic.Uint64, (chunks(body)+63)/64)
	return nil
}

// guard turns a fault, as from a file that was truncated, into ErrDamaged. Its result is
// deferred.
func (t *Table) guard(err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			fault, ok := r.(interface{ Addr() uintptr })
			if !ok {
				panic(r)
			}
			*err = fmt.Errorf("%w: address %#x cannot be read; the file was truncated, or the disk fails", ErrDamaged, fault.Addr())
		}
	}
}

// Close closes the table.
func (t *Table) Close() error { return t.file.Unmap() }

// Header returns what the table says of itself. It must not be changed.
func (t *Table) Header() *Header { return &t.header }

// Identity returns the SHA-256 of the footer: tables with the same states have the same.
func (t *Table) Identity() [sha256.Size]byte { return t.identity }

// Bytes returns the length of the file.
func (t *Table) Bytes() int64 { return int64(len(t.file)) }

// States returns the number of states.
func (t *Table) States() (n int64) {
	for i := range t.header.Tiers {
		n += t.header.Tiers[i].States
	}
	return n
}

// read returns bytes of the states, whose checksums were compared.
func (t *Table) read(from, to int64) ([]byte, error) {
	for c := from / chunkBytes; c <= (to-1)/chunkBytes; c++ {
		if t.checked[c/64].Load()>>(c%64)&1 == 0 {
			if err := t.checkChunk(c); err != nil {
				return nil, err
			}
		}
	}
	return t.file[from:to], nil
}

// checkChunk compares the checksum of a chunk.
func (t *Table) checkChunk(c int64) error {
	body := t.header.Tiers[len(t.header.Tiers)-1].End
	chunk := t.file[c*chunkBytes : min(body, (c+1)*chunkBytes)]
	if crc32.Checksum(chunk, castagnoli) != binary.LittleEndian.Uint32(t.sums[4*c:]) {
		return fmt.Errorf("%w: the checksum of bytes %d and on does not match", ErrDamaged, c*chunkBytes)
	}
	t.checked[c/64].Or(1 << (c % 64))
	return nil
}

// Check compares all checksums.
func (t *Table) Check() (err error) {
	defer t.guard(&err)()
	for c := range chunks(t.header.Tiers[len(t.header.Tiers)-1].End) {
		if err := t.checkChunk(c); err != nil {
			return err
		}
	}
	return nil
}

// Lookup returns what a state is worth. The error wraps ErrState where the table does not
// have it, or ErrDamaged.
func (t *Table) Lookup(tier int, key uint64) (v Value, err error) {
	defer t.guard(&err)()
	if tier < 0 || tier >= len(t.header.Tiers) {
		return v, ErrState
	}
	number, err := t.find(&t.header.Tiers[tier], key)
	if err != nil {
		return v, err
	}
	return t.value(&t.header.Tiers[tier], number)
}

// find returns the number of a state in its tier.
func (t *Table) find(tier *Tier, key uint64) (number int64, err error) {
	block := int64(sort.Search(int(tier.blocks()), func(b int) bool {
		first, failed := t.first(tier, int64(b))
		if failed != nil {
			err = failed
		}
		return first > key
	})) - 1
	if err != nil || block < 0 {
		return 0, errors.Join(err, orState(err))
	}
	found := int64(-1)
	err = t.block(tier, block, func(i int64, k uint64) bool {
		if k == key {
			found = i
		}
		return k < key
	})
	if err == nil && found < 0 {
		err = ErrState
	}
	return found, err
}

// orState returns ErrState where there is no other error.
func orState(err error) error {
	if err == nil {
		return ErrState
	}
	return nil
}

// first returns the first key of a block.
func (t *Table) first(tier *Tier, block int64) (uint64, error) {
	entry, err := t.read(tier.Index+block*indexBytes, tier.Index+(block+1)*indexBytes)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(entry), nil
}

// block calls yield for the keys of a block with their numbers in the tier.
func (t *Table) block(tier *Tier, block int64, yield func(number int64, key uint64) bool) error {
	entry, err := t.read(tier.Index+block*indexBytes, tier.Index+(block+1)*indexBytes)
	if err != nil {
		return err
	}
	key, at, end := binary.LittleEndian.Uint64(entry), int64(binary.LittleEndian.Uint64(entry[8:])), tier.Index
	if block+1 < tier.blocks() {
		next, err := t.read(tier.Index+(block+1)*indexBytes, tier.Index+(block+2)*indexBytes)
		if err != nil {
			return err
		}
		end = int64(binary.LittleEndian.Uint64(next[8:]))
	}
	if at < tier.Differences || end < at || end > tier.Index {
		return fmt.Errorf("%w: a block of keys lies outside its tier", ErrDamaged)
	}
	var data []byte
	if at < end {
		if data, err = t.read(at, end); err != nil {
			return err
		}
	}
	for i := block * blockKeys; i < min(tier.States, (block+1)*blockKeys); i++ {
		if i > block*blockKeys {
			d, n := binary.Uvarint(data)
			if n <= 0 || d == 0 || key+d < key {
				return fmt.Errorf("%w: a block of keys does not ascend", ErrDamaged)
			}
			key, data = key+d, data[n:]
		}
		if !yield(i, key) {
			break
		}
	}
	return nil
}

// value returns what the state with a number in its tier is worth.
func (t *Table) value(tier *Tier, number int64) (Value, error) {
	code := uint64(0)
	if tier.Bits > 0 {
		bit := number * int64(tier.Bits)
		from := tier.Codes + bit/64*8
		words, err := t.read(from, min(from+16, tier.End))
		if err != nil {
			return Value{}, err
		}
		code = binary.LittleEndian.Uint64(words) >> (bit % 64)
		if bit%64+int64(tier.Bits) > 64 && len(words) > 8 {
			code |= binary.LittleEndian.Uint64(words[8:]) << (64 - bit%64)
		}
		code &= 1<<tier.Bits - 1
	}
	if code >= uint64(len(tier.Values)) {
		return Value{}, fmt.Errorf("%w: a state has a value that is not in the list", ErrDamaged)
	}
	c := tier.Values[code]
	return Value{c.Outcome, c.Steps}, nil
}

// Tier returns the states of a tier, by ascending key; the error is nil but in the last
// pair, where it may wrap ErrDamaged.
func (t *Table) Tier(tier int) iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		info, more := &t.header.Tiers[tier], true
		for b := int64(0); b < info.blocks() && more; b++ {
			states, err := t.states(info, b)
			for _, s := range states {
				if more = more && yield(s, nil); !more {
					return
				}
			}
			if err != nil {
				yield(State{}, err)
				return
			}
		}
	}
}

// State is a state of a table and its value.
type State struct {
	Key uint64
	Value
}

// states returns the states of a block.
func (t *Table) states(tier *Tier, block int64) (states []State, err error) {
	defer t.guard(&err)()
	failed := t.block(tier, block, func(i int64, key uint64) bool {
		var v Value
		if v, err = t.value(tier, i); err == nil {
			states = append(states, State{key, v})
		}
		return err == nil
	})
	return states, errors.Join(err, failed)
}
