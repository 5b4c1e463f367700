package plylog

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

type memory struct {
	lock  sync.RWMutex
	bytes []byte
}

// NewMemory returns a store in memory, for classes whose logs are small.
func NewMemory() Store { return new(memory) }

func (m *memory) WriteAt(p []byte, offset int64) (int, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if need := int(offset) + len(p); need > len(m.bytes) {
		if need > cap(m.bytes) {
			m.bytes = append(make([]byte, 0, 2*need), m.bytes...)
		}
		m.bytes = m.bytes[:need]
	}
	return copy(m.bytes[offset:], p), nil
}

func (m *memory) ReadAt(p []byte, offset int64) (n int, err error) {
	m.lock.RLock()
	defer m.lock.RUnlock()
	if n = copy(p, m.bytes[min(offset, int64(len(m.bytes))):]); n < len(p) {
		err = io.EOF
	}
	return n, err
}

type file struct{ *os.File }

// DiskError says which work the disk refused, like "write a work file", and what to do. nil stays nil.
func DiskError(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot %s: %w; check the disk and solve again (finished classes are kept)", doing, err)
}

// NewFile returns a store in a file whose name begins with path. Where the system can remove an
// open file, it disappears with the process, even after a crash.
func NewFile(path string) (Store, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".log-*")
	if err != nil {
		return nil, DiskError("write a work file", err)
	}
	os.Remove(f.Name())
	return file{f}, nil
}

// Close removes the file.
func (f file) Close() error {
	err := f.File.Close()
	os.Remove(f.Name()) // where NewFile could not remove it
	return err
}
