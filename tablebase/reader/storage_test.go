package reader_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// memoryStorage is a Storage in memory. It notes what was fetched and, if strict, reads nothing
// else.
type memoryStorage struct {
	bytes  []byte
	strict bool

	lock    sync.Mutex
	fetched []bool // each byte
	fetches int    // calls that brought something new
	fail    error
	shut    bool
}

func newMemoryStorage(t testing.TB, path string) *memoryStorage {
	b := tabletest.ReadFile(t, path)
	return &memoryStorage{bytes: b, fetched: make([]bool, len(b))}
}

func (s *memoryStorage) Size() (int64, error) { return int64(len(s.bytes)), nil }

func (s *memoryStorage) Close() error {
	s.shut = true
	return nil
}

func (s *memoryStorage) problem() error {
	if s.shut {
		return fs.ErrClosed
	}
	return s.fail
}

func (s *memoryStorage) ShareDeadline() (done func()) { return func() {} }

func (s *memoryStorage) Fetch(wanted []format.Extent) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	fresh := false
	for _, w := range wanted {
		for i := w.Offset; i < w.Offset+w.Length; i++ {
			fresh = fresh || !s.fetched[i]
			s.fetched[i] = true
		}
	}
	if fresh {
		s.fetches++
	}
	return s.problem()
}

func (s *memoryStorage) ReadAt(b []byte, offset int64) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.problem(); err != nil {
		return 0, err
	}
	n := copy(b, s.bytes[min(offset, int64(len(s.bytes))):])
	if s.strict {
		for i := range n {
			if !s.fetched[offset+int64(i)] {
				return 0, errors.New("this was not fetched")
			}
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// eachForm calls f with a table as a file, and with the same packed.
func eachForm(t *testing.T, path string, f func(t *testing.T, path string)) {
	packed := tabletest.Pack(t, path)
	t.Run("plain", func(t *testing.T) { f(t, path) })
	t.Run("packed", func(t *testing.T) { f(t, packed) })
}

func openMemory(t testing.TB, s format.Storage) *reader.Table {
	t.Helper()
	table, err := reader.OpenStorage("shelf", s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// A table in a storage is the same as in a file.
func TestStorageIsTheFile(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		for name, classes := range map[string][]tabletest.Sealed{"small": tabletest.SmallTable(shape), "large": tabletest.LargeTable(shape), "numbers": tabletest.NumbersTable(shape)} {
			t.Run(shape.String()+" "+name, func(t *testing.T) {
				if name != "small" && testing.Short() {
					t.Skip("takes long under the race detector")
				}
				eachForm(t, tabletest.Write(t, shape, classes), func(t *testing.T, path string) {
					file, table := tabletest.Open(t, path), openMemory(t, newMemoryStorage(t, path))
					if table.Identity() != file.Identity() || table.Bytes() != file.Bytes() || table.Packed() != file.Packed() {
						t.Error("it is another table")
					}
					checkAll(t, table, shape, classes)
					if err := table.Verify(context.Background(), 1, nil); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// Lookups read nothing that was not fetched before, so that a storage can bring all that
// a question takes at once.
func TestLookupsFetchFirst(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	eachForm(t, tabletest.Write(t, tabletest.QuixoShape, classes), func(t *testing.T, path string) {
		s := newMemoryStorage(t, path)
		s.strict = true
		table := openMemory(t, s)
		if s.fetches > 1 {
			t.Errorf("opening it fetches %d times", s.fetches)
		}
		r := rand.New(rand.NewPCG(1, 1))
		for _, c := range classes {
			sampled(c, r, 300, func(block int, index uint64) {
				b, found, err := table.Find(c.Class.Class, c.Class.Masks[block])
				if err != nil || !found || b != block {
					t.Fatalf("Find: %d, %v, %v", b, found, err)
				}
				e, err := table.Lookup(c.Class.Class, block, index)
				if err != nil || e != entryOf(c, tabletest.QuixoShape, block, index) {
					t.Fatalf("Lookup: %v, %v", e, err)
				}
			})
		}
	})
}

// What a storage says of its troubles is handed on; what it says without a sentence is
// made one. Neither is taken for damage.
func TestStorageFails(t *testing.T) {
	sentence := &tablebase.Error{Path: "far", Err: errors.New("out of reach"), Remedy: "wait"}
	eachForm(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape)), func(t *testing.T, path string) {
		for _, fail := range []error{sentence, errors.New("no sentence")} {
			s := newMemoryStorage(t, path)
			table := openMemory(t, s)
			s.fail = fail
			_, _, missed := table.Find(7, 5)
			_, lost := table.Lookup(7, 60, 1)
			for _, err := range []error{missed, lost, table.Planes(0, 0, 80, new(tablebase.Planes)), table.Verify(context.Background(), 1, nil)} {
				var e *tablebase.Error
				if !errors.Is(err, fail) && fail != error(sentence) || !errors.As(err, &e) || errors.Is(err, tablebase.ErrDamaged) || fail == error(sentence) && e != sentence {
					t.Errorf("%v, of %v", err, fail)
				}
			}
			broken := newMemoryStorage(t, path)
			broken.fail = fail
			if _, err := reader.OpenStorage("shelf", broken); !errors.Is(err, fail) && !errors.Is(err, sentence.Err) || !broken.shut {
				t.Errorf("opened: %v, closed is %v", err, broken.shut)
			}
		}
	})
}

func TestStorageClosed(t *testing.T) {
	eachForm(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape)), func(t *testing.T, path string) {
		s := newMemoryStorage(t, path)
		table := openMemory(t, s)
		for range 2 {
			if err := table.Close(); err != nil || !s.shut {
				t.Errorf("closed is %v, %v", s.shut, err)
			}
		}
		_, _, missed := table.Find(7, 5)
		_, lost := table.Lookup(7, 60, 1)
		for _, err := range []error{missed, lost, table.Planes(0, 0, 80, new(tablebase.Planes))} {
			if !errors.Is(err, tablebase.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
	})
}

// A wrong byte of a storage gives a right answer or an error. TestEveryByteFlipped flips every
// byte of a file.
func TestBytesOfAStorageFlipped(t *testing.T) {
	classes := tinyTable()
	eachForm(t, tabletest.Write(t, tabletest.QuixoShape, classes), func(t *testing.T, path string) {
		valid, step := newMemoryStorage(t, path), 37
		if testing.Short() {
			step = 5 * 37 // one thread takes long under the race detector
		}
		for at := 0; at < len(valid.bytes); at += step {
			s := &memoryStorage{bytes: bytes.Clone(valid.bytes), fetched: make([]bool, len(valid.bytes))}
			s.bytes[at] ^= 1 << (at % 8)
			table, err := reader.OpenStorage("shelf", s)
			if err != nil {
				checkRefusal(t, "shelf", err)
				continue
			}
			for i, c := range classes {
				probeClass(t, table, i, c)
			}
			table.Close()
			if t.Failed() {
				t.Fatalf("byte %d was flipped", at)
			}
		}
	})
}

// A file that the system cannot map is read instead.
func TestUnmappedFile(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	table := tabletest.Open(t, path)
	table.WithoutMapping(func() { checkAll(t, table, tabletest.QuixoShape, classes) })
}

// Of chunks that were checked and are packed, the bytes of a word alone are fetched; else
// the whole chunks are. Word 2730 of three columns lies in two.
func TestWanted(t *testing.T) {
	eachForm(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape)), func(t *testing.T, path string) {
		table := openMemory(t, newMemoryStorage(t, path))
		at := records(table)[0].Parts[format.Steps].Offset
		chunks := []format.Extent{{Offset: at, Length: format.ChunkSize}, {Offset: at + format.ChunkSize, Length: format.ChunkSize}}
		if got := table.Wanted(7, format.Steps, 2730); !slices.Equal(got, chunks) {
			t.Errorf("%v, want %v", got, chunks)
		}
		table.SetChecked(7, format.Steps, 0)
		table.SetChecked(7, format.Steps, 1)
		want := chunks
		if table.Packed() > 0 {
			want = []format.Extent{{Offset: at + 65520, Length: 16}, {Offset: at + 65536, Length: 8}}
		}
		if got := table.Wanted(7, format.Steps, 2730); !slices.Equal(got, want) {
			t.Errorf("checked: %v, want %v", got, want)
		}
		if got := table.Wanted(2, format.Steps, 0); got != nil {
			t.Errorf("without digits: %v", got)
		}
	})
}
