package container

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// source is a source in memory. It notes what was fetched and how often it was closed.
type source struct {
	content                                       []byte
	unsized, unfetched, unreadable, closingFailed error
	fetched                                       []format.Extent
	closed                                        int
}

func (s *source) Size() (int64, error) { return int64(len(s.content)), s.unsized }
func (s *source) Close() error         { s.closed++; return s.closingFailed }

func (s *source) ReadAt(b []byte, at int64) (int, error) {
	if s.unreadable != nil {
		return 0, s.unreadable
	}
	return bytes.NewReader(s.content).ReadAt(b, at)
}

func (s *source) Fetch(wanted []format.Extent) error {
	s.fetched = append(s.fetched, wanted...)
	return s.unfetched
}

// storage is a source on another machine. It counts the answers that share a deadline.
type storage struct {
	source
	begun, ended int
}

func (s *storage) ShareDeadline() (done func()) {
	s.begun++
	return func() { s.ended++ }
}

var errTape = errors.New("the tape is torn")

// says fails the test unless an error is a sentence about a table, with a cause, a text and a remedy.
func says(t *testing.T, err error, path string, cause error, text, remedy string) {
	t.Helper()
	about, ok := err.(*tablebase.Error)
	if !ok || about.Path != path || cause != nil && !errors.Is(err, cause) || !strings.Contains(err.Error(), text) || about.Remedy != remedy {
		t.Errorf("%#v, want that %s: %v, %q; %q", err, path, cause, text, remedy)
	}
}

// opens returns a function that opens the file of a table, and notes by which path.
func opens(path *string) func(string, format.Source) (*File, error) {
	return func(p string, raw format.Source) (*File, error) {
		*path = p
		return New(p, raw, 0)
	}
}

// save writes a file and returns its path.
func save(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.tb")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// openFile opens a file for the length of the test.
func openFile(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, opens(new(string)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// packed returns content packed.
func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	path := save(t, nil)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := pack.Stream(file, int64(len(content)), func(b []byte, at int64) error { copy(b, content[at:]); return nil }); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A file is opened by its path, or by its name beneath a directory, out of which no link leads. What is
// no regular file is foreign.
func TestOpen(t *testing.T) {
	path, called := save(t, []byte("content of a table")), ""
	dir := filepath.Dir(path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(name string) (*File, error){
		func(name string) (*File, error) { return Open(filepath.Join(dir, name), opens(&called)) },
		func(name string) (*File, error) { return OpenIn(root, name, opens(&called)) },
	} {
		called = ""
		f, err := open("a.tb")
		if err != nil || called != path || f.Path() != path || f.Bytes() != 18 || f.Packed() != 0 || f.Remedy() != "" || f.Storage != nil || f.Frames != nil {
			t.Errorf("opened as %s: %+v, %v", called, f, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		called = ""
		_, err = open("none.tb")
		says(t, err, filepath.Join(dir, "none.tb"), fs.ErrNotExist, "cannot open the table", "")
		_, err = open("folder")
		says(t, err, filepath.Join(dir, "folder"), tablebase.ErrForeign, "it is a directory", "")
		if called != "" {
			t.Errorf("%s is opened as a table", called)
		}
	}
	if err := os.Symlink(save(t, nil), filepath.Join(dir, "out")); err == nil {
		if _, err := OpenIn(root, "out", opens(&called)); err == nil || called != "" {
			t.Errorf("a link out of the directory: %v", err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	_, err = openRegular(path, file, nil, opens(&called))
	says(t, err, path, fs.ErrClosed, "cannot read the table", "")
	if _, err := (plainFile{file}).Size(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the size of a closed file: %v", err)
	}
}

// The ends of a table in a storage are fetched before it is opened. Where that fails it is closed.
func TestOpenStorage(t *testing.T) {
	for _, size := range []int64{0, 1, fetchedHead - 1, fetchedHead, fetchedHead + 1, fetchedTail - 1, fetchedTail, fetchedTail + 1, 5 * fetchedTail} {
		s, called := &storage{source: source{content: make([]byte, size)}}, ""
		f, err := OpenStorage("shelf", s, opens(&called))
		if err != nil || called != "shelf" || f.Bytes() != size || f.Storage != format.Storage(s) || s.closed != 0 {
			t.Errorf("%d bytes are %d in %q: %v", size, f.Bytes(), called, err)
		}
		tail := max(0, size-fetchedTail)
		if want := []format.Extent{{Offset: 0, Length: min(size, fetchedHead)}, {Offset: tail, Length: size - tail}}; !slices.Equal(s.fetched, want) {
			t.Errorf("%d bytes: %v is fetched, want %v", size, s.fetched, want)
		}
	}
	for what, s := range map[string]*storage{"size": {source: source{unsized: errTape}}, "fetch": {source: source{unfetched: errTape}}} {
		called := ""
		_, err := OpenStorage("shelf", s, opens(&called))
		says(t, err, "shelf", errTape, "cannot open the table", "")
		if s.closed != 1 || called != "" || what == "size" && s.fetched != nil {
			t.Errorf("%s fails: it is closed %d times and opened as %q, and %v is fetched", what, s.closed, called, s.fetched)
		}
	}
}

// A source is the file of a table, packed or not. What cannot be one is closed.
func TestNew(t *testing.T) {
	content := bytes.Repeat([]byte("backsolve "), 10_000)
	small := packed(t, content)
	for _, stored := range [][]byte{content, small} {
		isPacked := len(stored) == len(small)
		path := save(t, stored)
		local := openFile(t, path)
		far, err := New("shelf", &storage{source: source{content: stored}}, 8*format.FrameSize)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*File{local, far} {
			want := int64(0)
			if isPacked {
				want = int64(len(small))
			}
			if f.Bytes() != int64(len(content)) || f.Packed() != want || (f.Frames != nil) != isPacked || (f.Storage != nil) != (f == far) {
				t.Errorf("%s has %d bytes, %d packed", f.Path(), f.Bytes(), f.Packed())
			}
			if isPacked {
				if err := f.Frames.SetUniform(); err != nil {
					t.Fatal(err)
				}
			}
			b := make([]byte, 30)
			if n, err := f.ReadAt(b, 10); n != 30 || err != nil || string(b) != strings.Repeat("backsolve ", 3) {
				t.Errorf("%s: %d bytes are read, %q, %v", f.Path(), n, b, err)
			}
			if n, err := f.ReadAt(b, int64(len(content))-20); n != 20 || err != io.EOF {
				t.Errorf("%s: %d bytes are read at the end, %v", f.Path(), n, err)
			}
		}
		if local.Remedy() != "" || far.Remedy() != putAgain {
			t.Errorf("against damage: %q, %q", local.Remedy(), far.Remedy())
		}
		if mapped, err := local.Map(0, 0); err != nil || isPacked && (mapped != nil || local.Mapped() != nil) {
			t.Errorf("%d bytes are mapped: %v", len(mapped), err)
		}
	}
	cut := &source{content: small[:len(small)-1]}
	if _, err := New("cut", cut, 0); !errors.Is(err, tablebase.ErrTruncated) || cut.closed != 1 {
		t.Errorf("cut short: %v, it is closed %d times", err, cut.closed)
	}
	s := &sizedOnce{source: source{content: content, unsized: errTape}}
	_, err := New("shelf", s, 0)
	says(t, err, "shelf", errTape, "cannot read the table", "")
	if s.closed != 1 {
		t.Errorf("without a size: it is closed %d times", s.closed)
	}
}

// sizedOnce is a source whose size is told once.
type sizedOnce struct {
	source
	told bool
}

func (s *sizedOnce) Size() (int64, error) {
	if !s.told {
		s.told = true
		return int64(len(s.content)), nil
	}
	return s.source.Size()
}

// A file is mapped where the system can, until it is closed or every lookup is to check what it reads. Its
// end tells whether it is still whole.
func TestMap(t *testing.T) {
	path := save(t, []byte("the data, and 8 bytes"))
	f := openFile(t, path)
	if f.Mapped() != nil || !f.Trusting() {
		t.Error("it is mapped before Map")
	}
	mapped, err := f.Map(13, 0x7365747962203820) // " 8 bytes"
	if err != nil {
		t.Fatal(err)
	}
	if mapped == nil {
		t.Skip("files are not mapped here")
	}
	if string(mapped) != "the data, and 8 bytes" || &f.Mapped()[0] != &mapped[0] || !f.Whole(mapped) {
		t.Errorf("%q is mapped, %t, whole: %t", mapped, f.Mapped() != nil, f.Whole(mapped))
	}
	if err := os.WriteFile(path, []byte("the data, and 9 bytes"), 0o666); err != nil {
		t.Fatal(err)
	}
	if f.Whole(mapped) {
		t.Error("it is whole with another end")
	}
	f.CheckAlways()
	if f.Mapped() != nil || f.Trusting() {
		t.Error("it is mapped although every lookup is to check")
	}
	closed := openFile(t, path)
	if _, err := closed.Map(0, 0); err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil || closed.Mapped() != nil {
		t.Errorf("it is mapped after Close: %v", err)
	}
}

// A file that the system cannot map is read instead; what else fails is said.
func TestMapFails(t *testing.T) {
	before := MapFile
	defer func() { MapFile = before }()
	path := save(t, []byte("content"))
	for cause, refused := range map[error]bool{errors.ErrUnsupported: false, syscall.ENOMEM: false, syscall.EACCES: true} {
		MapFile = func(*os.File, int64) ([]byte, error) { return nil, fmt.Errorf("as ever: %w", cause) }
		f := openFile(t, path)
		mapped, err := f.Map(0, 0)
		if mapped != nil || f.Mapped() != nil || (err != nil) != refused {
			t.Errorf("%v: %v", cause, err)
		}
		if refused {
			says(t, err, path, cause, "cannot map the table", "")
		}
	}
	MapFile = func(_ *os.File, length int64) ([]byte, error) {
		if length != math.MaxInt {
			t.Errorf("%d bytes are to be mapped", length)
		}
		return nil, errTape
	}
	if _, err := (&File{path: path, Data: plainFile{}, length: math.MaxInt}).Map(0, 0); !errors.Is(err, errTape) {
		t.Errorf("all that can be addressed: %v", err)
	}
}

// aFault is what the runtime panics with when a mapping cannot be read.
type aFault struct{}

func (aFault) Addr() uintptr { return 4096 }
func (aFault) Error() string { return "unexpected fault address" }

// A fault of the mapping becomes an error that says why: the file was cut short or closed, or the disk
// fails. Other panics go on. The goroutine's way of taking faults is what it was.
func TestRecoverFault(t *testing.T) {
	try := func(f *File, before bool, cause any) (err error) {
		defer f.RecoverFault(before, &err)
		debug.SetPanicOnFault(!before)
		if cause != nil {
			panic(cause)
		}
		return errTape
	}
	s := &source{content: make([]byte, 10)}
	f, err := New("shelf", s, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []bool{true, false} {
		if err := try(f, before, nil); err != errTape {
			t.Errorf("without a fault: %v", err)
		}
		if after := debug.SetPanicOnFault(false); after != before {
			t.Errorf("faults panic: %t, and %t before", after, before)
		}
	}
	says(t, try(f, false, aFault{}), "shelf", nil, "cannot read the table: unexpected fault address", "check the disk")
	s.content = s.content[:9]
	says(t, try(f, false, aFault{}), "shelf", tablebase.ErrTruncated, "shortened", "")
	s.content, s.unsized = s.content[:10], errTape
	says(t, try(f, false, aFault{}), "shelf", tablebase.ErrTruncated, "shortened", "")
	s.unsized = nil
	f.Close()
	says(t, try(f, false, aFault{}), "shelf", tablebase.ErrClosed, "", "")
	defer func() {
		if cause := recover(); cause != "a mistake" {
			t.Errorf("another panic: %v", cause)
		}
	}()
	try(f, false, "a mistake")
}

// Lookups are made again, once, if somebody has written to the file since it was opened, and checked from
// then on; not so if it was cut short or closed, or is read with checks anyhow.
func TestWithRevalidation(t *testing.T) {
	for _, c := range []struct {
		written, closed bool
		fails           error
		calls           int
	}{{false, false, nil, 1}, {false, false, errTape, 1}, {true, false, nil, 2}, {true, false, errTape, 2}, {true, false, tablebase.ErrTruncated, 1}, {true, true, nil, 1}} {
		path := save(t, []byte("content"))
		f := openFile(t, path)
		if mapped, err := f.Map(0, 0); mapped == nil {
			t.Skip("files are not mapped here", err)
		}
		calls := 0
		err := f.WithRevalidation(func() error {
			if calls++; calls == 1 && c.written {
				if err := os.WriteFile(path, []byte("another"), 0o666); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, 0o600); err != nil { // a change for sure, however coarse the clock is
					t.Fatal(err)
				}
				if err := os.Truncate(path, 6); err != nil {
					t.Fatal(err)
				}
			}
			if c.closed {
				f.Close()
			}
			return c.fails
		})
		if err != c.fails || calls != c.calls || f.Trusting() != (calls == 1) {
			t.Errorf("%+v: %d calls, %v, trusting %t", c, calls, err, f.Trusting())
		}
		if err := f.WithRevalidation(func() error { calls++; return errTape }); calls != c.calls+1 && !(calls == c.calls+2 && c.fails == tablebase.ErrTruncated) || err != errTape {
			t.Errorf("%+v, again: %d calls, %v", c, calls, err)
		}
	}
}

// An answer from a storage has one deadline; on this machine there is none.
func TestShareDeadline(t *testing.T) {
	s := &storage{}
	far, err := New("shelf", s, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := far.ShareDeadline()
	if s.begun != 1 || s.ended != 0 {
		t.Errorf("%d are begun, %d ended", s.begun, s.ended)
	}
	if done(); s.ended != 1 {
		t.Errorf("%d are ended", s.ended)
	}
	openFile(t, save(t, nil)).ShareDeadline()()
}

// A table is closed once. Why it cannot be is said, but for its having been closed by others.
func TestClose(t *testing.T) {
	for _, fails := range []error{nil, fs.ErrClosed, errTape} {
		s := &source{closingFailed: fails}
		f, err := New("shelf", s, 0)
		if err != nil || f.IsClosed() {
			t.Fatal(err)
		}
		err = f.Close()
		if fails == errTape {
			says(t, err, "shelf", errTape, "cannot close the table", "")
		} else if err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil || s.closed != 1 || !f.IsClosed() {
			t.Errorf("closed again: %v, in all %d times", err, s.closed)
		}
	}
}

// An error of reading becomes a sentence about the table.
func TestFailed(t *testing.T) {
	named := &tablebase.Error{Path: "elsewhere", Err: errTape}
	for _, s := range []format.Source{&source{}, &storage{}} {
		f, err := New("shelf", s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Failed(nil); err != nil {
			t.Error(err)
		}
		if err := f.Failed(fmt.Errorf("wrapped: %w", named)); err != error(named) {
			t.Errorf("a sentence: %v", err)
		}
		unnamed := &tablebase.Error{Err: errTape, Remedy: "mend it"}
		says(t, f.Failed(unnamed), "shelf", errTape, "", "mend it")
		if unnamed.Path != "" {
			t.Error("a sentence that others have is changed")
		}
		says(t, f.Failed(fs.ErrClosed), "shelf", tablebase.ErrClosed, "", "")
		says(t, f.Failed(tablebase.ErrForeign), "shelf", tablebase.ErrForeign, "", "")
		says(t, f.Failed(tablebase.ErrNewer), "shelf", tablebase.ErrNewer, "", "")
		says(t, f.Failed(tablebase.ErrTruncated), "shelf", tablebase.ErrTruncated, "", f.Remedy())
		says(t, f.Failed(io.ErrUnexpectedEOF), "shelf", tablebase.ErrTruncated, "shortened", f.Remedy())
		for _, damage := range []error{format.ErrHeader, format.ErrDirectory, format.ErrSeekTable, &format.BadFrame{Cause: errTape}} {
			says(t, f.Failed(fmt.Errorf("found: %w", damage)), "shelf", tablebase.ErrDamaged, "found: "+damage.Error(), f.Remedy())
		}
		says(t, f.Failed(errTape), "shelf", errTape, "cannot read the table", "")
		if _, err := (&File{path: "shelf", Data: &source{unreadable: errTape}}).ReadAt(make([]byte, 1), 0); true {
			says(t, err, "shelf", errTape, "cannot read the table", "")
		}
		says(t, f.Shrunk(), "shelf", tablebase.ErrTruncated, "shortened", f.Remedy())
		f.Close()
		says(t, f.Failed(errTape), "shelf", tablebase.ErrClosed, "", "")
		says(t, f.Shrunk(), "shelf", tablebase.ErrClosed, "", "")
	}
}

// Each chunk has a bit of its own, which is set once.
func TestChecked(t *testing.T) {
	for chunks, words := range map[int64]int{0: 0, 1: 1, 64: 1, 65: 2, 128: 2, 129: 3} {
		c := NewChecked(chunks)
		if len(c) != words {
			t.Errorf("%d chunks have %d words", chunks, len(c))
		}
		for i := range uint(chunks) {
			if c.Has(i) || !c.Set(i) || !c.Has(i) || c.Set(i) {
				t.Errorf("chunk %d of %d is not set once", i, chunks)
			}
			if i+1 < uint(chunks) && c.Has(i+1) {
				t.Errorf("chunk %d of %d is set with the one before", i+1, chunks)
			}
		}
	}
}

// Runs of bytes that overlap or touch are fetched as one, in the order of the file.
func TestJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		var wanted []format.Extent
		var want, got [64]bool
		for range r.IntN(6) {
			w := format.Extent{Offset: int64(r.IntN(40)), Length: int64(1 + r.IntN(12))}
			wanted = append(wanted, w)
			for i := range w.Length {
				want[w.Offset+i] = true
			}
		}
		all := fmt.Sprint(wanted)
		runs := joined(wanted)
		for n, run := range runs {
			if n > 0 && run.Offset <= runs[n-1].Offset+runs[n-1].Length {
				t.Errorf("%s as %v", all, runs)
			}
			for i := range run.Length {
				got[run.Offset+i] = true
			}
		}
		if got != want {
			t.Errorf("%s as %v", all, runs)
		}
	}
	f := openFile(t, save(t, make([]byte, 100)))
	if err := f.Data.Fetch([]format.Extent{{Offset: 50, Length: 10}, {Offset: 0, Length: 10}}); err != nil {
		t.Error(err)
	}
}
