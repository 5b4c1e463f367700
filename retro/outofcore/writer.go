package outofcore

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// classWriter writes the file of the class in work.
type classWriter struct {
	files   *Files
	file    *os.File
	sums    []uint32
	won     atomic.Bool
	queue   chan finished
	failed  work.FirstError
	writers sync.WaitGroup
}

// finished is a slice on its way to the file; its memory goes to free then.
type finished struct {
	block int
	slice []uint64
	free  chan<- []uint64
}

// flushBytes is how much is written before it is flushed, so that little is left
// to wait for when a class is sealed.
const flushBytes = 1 << 30

// begin creates the file of a class. At most queued slices wait to be written.
func (f *Files) begin(class, blocks, queued int) (*classWriter, error) {
	file, err := os.Create(f.classPath(class))
	if err != nil {
		return nil, writeError(f.classPath(class), err)
	}
	w := &classWriter{files: f, file: file, sums: make([]uint32, blocks), queue: make(chan finished, queued)}
	w.writers.Go(w.writeQueue)
	return w, nil
}

// writeQueue writes what is queued. After an error it only gives memory back.
func (w *classWriter) writeQueue() {
	var unflushed int64
	for q := range w.queue {
		if w.failed.Get() == nil {
			b := bitslice.Bytes(q.slice)
			_, err := w.file.WriteAt(b, int64(q.block)*w.files.sliceBytes)
			if unflushed += int64(len(b)); err == nil && unflushed >= flushBytes {
				unflushed = 0
				err = w.file.Sync()
			}
			w.failed.Set(writeError(w.file.Name(), err))
		}
		q.free <- q.slice
	}
}

// writeError says what to do about an error of the disk. The system names the
// file, too; once is enough.
func writeError(path string, err error) error {
	if err == nil {
		return nil
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot write %s: %w; see to the disk, and run the same command again", path, err)
}

// write queues a finished slice. It never waits for the disk.
func (w *classWriter) write(block int, slice []uint64, free chan<- []uint64) error {
	w.sums[block] = crc32.Checksum(bitslice.Bytes(slice), castagnoli)
	if block == 0 {
		w.won.Store(slice[0]&1 == 1)
	}
	w.queue <- finished{block, slice, free}
	return w.failed.Get()
}

// stop waits until nothing is written any more.
func (w *classWriter) stop() error {
	close(w.queue)
	w.writers.Wait()
	return w.failed.Get()
}

// abandon drops the class in work.
func (w *classWriter) abandon() {
	w.stop()
	w.file.Close()
	os.Remove(w.file.Name())
}

// finish makes the class durable and lets go of the one above.
func (w *classWriter) finish(c ClassCounts) error {
	if err := cmp.Or(w.stop(), writeError(w.file.Name(), w.file.Sync())); err != nil {
		w.file.Close()
		return err
	}
	return w.files.take(c, w.file, w.sums, w.won.Load())
}
