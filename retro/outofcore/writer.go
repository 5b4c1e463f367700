package outofcore

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"

	"backsolve/bitslice"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// subclassWriter writes the file of the subclass in work.
type subclassWriter struct {
	files   *Files
	file    *os.File
	table   sliceTable
	end     int64 // of what is written, where slices are packed
	first   []first
	queue   chan finished
	failed  work.FirstError
	writers sync.WaitGroup
}

// finished is a slice on its way to the file, as it will lie there; its memory goes
// to free then.
type finished struct {
	block int
	bytes []byte
	slice []uint64
	free  chan<- []uint64
}

// flushBytes is how much is written before it is flushed, so that little is left
// to wait for when a subclass is sealed.
const flushBytes = 1 << 30

// begin creates the file of a subclass. At most queued slices wait to be written.
func (f *Files) begin(s Subclass, class *partition.Class, packed bool, queued int) (*subclassWriter, error) {
	file, err := durable.Open(f.subclassPath(s), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	blocks := len(class.Masks)
	w := &subclassWriter{files: f, file: file, queue: make(chan finished, queued)}
	w.table.Sums = make([]uint32, blocks)
	if packed {
		w.table.Offsets, w.table.Lengths = make([]int64, blocks), make([]uint32, blocks)
	}
	w.first = f.notedIn(s, class)
	w.writers.Go(w.writeQueue)
	return w, nil
}

// writeQueue writes what is queued. After an error it only gives memory back.
func (w *subclassWriter) writeQueue() {
	var unflushed int64
	for q := range w.queue {
		if w.failed.Get() == nil {
			offset := int64(q.block) * w.files.sliceBytes
			if w.table.packed() {
				offset = w.end
				w.table.Offsets[q.block], w.table.Lengths[q.block] = offset, uint32(len(q.bytes))
				w.end += int64(len(q.bytes))
			}
			_, err := w.file.WriteAt(q.bytes, offset)
			if unflushed += int64(len(q.bytes)); err == nil && unflushed >= flushBytes {
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
	return fmt.Errorf("cannot write %s: %w; see to the disk and solve again: the finished classes are kept", path, err)
}

// write queues a finished slice, packed in its own memory where it becomes
// shorter by that. It never waits for the disk.
func (w *subclassWriter) write(p *packer, block int, slice []uint64, free chan<- []uint64) error {
	for i := range w.first {
		if v := &w.first[i]; v.block == block {
			v.Won = slice[v.index/64]>>(v.index%64)&1 == 1
		}
	}
	b := toStore(p, slice, w.table.packed())
	w.table.Sums[block] = crc32.Checksum(b, castagnoli)
	w.queue <- finished{block, b, slice, free}
	return w.failed.Get()
}

// toStore returns the bytes of a slice as they are to be stored, in its own memory: packed, if
// that is wanted and makes them fewer.
func toStore(p *packer, slice []uint64, packed bool) []byte {
	b := bitslice.Bytes(slice)
	if packed {
		if p.packed = p.pack(p.packed[:0], b); len(p.packed) < len(b) {
			b = b[:copy(b, p.packed)]
		}
	}
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stop waits until nothing is written any more.
func (w *subclassWriter) stop() error {
	close(w.queue)
	w.writers.Wait()
	return w.failed.Get()
}

// abandon drops the subclass in work.
func (w *subclassWriter) abandon() {
	w.stop()
	w.file.Close()
	os.Remove(w.file.Name())
}

// finish makes the subclass durable and lets go of what it was made from. It returns
// the length of the file.
func (w *subclassWriter) finish(c ClassCounts) (int64, error) {
	err := w.stop()
	if err == nil {
		err = writeError(w.file.Name(), w.file.Sync())
	}
	if err != nil {
		w.file.Close()
		return 0, err
	}
	var values []FirstValue
	for _, v := range w.first {
		values = append(values, v.FirstValue)
	}
	size := w.files.sliceBytes
	return w.table.size(size), w.files.take(c, values, &sliceFile{w.file, w.table, size})
}
