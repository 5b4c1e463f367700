package pack_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
)

var errTorn = errors.New("the tape is torn")

// torn is a file that fails once, after left reads, writes or fetches.
type torn struct {
	*inMemory
	left int
}

func (torn) ShareDeadline() (done func()) { return func() {} }

func (f *torn) fails() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.left--
	return f.left == -1
}

func (f *torn) ReadAt(b []byte, at int64) (int, error) {
	if f.fails() {
		return 0, errTorn
	}
	return f.inMemory.ReadAt(b, at)
}

func (f *torn) WriteAt(b []byte, at int64) (int, error) {
	if f.fails() {
		return 0, errTorn
	}
	return f.inMemory.WriteAt(b, at)
}

func (f *torn) Fetch(wanted []format.Extent) error {
	if f.fails() {
		return errTorn
	}
	return nil
}

// eachTorn does something with files that fail at the first access, at the second, and so on, until one
// of them does not fail: only then does it succeed, else it says why.
func eachTorn(t *testing.T, content []byte, least int, do func(f *torn) error) {
	t.Helper()
	for k := 0; ; k++ {
		f := &torn{&inMemory{bytes: content}, k}
		err := do(f)
		if f.left >= 0 {
			if err != nil || k < least {
				t.Errorf("after %d accesses none fails: %v", k, err)
			}
			return
		}
		if !errors.Is(err, errTorn) {
			t.Errorf("access %d fails: %v", k, err)
		}
	}
}

// Whichever read or fetch of a packed table fails, who wanted the bytes is told.
func TestEachReadFails(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape)))
	header, classes := tabletest.Open(t, path).Layout()
	content := tabletest.ReadFile(t, path)
	steps := classes[0].Parts[format.Steps]
	firstSteps := 1 + classes[0].Parts[format.Outcomes].Frames()
	for name, read := range map[string]func(f *pack.Frames) error{
		"around the cache": func(f *pack.Frames) error {
			_, err := f.ReadAt(make([]byte, 2*format.FrameSize), steps.Offset+8)
			return err
		},
		"through the cache": func(f *pack.Frames) error {
			n, err := f.ThroughCache().ReadAt(make([]byte, 2*format.FrameSize), steps.Offset+8)
			if n%8 != 0 {
				t.Errorf("%d bytes are read, which is no whole number of words: %v", n, err)
			}
			return err
		},
		"words": func(f *pack.Frames) error { return f.ReadWords(firstSteps, 5, make([]uint64, 2*format.FrameSize/8)) },
		"a chunk": func(f *pack.Frames) error {
			return f.CheckChunk(classes[0], format.Steps, firstSteps, 0)
		},
		"a frame": func(f *pack.Frames) error { return f.Decode(firstSteps, make([]byte, f.LengthOf(firstSteps))) },
	} {
		t.Run(name, func(t *testing.T) {
			eachTorn(t, content, 4, func(file *torn) error {
				source, err := pack.Unpacked("t.tb", file, 8*format.FrameSize)
				if err != nil {
					return err
				}
				f := source.(*pack.Frames)
				if err := f.SetRegions(header, classes); err != nil {
					return err
				}
				return read(f)
			})
		})
	}
}

// Whichever write of a packed table fails, and whatever cannot be read for it, the packer says so, and
// none waits for what does not come.
func TestEachWriteFails(t *testing.T) {
	_, classes := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape))).Layout()
	steps := classes[0].Parts[format.Steps]
	for _, unreadable := range []error{nil, io.ErrClosedPipe} {
		write := func(file *torn) error {
			p, err := pack.NewPacker(file, false)
			if err != nil {
				return err
			}
			defer p.Close()
			p.Begin(format.Part{}, 0, nil)
			if err := p.Add(make([]byte, 100), 0); err != nil {
				return err
			}
			p.Begin(steps, 2, func([]byte, int64) error { return unreadable })
			if err := p.Add(make([]byte, format.FrameSize), 0); err != nil {
				return err
			}
			_, err = p.Finish(make([]byte, format.PageSize), 0, classes)
			return err
		}
		if unreadable == nil {
			eachTorn(t, nil, 4, write)
		} else if err := write(&torn{new(inMemory), 1 << 30}); !errors.Is(err, unreadable) {
			t.Errorf("the outcomes cannot be read: %v", err)
		}
	}
	eachTorn(t, nil, 2, func(file *torn) error {
		_, err := pack.Stream(file, format.IOSize+1, func([]byte, int64) error { return nil })
		return err
	})
	if runtime.GOMAXPROCS(0) < 2 {
		return
	}
	later := make(chan struct{}) // the run after the one that fails is there first, and waits for it
	_, err := pack.Stream(new(inMemory), 2*format.IOSize, func(_ []byte, at int64) error {
		if at == 0 {
			<-later
			return errTorn
		}
		close(later)
		return nil
	})
	if !errors.Is(err, errTorn) {
		t.Errorf("the first run cannot be read: %v", err)
	}
}
