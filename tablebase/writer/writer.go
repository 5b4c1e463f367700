package writer

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// syncEvery is how much work a power cut may cost besides the current class: flushing more often
// would cost short solves more than their computing. A killed process loses nothing.
const syncEvery = 5 * time.Second

// otherWriter is the remedy where written parts do not read as they were written.
const otherWriter = "something else wrote to it; solve again, and what is damaged is solved anew"

// file is what a Writer needs of a file; tests use failing ones.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Sync() error
	Close() error
}

// Writer writes a table class by class. Until Finish the data are beside the table, in
// path.partial, and path.manifest lists the sealed classes, so that an interrupted solve can be
// resumed. A Writer is not safe for concurrent use; each call uses all cores.
type Writer struct {
	target
	lock *durable.Locked
	// elsewhere has the outcomes and steps of all classes, nil if they are in the partial file.
	elsewhere *Elsewhere
	partial   file
	manifest  file
	direct    *os.File // the partial file around the file cache; nil where that is not possible
	// known are the offsets of the parts that were read back, while the partial file is as left.
	known map[int64]bool
	left  os.FileInfo
	// unread are the parts of the last class that are being read back, reads what became of it.
	unread  []format.Part
	reads   chan error
	packer  *pack.Packer // nil where the table is not packed
	class   file         // in which other processes write a class that is to be packed, nil before
	records []*format.Record
	listed  int64 // bytes of the manifest that list the records
	synced  time.Time
	dropped string
	// What a packed table has so far, unpacked; nil until it is read.
	reading  sync.Mutex
	unpacked io.ReaderAt
}

// Create takes the lock of a table and begins to write it, or resumes an interrupted solve of the same shape. A path
// that ends in PackedSuffix becomes a packed table, with the bytes that Pack gives it. With overwrite, a finished table
// stays until Finish. Errors: ErrBusy while another process writes the table, and without overwrite ErrExists if it is
// finished, or ErrOtherSolve if the interrupted solve has another shape, format version or packing.
func Create(path string, shape tablebase.Shape, overwrite bool) (*Writer, error) {
	return CreateElsewhere(path, shape, overwrite, nil)
}

// Sealed returns the sealed classes in their order, those of a resumed solve first.
func (w *Writer) Sealed() []tablebase.ClassInfo { return format.Infos(w.records) }

// Written returns the bytes of the sealed classes in the file.
func (w *Writer) Written() int64 {
	if w.packer != nil {
		return w.packer.Length()
	}
	return w.end()
}

// Dropped says in a sentence what of an interrupted solve could not be resumed, "" for nothing.
func (w *Writer) Dropped() string { return w.dropped }

// Seal appends a class. A sealed class survives a killed process, and a power cut except in the last seconds. If c, p
// and n do not fit together, the error is ErrInput: counts add up as Counts.Check says, no state is won and lost, and no
// draw has steps. After an error of the disk, Seal may be called again.
func (w *Writer) Seal(c tablebase.Class, p tablebase.Planes, n tablebase.Counts) error {
	r, err := w.layOut(c, format.DigitsOf(&p), n)
	if err == nil && w.elsewhere != nil {
		err = tablebase.Inputf(w.path, "class %d is to be written elsewhere", c.Class)
	}
	if err != nil {
		return err
	}
	return w.seal(r, p, c.Masks)
}

func (w *Writer) seal(r *format.Record, p tablebase.Planes, masks []uint64) error {
	if err := format.CheckPlanes(&p, w.shape, r.IndexBits, r.Parts[format.Outcomes].Words); err != nil {
		return tablebase.Inputf(w.path, "class %d: %v", r.Class, err)
	}
	outcomes, steps := format.PlaneColumns(&p, r.IndexBits)
	return w.writeParts(r, [format.PartCount]format.Columns{outcomes, steps, format.Held([][]uint64{masks})}, func(buf []byte, at int64) error {
		return format.OutcomesAt(&p, buf, at)
	})
}

// writeParts writes the parts of a class and lists it as sealed. Steps are packed by the outcomes.
func (w *Writer) writeParts(r *format.Record, columns [format.PartCount]format.Columns, outcomes func(buf []byte, at int64) error) error {
	return w.addParts(r, func(i int, p format.Part) (err error) {
		if w.packer != nil {
			w.packer.Begin(p, w.shape.Planes, outcomes)
			r.Sums[i], err = w.packer.AddPart(p, columns[i])
		} else {
			r.Sums[i], err = w.writePart(p, columns[i])
		}
		return err
	})
}

// addParts adds the parts of a class by a function, and lists it as sealed.
func (w *Writer) addParts(r *format.Record, add func(i int, p format.Part) error) error {
	if err := w.endReadBack(); err != nil {
		return err
	}
	w.unread = nil
	w.dropUnsealed()
	w.forgetIfChanged()
	defer w.remember()
	from := len(w.packer.Entries())
	for i, p := range r.Parts {
		if err := add(i, p); err != nil {
			return w.writeError(w.partialPath(), err)
		}
	}
	if err := w.list(r, w.packer.Entries()[from:]); err != nil {
		return err
	}
	w.startReadBack()
	return nil
}

// list adds a class whose data are written to the manifest, with the entries of its frames.
func (w *Writer) list(r *format.Record, entries []byte) error {
	frame := r.ManifestFrame(entries)
	if _, err := w.manifest.WriteAt(frame, w.listed); err != nil {
		return w.writeError(w.manifestPath(), err)
	}
	if time.Since(w.synced) >= syncEvery {
		if err := w.sync(); err != nil {
			return err
		}
	}
	w.listed += int64(len(frame))
	w.records, w.unpacked = append(w.records, r), nil
	return nil
}

// layOut checks a class to be sealed, except its planes, and lays it out after the others. The
// error is an ErrInput or ErrClosed.
func (w *Writer) layOut(c tablebase.Class, digits int, n tablebase.Counts) (*format.Record, error) {
	if w.lock == nil {
		return nil, w.closed()
	}
	if err := n.Check(w.shape, c.IndexBits, len(c.Masks)); err != nil {
		return nil, tablebase.Inputf(w.path, "class %d: %v", c.Class, err)
	}
	return w.layOutUncounted(c, digits, n)
}

// layOutUncounted is layOut with counts that need not add up.
func (w *Writer) layOutUncounted(c tablebase.Class, digits int, n tablebase.Counts) (*format.Record, error) {
	if last := len(w.records) - 1; last >= 0 && c.Class >= w.records[last].Class {
		return nil, tablebase.Inputf(w.path, "class %d comes after class %d: the fullest class is the first", c.Class, w.records[last].Class)
	}
	r, err := format.NewRecord(w.shape, c.Class, c.IndexBits, int64(len(c.Masks)), digits, w.end())
	if err != nil {
		return nil, tablebase.Inputf(w.path, "%v", err)
	}
	err = format.CheckMasks(w.shape, c.Masks)
	if err == nil {
		err = format.CheckRows(w.shape, digits, len(n.BySteps))
	}
	if err != nil {
		return nil, tablebase.Inputf(w.path, "class %d: %v", c.Class, err)
	}
	r.Counts = tablebase.Counts{ByWeight: slices.Clone(n.ByWeight), BySteps: slices.Clone(n.BySteps)}
	return r, nil
}

// end is where the next class, or the footer, starts.
func (w *Writer) end() int64 {
	if len(w.records) == 0 {
		return format.PageSize
	}
	return w.records[len(w.records)-1].End()
}

// Layout returns where other processes are to write the outcomes and steps of the next class, and in which file, before
// SealWritten. In a packed table, where the place of a frame depends on all before it, that is a file of its own.
func (w *Writer) Layout(c tablebase.Class, n tablebase.Counts) (parts []format.Part, file string, err error) {
	r, err := w.layOutUncounted(c, digitsOf(n), n)
	if err != nil {
		return nil, "", err
	}
	if w.packer != nil && w.class == nil {
		if w.class, err = openForWriting(w.classPath()); err != nil {
			return nil, "", err
		}
	}
	return r.Parts[:format.Masks], w.target.written(), nil
}

// digitsOf returns the digits of the greatest number that is counted.
func digitsOf(n tablebase.Counts) int { return bits.Len(uint(max(0, len(n.BySteps)-1))) }

// SealWritten is Seal for a class that other processes have written to its Layout, and read back:
// sums are those of the chunks of outcomes and steps.
func (w *Writer) SealWritten(c tablebase.Class, n tablebase.Counts, sums [][]uint32) error {
	r, err := w.layOut(c, digitsOf(n), n)
	if err != nil {
		return err
	}
	for i, p := range r.Parts[:format.Masks] {
		if len(sums[i]) != p.Chunks() {
			return tablebase.Inputf(w.path, "class %d: %d checksums of %d chunks", c.Class, len(sums[i]), p.Chunks())
		}
		r.Sums[i], w.known[p.Offset] = sums[i], w.packer == nil
	}
	if w.packer != nil {
		return w.packWritten(r, c.Masks)
	}
	if r.Sums[format.Masks], err = r.Parts[format.Masks].Write(w.partial, format.Held([][]uint64{c.Masks})); err != nil {
		return w.writeError(w.partialPath(), err)
	}
	defer w.remember()
	return w.list(r, nil)
}

// Flush waits until the sealed classes are on the disk, where a power cut costs none of them.
func (w *Writer) Flush() error {
	if w.lock == nil {
		return w.closed()
	}
	return w.sync()
}

// sync flushes what was written. If data and manifest reach the disk in the wrong order before
// a power cut, the checksums tell.
func (w *Writer) sync() error {
	if err := w.partial.Sync(); err != nil {
		return w.writeError(w.partialPath(), err)
	}
	if err := w.manifest.Sync(); err != nil {
		return w.writeError(w.manifestPath(), err)
	}
	if err := durable.SyncDir(filepath.Dir(w.path)); err != nil { // their names
		return w.writeError(w.partialPath(), err)
	}
	w.synced = time.Now()
	return nil
}

// Finish makes a table of the sealed classes. It writes footer and header, flushes, reads back
// what Seal has not, checks every checksum, renames the file and unlocks the table. After an error, Close
// the Writer: a later one resumes from the sealed classes that are whole.
func (w *Writer) Finish() (tablebase.Summary, error) {
	if w.lock == nil {
		return tablebase.Summary{}, w.closed()
	}
	if len(w.records) == 0 {
		return tablebase.Summary{}, tablebase.Inputf(w.path, "no class is sealed")
	}
	if err := format.CheckClasses(w.shape, w.records); err != nil {
		return tablebase.Summary{}, tablebase.Inputf(w.path, "%v", err)
	}
	if err := w.endReadBack(); err != nil {
		return tablebase.Summary{}, err
	}
	w.forgetIfChanged()
	summary, err := w.writeEnds()
	if err != nil {
		return tablebase.Summary{}, w.writeError(w.partialPath(), err)
	}
	if err := w.readBack(summary); err != nil {
		return tablebase.Summary{}, err
	}
	if w.elsewhere != nil {
		err = w.elsewhere.Complete(w.contents(), w.runsElsewhere(), summary.Bytes)
	}
	if err = errors.Join(err, w.partial.Close()); err != nil {
		return tablebase.Summary{}, w.writeError(w.partialPath(), err)
	}
	if w.elsewhere != nil {
		err = os.Remove(w.partialPath())
	} else {
		err = durable.Rename(w.partialPath(), w.path)
	}
	if err != nil {
		return tablebase.Summary{}, w.writeError(w.path, err)
	}
	// The manifest lists nothing any more. If it cannot be removed now, the next solve does it.
	w.manifest.Close()
	os.Remove(w.manifestPath())
	w.partial, w.manifest = nil, nil
	return summary, w.Close()
}

func (w *Writer) writeEnds() (tablebase.Summary, error) {
	w.dropUnsealed()
	var footer []byte
	for _, r := range w.records {
		footer = r.Append(footer)
	}
	h := format.Header{
		Shape:        w.shape,
		Classes:      uint32(len(w.records)),
		Length:       w.end() + int64(len(footer)) + format.EndMarkSize,
		FooterOffset: w.end(),
		FooterLength: int64(len(footer)),
	}
	page := h.Encode(footer)
	footer = append(footer, h.EndMark()...)
	length, err := h.Length, error(nil)
	if w.packer != nil {
		w.packer.Begin(format.Part{}, 0, nil)
		if err = w.packer.Add(footer, 0); err == nil {
			length, err = w.packer.Finish(page, h.Length, w.records)
		}
	} else if _, err = w.partial.WriteAt(footer, h.FooterOffset); err == nil {
		_, err = w.partial.WriteAt(page, 0)
	}
	if err == nil {
		err = w.partial.Truncate(length)
	}
	if err == nil {
		err = w.partial.Sync()
	}
	return tablebase.Summary{Identity: h.Identity, Bytes: h.Length}, err
}

// readBack checks the completed partial file, except its known parts, by its name: another process
// may have cut or overwritten it since a class was sealed.
func (w *Writer) readBack(summary tablebase.Summary) error {
	made, err := reader.Open(w.partialPath())
	if err == nil {
		defer made.Close()
		err = made.VerifyRest(context.Background(), runtime.GOMAXPROCS(0), w.known, nil)
	}
	if err == nil && (tablebase.Summary{Identity: made.Identity(), Bytes: made.Bytes()}) != summary {
		err = &tablebase.Error{Path: w.partialPath(), Err: tablebase.ErrDamaged, Detail: "it is another table than was written"}
	}
	if failure := (*tablebase.Error)(nil); errors.As(err, &failure) && tablebase.Unusable(err) {
		failure.Remedy = otherWriter
	}
	return err
}

// Close unlocks the table and keeps the sealed classes. After Finish, or again, it does nothing.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	if w.direct != nil {
		w.direct.Close()
	}
	w.endReadBack() // without the file it ends at once; the next Create reads all
	if w.class != nil {
		os.Remove(w.classPath())
	}
	for _, f := range []file{w.partial, w.manifest, w.class} {
		if f != nil {
			f.Close() // written data is not lost by this; a lost one shows at the next Create
		}
	}
	if w.packer != nil {
		w.packer.Close()
	}
	err := w.lock.Unlock()
	w.lock = nil
	if err != nil {
		return tablebase.Failed(w.path+durable.LockSuffix, "unlock the table", err, "")
	}
	return nil
}

// IndexBytes bounds the memory of a Writer's lists for a table of the given length: checksums, and the places of packed
// frames. As they grow, old copies wait for the garbage collector.
func IndexBytes(table int64) int64 {
	const grown = 3
	return grown * (table/format.ChunkSize*format.ChecksumSize + table/format.FrameSize*pack.SeekEntrySize)
}
