package writer

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"

	"backsolve/internal/durable"
	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/sparse"
)

// Pack writes a packed copy of the table at path, under path with PackedSuffix, which it returns. It verifies the table,
// and the copy before that gets its name. It uses all cores, whose number does not change the bytes. progress may be
// nil, and is never called twice at once. Errors: those of reader.Open; ErrInput if the table is packed; ErrExists if
// the copy exists and overwrite is false; ErrBusy while another process writes it.
func Pack(ctx context.Context, path string, overwrite bool, progress func(tablebase.Event)) (string, error) {
	t, err := Open(path)
	if err != nil {
		return "", err
	}
	defer t.Close()
	if t.Packed() > 0 {
		return "", tablebase.Inputf(path, "it is packed already")
	}
	c := &conversion{ctx: ctx, from: t, to: path + tablebase.PackedSuffix, doing: "packing", progress: progress}
	return c.to, replaceFile(c.to, overwrite, c.pack, c.check)
}

// Archive is Pack for an archive: a packed table without the steps of won states. The table at
// path may be packed, and then the archive takes its place. ErrInput where it has no steps.
func Archive(ctx context.Context, path string, overwrite bool, progress func(tablebase.Event)) (string, error) {
	t, err := reader.Open(path)
	if errors.Is(err, tablebase.ErrSparse) {
		return "", tablebase.Inputf(path, "a table of single positions has no archive; pack it")
	}
	if err != nil {
		return "", err
	}
	defer t.Close()
	shape := t.Shape()
	if shape.Archive {
		return "", tablebase.Inputf(path, "it is an archive already")
	}
	shape.Archive = true
	if err := shape.Check(); err != nil {
		return "", tablebase.Inputf(path, "%v", err)
	}
	c := &conversion{ctx: ctx, from: t, to: strings.TrimSuffix(path, tablebase.PackedSuffix) + tablebase.PackedSuffix, doing: "packing", progress: progress, archive: true}
	return c.to, replaceFile(c.to, overwrite || c.to == path, c.pack, c.check)
}

// Unpack writes the unpacked table, bit for bit, under path without PackedSuffix; else it is as Pack.
func Unpack(ctx context.Context, path string, overwrite bool, progress func(tablebase.Event)) (string, error) {
	t, err := Open(path)
	if err != nil {
		return "", err
	}
	defer t.Close()
	to, packed := strings.CutSuffix(path, tablebase.PackedSuffix)
	switch {
	case t.Packed() == 0:
		return "", tablebase.Inputf(path, "it is not packed")
	case !packed:
		return "", tablebase.Inputf(path, "the name of a packed table ends in %s, and without it is the table's; rename it", tablebase.PackedSuffix)
	}
	c := &conversion{ctx: ctx, from: t, to: to, doing: "unpacking", progress: progress}
	return to, replaceFile(to, overwrite, c.unpack, c.check)
}

// Open opens a table of either kind.
func Open(path string) (tablebase.File, error) {
	t, err := reader.Open(path)
	if errors.Is(err, tablebase.ErrSparse) {
		return sparse.Open(path)
	}
	return t, err
}

type conversion struct {
	ctx      context.Context
	from     tablebase.File
	to       string
	doing    string
	progress func(tablebase.Event)
	archive  bool // to pack as one
	done     parallel.Counter
}

func (c *conversion) report(done int64) {
	tablebase.Tell(c.progress, tablebase.Event{Stage: c.doing, Unit: "bytes", Done: uint64(done), Total: uint64(c.from.Bytes())})
}

// pack writes the frames and the seek table. It checks the table meanwhile: the copy would hide
// damage in padding and in the digits of states without steps.
func (c *conversion) pack(to io.WriterAt) error {
	err := c.packAll(to)
	if !errors.Is(err, tablebase.ErrDamaged) {
		return err
	}
	if found := c.from.Verify(c.ctx, runtime.GOMAXPROCS(0), nil); found != nil {
		return found // which lists all that is damaged
	}
	return c.changed("it changed while it was copied")
}

func (c *conversion) packAll(to io.WriterAt) error {
	from, slices := c.from.(*reader.Table)
	if !slices { // it has no data whose damage the copy would hide
		_, err := pack.Stream(to, c.from.Bytes(), func(buf []byte, at int64) error {
			defer c.done.Add(int64(len(buf)), c.report)
			return c.read(buf, at)
		})
		return err
	}
	p, err := pack.NewPacker(to, c.archive)
	if err != nil {
		return err
	}
	defer p.Close()
	page := make([]byte, format.PageSize)
	if err := c.read(page, 0); err != nil {
		return err
	}
	c.done.Add(format.PageSize, func(int64) {})
	header, classes := from.Layout()
	regions := pack.RegionsOf(header, classes)
	for i, r := range regions[1:] {
		if err := c.packRegion(p, r, regions[i]); err != nil {
			return err
		}
	}
	_, err = p.Finish(page, c.from.Bytes(), classes)
	return err
}

// packRegion checks and packs a region; for steps, the region before it has the outcomes. It
// does not check the footer: opening the table did, and the identity of the copy is compared.
func (c *conversion) packRegion(p *pack.Packer, r, before pack.Region) error {
	p.Begin(r.Part, before.Columns, func(buf []byte, at int64) error { return c.read(buf, before.Offset+at) })
	return p.AddAll(r.Length, func(buf []byte, at int64) error {
		defer c.done.Add(int64(len(buf)), c.report)
		err := c.read(buf, r.Offset+at)
		if err == nil && r.Sums != nil && (len(r.BadChunks(nil, r.Sums, buf, at, true)) > 0 || !r.IsPadded(buf, at)) {
			err = tablebase.ErrDamaged
		}
		return err
	})
}

// unpack writes the table. Frames that lie across two pieces are unpacked twice.
func (c *conversion) unpack(to io.WriterAt) error {
	return format.EachRange(c.from.Bytes(), runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		if err := c.read(buf, at); err != nil {
			return err
		}
		if _, err := to.WriteAt(buf, at); err != nil {
			return err
		}
		c.done.Add(int64(len(buf)), c.report)
		return nil
	})
}

func (c *conversion) read(buf []byte, offset int64) error {
	err := c.ctx.Err()
	if err == nil {
		err = format.ReadFull(c.from, buf, offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &tablebase.Error{Path: c.from.Path(), Err: tablebase.ErrTruncated, Detail: "it became shorter while it was copied"}
	}
	return err
}

func (c *conversion) changed(detail string) error {
	return &tablebase.Error{Path: c.from.Path(), Err: tablebase.ErrDamaged, Detail: detail}
}

// check reads the copy back. If it is damaged, the table probably is, too.
func (c *conversion) check(path string) error {
	made, err := Open(path)
	if err != nil {
		return err
	}
	defer made.Close()
	c.doing = "checking"
	err = made.Verify(c.ctx, runtime.GOMAXPROCS(0), func(e tablebase.Event) { c.report(int64(e.Done)) })
	switch {
	case err == nil && made.Identity() == c.from.Identity():
		return nil
	case err == nil:
		return c.changed("it became another table while it was copied")
	case c.ctx.Err() != nil:
		return err
	}
	if cause := c.from.Verify(c.ctx, runtime.GOMAXPROCS(0), nil); cause != nil {
		return cause
	}
	return err
}

// replaceFile writes a file beside path, checks it and gives it the name path when it is on the disk. If anything
// fails, path is as before and the new file is removed. Errors are as for Pack.
func replaceFile(path string, overwrite bool, write func(io.WriterAt) error, check func(path string) error) error {
	if strings.HasSuffix(path, tablebase.PackedSuffix) { // durable.Write takes only a lock of the packed form
		l, err := lock(path)
		if err != nil {
			return err
		}
		defer l.Unlock()
	}
	err := durable.Write(path, func(f *os.File) error {
		if err := (target{path: path}).checkPlace(overwrite); err != nil {
			return err
		}
		if err := write(f); err != nil {
			return err
		}
		return check(f.Name())
	})
	if on := (*durable.Error)(nil); errors.As(err, &on) && on.Doing == "lock" {
		return lockFailed(path, err)
	}
	var said *tablebase.Error
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &said):
		return said
	}
	return tablebase.Failed(path, "write the table", err, "check the disk, and try again")
}
