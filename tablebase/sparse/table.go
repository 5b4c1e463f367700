package sparse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"backsolve/internal/parallel"
	"backsolve/internal/recent"
	"backsolve/tablebase"
	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
)

// Table is an open table. Its methods are safe for concurrent use. Close should be called
// when the others have returned; one that still runs returns ErrClosed.
type Table struct {
	*container.File
	header   Header
	identity [sha256.Size]byte
	end      uint64 // the last 8 bytes
	sums     []byte
	checked  container.Checked          // chunks of the mapping
	cache    recent.Cache[int64, chunk] // of chunks that are read
}

// Open opens a table, packed or not. Data are checked when they are first touched. The error is
// a *tablebase.Error around fs.ErrNotExist, ErrForeign, ErrTruncated, ErrNewer or ErrDamaged.
func Open(path string) (*Table, error) { return container.Open(path, open) }

// OpenIn opens a table like Open, by its name below a directory, from which no link leads out.
func OpenIn(root *os.Root, name string) (*Table, error) { return container.OpenIn(root, name, open) }

// OpenStorage opens a table like Open, and closes the storage if that fails. Messages call the
// table by the name.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	return container.OpenStorage(name, s, open)
}

// LacksSteps reports whether a table has outcomes alone. ok is false where its directory cannot
// be read; all else may be damaged.
func LacksSteps(path string) (lacks, ok bool) {
	t, err := Open(path)
	if err != nil {
		return false, false
	}
	defer t.Close()
	return t.header.Outcomes, true
}

// open opens the table in a source, and closes it if that fails.
func open(path string, raw format.Source) (*Table, error) {
	const unpacked = 8 * format.FrameSize // the least; chunks are cached here
	file, err := container.New(path, raw, unpacked)
	if err != nil {
		return nil, err
	}
	t := &Table{File: file, cache: recent.Cache[int64, chunk]{Limit: cacheBytes / 2}}
	if err = t.load(); err == nil {
		_, err = t.Map(t.Bytes()-8, t.end)
	}
	if err != nil {
		err = t.failed(err)
		t.Data.Close()
		return nil, err
	}
	return t, nil
}

func (t *Table) load() error {
	begin := make([]byte, len(magic))
	if err := format.ReadFull(t.Data, begin, 0); string(begin) != magic {
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			err = tablebase.ErrForeign
		}
		return err
	}
	if t.Frames != nil {
		if err := t.Frames.SetUniform(); err != nil {
			return err
		}
	}
	return t.readFooter()
}

func (t *Table) readFooter() error {
	end := make([]byte, trailer)
	if t.Bytes() > maxLength {
		return damaged("it has %d bytes", t.Bytes())
	}
	if t.Bytes() < int64(len(magic)+trailer) {
		return &tablebase.Error{Err: tablebase.ErrTruncated, Detail: fmt.Sprintf("%d bytes are less than a table has", t.Bytes())}
	}
	at := t.Bytes() - trailer
	if err := format.ReadFull(t.Data, end, at); err != nil {
		return err
	}
	length := le.Uint64(end)
	if string(end[12:]) != endMagic || length > maxFooter || int64(length) > at-int64(len(magic)) {
		return &tablebase.Error{Err: tablebase.ErrTruncated, Detail: "it does not end as a table does"}
	}
	t.end = le.Uint64(end[8:])
	footer := make([]byte, length)
	at -= int64(length)
	if err := format.ReadFull(t.Data, footer, at); err != nil {
		return err
	}
	if format.Checksum(footer) != le.Uint32(end[8:]) {
		return damaged("its footer does not match its checksum")
	}
	if err := json.Unmarshal(footer, &t.header); err != nil {
		return damaged("its footer: %v", err)
	}
	t.identity = t.header.identity(footer)
	size, err := t.header.checkLayout(at)
	if err != nil {
		return err
	}
	return t.readDirectory(size)
}

func (t *Table) readDirectory(size int64) error {
	body := t.header.body()
	b, err := format.ReadWithoutHoles(t.Data, body, size)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != t.header.Directory {
		return damaged("its directory is not the one of its footer")
	}
	t.sums, b = b[:4*chunks(body)], b[4*chunks(body):]
	for i := range t.header.Tiers {
		if b, err = t.header.Tiers[i].readTier(b, t.header.Outcomes); err != nil {
			return err
		}
	}
	t.checked = container.NewChecked(chunks(body))
	return nil
}

func (t *Table) failed(err error) error {
	if errors.Is(err, ErrState) {
		return err
	}
	return t.Failed(err)
}

// Header returns the footer. It must not be changed.
func (t *Table) Header() *Header { return &t.header }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [sha256.Size]byte { return t.identity }

// States returns the number of states.
func (t *Table) States() (n int64) {
	for i := range t.header.Tiers {
		n += t.header.Tiers[i].States
	}
	return n
}

// Verify compares all checksums, unless ctx ends before. It calls progress, unless nil,
// never twice at once.
func (t *Table) Verify(ctx context.Context, workers int, progress func(tablebase.Event)) error {
	body := t.header.body()
	var done parallel.Counter
	err := format.EachRange(body, workers, func(buf []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", t.Path(), err)
		}
		if err := format.ReadFull(t.Data, buf, at); err != nil {
			return err
		}
		for i := 0; i < len(buf); i += format.ChunkSize {
			if err := t.checkChunk((at+int64(i))/format.ChunkSize, buf[i:min(len(buf), i+format.ChunkSize)]); err != nil {
				return err
			}
		}
		done.Add(int64(len(buf)), func(sum int64) {
			tablebase.Tell(progress, tablebase.Event{Stage: tablebase.Checksums, Unit: "bytes", Done: uint64(sum), Total: uint64(body)})
		})
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		return t.failed(err)
	}
	// What was read when the table was opened must still be there.
	again := &Table{File: t.File}
	if err := again.readFooter(); err != nil {
		return again.failed(err)
	}
	if again.identity != t.identity {
		return t.failed(damaged("it was overwritten while it was in use"))
	}
	return nil
}
