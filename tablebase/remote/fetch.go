package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// PartSuffix ends the name of a file that is being fetched.
const PartSuffix = ".part"

// Fetch is a copy of a file on a web server.
type Fetch struct {
	// Address is that of the file on the server, Path that of the copy.
	Address, Path string
	// Sum is the SHA-256 of the file, nil if it is unknown.
	Sum []byte
	// Check, unless nil, checks the whole file before it gets its name.
	Check func(path string) error
	// Progress, unless nil, is called now and then.
	Progress func(tablebase.Event)
}

// Run copies the file, and replaces an older copy. Until all is checked, the bytes are in Path with PartSuffix, where the
// next Run resumes after an error unless they are wrong. Errors are those of Open, Check, ErrSum and *durable.Error.
func (c *Fetch) Run(ctx context.Context) error { return c.run(ctx, newClient(), usualRetries) }

func (c *Fetch) run(ctx context.Context, by client, p retries) error {
	lock, err := tablebase.Lock(c.Path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	f, opened, err := openFile(ctx, c.Address, by, p)
	if err != nil {
		return err
	}
	opened()
	defer f.Close()
	part, err := durable.Open(c.Path+PartSuffix, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer part.Close()
	const resumes = "free some space, or check the disk, and run the same command again to resume"
	sum := sha256.New()
	had, err := f.resume(part, sum)
	if err == nil {
		err = c.fetch(f, part, had, f.version.size, sum)
	}
	if err != nil {
		return tablebase.Failed(c.Path, "fetch the table", err, resumes)
	}
	err = c.check(f, part, sum)
	if had > 0 && isWrong(err) {
		// What an earlier run fetched may have been damaged on this disk since.
		if err := c.renew(f, part, had, sum); err != nil {
			return tablebase.Failed(c.Path, "fetch the table", err, resumes)
		}
		err = c.check(f, part, sum)
	}
	if isWrong(err) {
		os.Remove(part.Name())
	}
	if err != nil {
		return err
	}
	return durable.Rename(part.Name(), c.Path)
}

// isWrong reports whether an error says that the bytes are not those of a right table.
func isWrong(err error) bool { return errors.Is(err, ErrSum) || tablebase.Unusable(err) }

// check checks the whole part, which it syncs.
func (c *Fetch) check(f *file, part *os.File, sum hash.Hash) error {
	if err := part.Sync(); err != nil {
		return tablebase.Failed(c.Path, "fetch the table", err, "check the disk, and run the same command again")
	}
	if c.Sum != nil && !bytes.Equal(sum.Sum(nil), c.Sum) {
		return f.failed(ErrSum, "tell who publishes it; nothing is kept", "it is %x, not %x", sum.Sum(nil), c.Sum)
	}
	if c.Check == nil {
		return nil
	}
	return c.Check(part.Name())
}

// fetch fetches the bytes between two offsets into the part, and adds them to sum.
func (c *Fetch) fetch(f *file, part *os.File, done, end int64, sum hash.Hash) error {
	return f.stream(done, end, func(b []byte) error {
		sum.Write(b)
		_, err := part.WriteAt(b, done)
		done += int64(len(b))
		tablebase.Tell(c.Progress, tablebase.Event{Stage: "fetch", Unit: "bytes", Done: uint64(done), Total: uint64(end)})
		return err
	})
}

// renew fetches the first bytes of a part again, and computes sum anew.
func (c *Fetch) renew(f *file, part *os.File, bytes int64, sum hash.Hash) error {
	sum.Reset()
	if err := c.fetch(f, part, 0, bytes, sum); err != nil {
		return err
	}
	_, err := io.Copy(sum, io.NewSectionReader(part, bytes, f.version.size-bytes))
	return err
}

// resume sums up the part, and returns its length. It empties one whose end is not that of the
// file: another file was being fetched, or the power failed.
func (f *file) resume(part *os.File, sum hash.Hash) (have int64, err error) {
	have, err = io.Copy(sum, part)
	if err != nil || have == 0 {
		return have, err
	}
	same := false
	if have <= f.version.size {
		end := make([]byte, min(have, firstBytes))
		if _, err := part.ReadAt(end, have-int64(len(end))); err != nil {
			return 0, err
		}
		now, err := f.request(byteRange{offset: have - int64(len(end)), length: int64(len(end))})
		if err != nil {
			return 0, err
		}
		same = bytes.Equal(now, end)
	}
	if same {
		return have, nil
	}
	sum.Reset()
	return 0, part.Truncate(0)
}

// stream calls do with the bytes between two offsets, in order, while further ones are requested.
func (f *file) stream(from, end int64, do func(b []byte) error) error {
	type piece struct {
		bytes []byte
		err   error
	}
	var ahead []chan piece
	rest := split(nil, format.Extent{Offset: from, Length: end - from})
	for len(rest)+len(ahead) > 0 {
		for ; len(rest) > 0 && len(ahead) < maxRequests; rest = rest[1:] {
			next, got := rest[0], make(chan piece, 1)
			ahead = append(ahead, got)
			go func() {
				b, err := f.request(byteRange{offset: next.Offset, length: next.Length})
				got <- piece{b, err}
			}()
		}
		p := <-ahead[0]
		if ahead = ahead[1:]; p.err != nil {
			return p.err
		}
		if err := do(p.bytes); err != nil {
			return err
		}
	}
	return nil
}

const maxSmall = 1 << 20

// ReadFile returns the contents of a small file, of at most 1 MiB. Errors come from Open.
func ReadFile(ctx context.Context, address string) ([]byte, error) {
	f, err := newFile(ctx, address, newClient(), usualRetries)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := f.request(byteRange{length: maxSmall, opening: true})
	if err == nil && f.version.size > maxSmall {
		return nil, f.failed(ErrAnswer, seeAddress, "it has %d bytes, more than %d", f.version.size, maxSmall)
	}
	return b, err
}
