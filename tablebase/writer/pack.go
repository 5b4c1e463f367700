package writer

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"

	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// CopyEvent tells how far packing or unpacking is.
type CopyEvent struct {
	// Doing is "packing" or "unpacking", and then "checking".
	Doing string
	// Done and Total are bytes of the table, as it is unpacked.
	Done, Total int64
}

// Pack writes a packed copy of the table at path beside it, under the path with
// PackedSuffix, and returns that path. It uses all cores; the bytes do not depend
// on their number. The table is verified as it is read, and the copy is read back and
// checked before it gets its name. progress, unless nil, is called now
// and then, never twice at once. Errors: those of Open, ErrInput where the table
// is packed already, ErrExists where the copy exists and is not to be
// overwritten, ErrBusy while another process writes it.
func Pack(ctx context.Context, path string, overwrite bool, progress func(CopyEvent)) (string, error) {
	t, err := reader.Open(path)
	if err != nil {
		return "", err
	}
	defer t.Close()
	if t.Packed() > 0 {
		return "", tablebase.Inputf(path, "it is packed already")
	}
	c := &copying{ctx: ctx, from: t, to: path + tablebase.PackedSuffix, progress: progress}
	return c.to, c.run("packing", c.pack, overwrite)
}

// Unpack writes the table that is packed at path, bit for bit, under the path
// without PackedSuffix, and returns that path. All else is as with Pack.
func Unpack(ctx context.Context, path string, overwrite bool, progress func(CopyEvent)) (string, error) {
	t, err := reader.Open(path)
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
	c := &copying{ctx: ctx, from: t, to: to, progress: progress}
	return c.to, c.run("unpacking", c.unpack, overwrite)
}

// copying is a table on its way into another form.
type copying struct {
	ctx      context.Context
	from     *reader.Table
	to       string
	doing    string
	progress func(CopyEvent)
}

func (c *copying) run(doing string, write func(io.WriterAt) error, overwrite bool) error {
	c.doing = doing
	return replaceFile(c.to, overwrite, write, c.check)
}

func (c *copying) tell(done int64) {
	if c.progress != nil {
		c.progress(CopyEvent{c.doing, done, c.from.Bytes()})
	}
}

// pack writes the frames and the seek table. It checks the table on the way: the copy
// would not show all damage, as it leaves out padding and the digits of states that have
// none.
func (c *copying) pack(to io.WriterAt) error {
	err := c.packAll(to)
	if !errors.Is(err, tablebase.ErrDamaged) {
		return err
	}
	if found := c.from.Verify(c.ctx, runtime.GOMAXPROCS(0), nil); found != nil {
		return found // which lists all that is damaged
	}
	return c.changed("it changed while it was copied")
}

func (c *copying) packAll(to io.WriterAt) error {
	p, err := pack.NewPacker(to)
	if err != nil {
		return err
	}
	defer p.Close()
	page := make([]byte, format.PageSize)
	if err := c.read(page, 0); err != nil {
		return err
	}
	var done parallel.Counter
	done.Add(format.PageSize, func(int64) {})
	header, classes := c.from.Layout()
	regions := pack.RegionsOf(header, classes)
	for i, r := range regions[1:] {
		if err := c.packRegion(p, r, regions[i], &done); err != nil {
			return err
		}
	}
	_, err = p.Finish(page, c.from.Bytes(), pack.AnyNumbers(classes))
	return err
}

// packRegion checks and packs a region; that before it has the outcomes where it has the
// steps. It does not check the footer: opening the table did, and the identity of the copy is
// compared.
func (c *copying) packRegion(p *pack.Packer, r, before pack.Region, done *parallel.Counter) error {
	p.Begin(r.Part, before.Columns, func(buf []byte, at int64) error { return c.read(buf, before.Offset+at) })
	return format.EachStretch(r.Length, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		err := c.ctx.Err()
		if err == nil {
			err = c.read(buf, r.Offset+at)
		}
		if err == nil && r.Sums != nil && (len(r.BadChunks(nil, r.Sums, buf, at, true)) > 0 || !r.IsPadded(buf, at)) {
			err = tablebase.ErrDamaged
		}
		if err != nil {
			p.Fail(err)
			return err
		}
		err = p.Add(buf, at)
		done.Add(int64(len(buf)), c.tell)
		return err
	})
}

// unpack writes the table. Stretches begin where they like: the frames at their
// ends are decoded twice.
func (c *copying) unpack(to io.WriterAt) error {
	var done parallel.Counter
	return format.EachStretch(c.from.Bytes(), runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.read(buf, at); err != nil {
			return err
		}
		if _, err := to.WriteAt(buf, at); err != nil {
			return err
		}
		done.Add(int64(len(buf)), c.tell)
		return nil
	})
}

// read reads from the table that is copied.
func (c *copying) read(buf []byte, offset int64) error {
	err := format.ReadFull(c.from, buf, offset)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &tablebase.Error{Path: c.from.Path(), Err: tablebase.ErrTruncated, Detail: "it became shorter while it was copied"}
	}
	return err
}

// changed says that the table is another one by now.
func (c *copying) changed(detail string) error {
	return &tablebase.Error{Path: c.from.Path(), Err: tablebase.ErrDamaged, Detail: detail}
}

// check reads the copy back. Where it is damaged, the table that it was made of
// is likely to be so.
func (c *copying) check(path string) error {
	made, err := reader.Open(path)
	if err != nil {
		return err
	}
	defer made.Close()
	c.doing = "checking"
	err = made.Verify(c.ctx, runtime.GOMAXPROCS(0), func(done, _ int64) { c.tell(done) })
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
