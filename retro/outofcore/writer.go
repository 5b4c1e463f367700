package outofcore

import (
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"

	"backsolve/internal/durable"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

type stageWriter struct {
	files   *Files
	file    *os.File
	table   sliceTable
	end     int64 // of the file, where slices are packed
	queue   chan finished
	failed  error      // of writeQueue
	pool    *work.Pool // which an error stops
	writers sync.WaitGroup
}

// finished is a slice waiting to be written, in its stored form.
type finished struct {
	block   int
	bytes   []byte
	release func() // of its memory
}

// flushBytes is how much is written between flushes, so that sealing a stage waits for little.
const flushBytes = 1 << 30

// begin creates the file of a stage. At most the given number of slices wait to be written.
func (f *Files) begin(s Stage, blocks int, packed bool, queued int, pool *work.Pool) (*stageWriter, error) {
	file, err := durable.Open(stagePath(f.path, s), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	w := &stageWriter{files: f, file: file, queue: make(chan finished, queued), pool: pool}
	w.table.Sums = make([]uint32, blocks)
	if packed {
		w.table.Offsets, w.table.Lengths = make([]int64, blocks), make([]uint32, blocks)
	}
	w.writers.Go(w.writeQueue)
	return w, nil
}

// writeQueue writes the queued slices. After an error it only returns their memory.
func (w *stageWriter) writeQueue() {
	var unflushed int64
	for q := range w.queue {
		if w.failed == nil {
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
			w.failed = writeError(w.file.Name(), err)
			w.pool.Fail(w.failed)
		}
		q.release()
	}
}

// writeError adds the remedy to an error of the disk. It drops the system's path, so that the
// file is named once.
func writeError(path string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return plylog.DiskError("write "+path, err)
}

// write queues a finished slice. It never waits for the disk.
func (w *stageWriter) write(block int, stored []byte, release func()) {
	w.table.Sums[block] = crc32.Checksum(stored, castagnoli)
	w.queue <- finished{block, stored, release}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (w *stageWriter) stop() error {
	close(w.queue)
	w.writers.Wait()
	return w.failed
}

func (w *stageWriter) abandon() {
	w.stop()
	w.file.Close()
	os.Remove(w.file.Name())
}

func (w *stageWriter) finish() (*sliceFile, error) {
	err := w.stop()
	if err == nil {
		err = writeError(w.file.Name(), w.file.Sync())
	}
	if err != nil {
		w.file.Close()
		return nil, err
	}
	return &sliceFile{w.file, w.table, w.files.sliceBytes}, nil
}
