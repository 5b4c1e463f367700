package generic

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"backsolve/internal/bitslice"
	"backsolve/internal/durable"
)

// ErrWork is the cause when a work directory cannot be used: another program, another
// version or other rules wrote it, or it is damaged. Removing it starts the solve over.
var ErrWork = errors.New("an interrupted solve of other rules lies here, or it is damaged; solve from the start")

// work is the directory in which a solve keeps what it has done. A checkpoint names the
// files that count; all others are what a killed process left.
type work struct {
	dir     string
	done    checkpoint // the last one
	lock    sync.Mutex
	next    int             // number of the next file
	fresh   []string        // files that may not be on the disk yet
	named   map[string]bool // by the last checkpoint
	dropped []file          // since the last checkpoint, which names them
	mapped  map[string]mmap.MMap
}

type checkpoint struct {
	Version int
	Game    string
	Start   uint64
	Tiers   int
	Rules   uint64 // custom.ShortFingerprint
	// Fingerprint is custom.Fingerprint, 0 in a solve that an earlier version began.
	Fingerprint uint64 `json:",omitempty"`
	// Outcomes says that steps of values from MostPlies on may be wrong.
	Outcomes bool `json:",omitempty"`
	// Ranks is the number of ranks in each tier, of a game that has them. Keys are empty then.
	Ranks []int `json:",omitempty"`
	Next  int
	// Keys are the keys of each enumerated tier, and Runs what is known of the others.
	Keys [][]file
	Runs [][]file
	// Values are those of each solved tier, the last tier's first.
	Values []file
	Begun  begun `json:",omitzero"`
}

const (
	checkpointName    = "checkpoint.json"
	checkpointVersion = 1
	maxCheckpoint     = 1 << 28 // bytes
)

// file is a work file: the keys of a segment, or the values of a tier.
type file struct {
	Name   string
	Keys   int
	Blocks int `json:",omitempty"`
	// Outcomes says that they are of ranks, 2 bits each and not 16.
	Outcomes bool `json:",omitempty"`
	Bytes    int64
	CRC      uint32 // Castagnoli
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openWork opens or makes the work directory of a solve, and removes what its checkpoint does not name. The error
// wraps ErrWork if it belongs to another solve.
func openWork(dir string, want checkpoint) (*work, error) {
	if err := durable.MkdirOwn(dir, 0o777); err != nil {
		return nil, err
	}
	want.Version = checkpointVersion
	w := &work{dir: dir, done: want, mapped: map[string]mmap.MMap{}}
	content, err := durable.ReadOwn(filepath.Join(dir, checkpointName), maxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return w, w.clean() // of a solve that was killed before its first checkpoint
	}
	if err != nil {
		return nil, err
	}
	var c checkpoint
	if err := json.Unmarshal(content, &c); err != nil || !c.continues(&want) || !c.sound() {
		return nil, fmt.Errorf("%s: %w", dir, ErrWork)
	}
	w.done, w.next = c, c.Next
	return w, w.clean()
}

func (c *checkpoint) continues(want *checkpoint) bool {
	return c.Version == want.Version && c.Game == want.Game && c.Start == want.Start && c.Tiers == want.Tiers && c.Rules == want.Rules &&
		slices.Equal(c.Ranks, want.Ranks) && (c.Fingerprint == 0 || c.Fingerprint == want.Fingerprint) && (want.Outcomes || !c.Outcomes)
}

// sound reports whether the numbers of a checkpoint fit together. The number of tiers is right.
func (c *checkpoint) sound() bool {
	enumerated := len(c.Keys)
	if enumerated > c.Tiers || len(c.Runs) != c.Tiers || len(c.Values) > c.Tiers || len(c.Values) > 0 && enumerated < c.Tiers && c.Ranks == nil || c.Next < 0 || c.Next > 1<<30 {
		return false
	}
	for _, f := range c.files() {
		if number, ok := numberOf(f.Name); !ok || number >= c.Next || f.Keys < 1 || f.Keys > math.MaxInt/2 || f.Bytes < 1 || f.Bytes > math.MaxInt {
			return false
		}
	}
	if c.Ranks != nil {
		return c.soundRanks()
	}
	for i, f := range c.Values {
		keys := 0
		for _, k := range c.Keys[c.Tiers-1-i] {
			keys += k.Keys
		}
		if f.Keys != keys || f.Bytes != 2*int64(keys) {
			return false
		}
	}
	return true
}

// soundRanks reports whether the values of tiers of ranks, and the cells of the next one, fit them.
func (c *checkpoint) soundRanks() bool {
	b := &c.Begun
	fits := func(f file, tier int, width uint64) bool {
		n := c.Ranks[tier]
		if f.Outcomes {
			width = 2
		}
		return n == 0 && f == (file{}) || f.Keys == n && f.Bytes == rankedBytes(uint64(n), width) && (c.Outcomes || !f.Outcomes && width == 16)
	}
	for i, f := range c.Values {
		if !fits(f, c.Tiers-1-i, 16) {
			return false
		}
	}
	next := c.Tiers - 1 - len(c.Values)
	begins := next >= 0 && fits(b.Cells, next, b.width()) && b.Looked <= uint64(b.Cells.Keys) && uint(b.Ply) < MostRankedPlies
	return *b == (begun{}) || begins
}

func (c *checkpoint) files() (all []file) {
	for _, files := range append(append([][]file{c.Values, {c.Begun.Cells}}, c.Keys...), c.Runs...) {
		for _, f := range files {
			if f != (file{}) { // an empty tier has no values, and there may be no cells
				all = append(all, f)
			}
		}
	}
	return all
}

func (w *work) setNamed() {
	w.named = map[string]bool{checkpointName: true}
	for _, f := range w.done.files() {
		w.named[f.Name] = true
	}
}

func (w *work) clean() error {
	w.setNamed()
	entries, err := os.ReadDir(w.dir)
	for _, e := range entries {
		if _, ours := numberOf(e.Name()); err == nil && ours && !w.named[e.Name()] {
			err = os.Remove(filepath.Join(w.dir, e.Name()))
		}
	}
	return err
}

// numberOf returns the number in a file's name, and whether it is a name that create gives.
func numberOf(name string) (number int, ours bool) {
	digits, suffix, _ := strings.Cut(name, ".")
	number, err := strconv.Atoi(digits)
	return number, err == nil && number >= 0 && (suffix == "keys" || suffix == "values") && name == nameOf(number, suffix)
}

func nameOf(number int, suffix string) string { return fmt.Sprintf("%08d.%s", number, suffix) }

// save makes a checkpoint the one that counts, and removes the files dropped since.
func (w *work) save(c checkpoint) error {
	c.Next = w.next
	content, err := json.Marshal(c)
	if err == nil {
		err = w.sync()
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(w.dir, checkpointName), content)
	}
	if err != nil {
		return err
	}
	w.done = c
	w.setNamed()
	dropped := w.dropped
	w.dropped = nil
	return w.drop(dropped)
}

// syncFile syncs a file. Tests replace it.
var syncFile = (*os.File).Sync

// sync waits until the files written since the last checkpoint are on the disk.
func (w *work) sync() error {
	for _, name := range w.fresh {
		f, err := durable.Open(filepath.Join(w.dir, name), os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped since
		}
		if err != nil {
			return err
		}
		if err := errors.Join(syncFile(f), f.Close()); err != nil {
			return err
		}
	}
	w.fresh = w.fresh[:0]
	return nil
}

// drop removes files: those that the checkpoint names after the next one.
func (w *work) drop(files []file) error {
	for _, f := range files {
		if w.named[f.Name] {
			w.dropped = append(w.dropped, f)
			continue
		}
		if err := errors.Join(w.unmap(f), os.Remove(filepath.Join(w.dir, f.Name))); err != nil {
			return err
		}
	}
	return nil
}

// create makes a file. Only the last file of a solve may be written by several
// goroutines, at different offsets.
func (w *work) create(suffix string) (*os.File, string, error) {
	w.lock.Lock()
	name := nameOf(w.next, suffix)
	w.next++
	w.fresh = append(w.fresh, name)
	w.lock.Unlock()
	f, err := durable.Open(filepath.Join(w.dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL)
	return f, name, err
}

func (w *work) write(s segment) (file, error) {
	out, name, err := w.create("keys")
	if err != nil {
		return file{}, err
	}
	f := file{Name: name, Keys: s.n, Blocks: len(s.first)}
	for _, part := range [][]byte{bitslice.Bytes(s.first), bitslice.Bytes(s.offset), s.data} {
		if err == nil {
			_, err = out.Write(part)
			f.Bytes, f.CRC = f.Bytes+int64(len(part)), crc32.Update(f.CRC, castagnoli, part)
		}
	}
	return f, errors.Join(err, out.Close())
}

func (w *work) segment(f file) (segment, error) {
	m, err := w.mapFile(f)
	if err != nil {
		return segment{}, err
	}
	first, offset := 8*f.Blocks, 12*f.Blocks
	if f.Blocks != (f.Keys+blockKeys-1)/blockKeys || f.Blocks > len(m)/12 || f.Keys-f.Blocks > len(m)-offset {
		return segment{}, fmt.Errorf("%s: %w", f.Name, ErrWork)
	}
	return segment{f.Keys, numbersOf[uint64](m[:first]), numbersOf[uint32](m[first:offset]), m[offset:]}, nil
}

func (w *work) check(f file) error {
	m, err := w.mapFile(f)
	if err == nil && crc32.Checksum(m, castagnoli) != f.CRC {
		err = fmt.Errorf("%s: %w", filepath.Join(w.dir, f.Name), ErrWork)
	}
	return err
}

func (w *work) mapFile(f file) ([]byte, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if m, ok := w.mapped[f.Name]; ok {
		return m, nil
	}
	in, err := durable.Open(filepath.Join(w.dir, f.Name), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || info.Size() != f.Bytes || f.Bytes == 0 {
		return nil, errors.Join(fmt.Errorf("%s: %w", in.Name(), ErrWork), err)
	}
	m, err := mmap.MapRegion(in, int(f.Bytes), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: in.Name(), Err: err}
	}
	w.mapped[f.Name] = m
	return m, nil
}

func (w *work) unmap(f file) error {
	m, ok := w.mapped[f.Name]
	if !ok {
		return nil
	}
	delete(w.mapped, f.Name)
	return m.Unmap()
}

func (w *work) close() (err error) {
	for name := range w.mapped {
		err = errors.Join(err, w.unmap(file{Name: name}))
	}
	return err
}

// remove removes the directory and all that the solve has put there. Other files stay,
// and the directory with them.
func (w *work) remove() error {
	err := w.close()
	w.done = checkpoint{}
	if removed := os.Remove(filepath.Join(w.dir, checkpointName)); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	err = errors.Join(err, w.clean())
	os.Remove(w.dir) // fails where somebody has put something else there
	return err
}

// numbersOf is the reverse of bitslice.Bytes; the bytes are aligned, as parts of a mapped file that begin
// at a multiple of the numbers' size are.
func numbersOf[T ~uint16 | ~uint32 | ~uint64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(T(0))))
}
