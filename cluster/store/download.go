package store

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// reconnect says when a download gives up a connection. Tests shorten its times.
var reconnect = struct {
	stall time.Duration // a server that sends nothing for so long is asked again
	tries int           // reconnections without a byte before the download fails
	pause time.Duration // before the first reconnection; it doubles each time
}{time.Minute, 5, 200 * time.Millisecond}

// download reads a file in a bucket. If a connection breaks or stalls, it opens a new one. That
// continues at the next byte of the same version of the file.
type download struct {
	ctx  context.Context // covers the reads, which take no context
	from *bucket
	key  string
	etag string // of the version, "" before the first connection
	at   int64  // the next byte
	last int64  // the last byte that is wanted, 0 for that of the file
	size int64  // length of the file, bytes

	body   io.ReadCloser // nil between two connections
	cancel context.CancelFunc
	failed int // connections since the last byte
}

// connect requests the bytes that have not been read. It returns the length of the whole file.
func (d *download) connect() (size int64, err error) {
	var options minio.GetObjectOptions
	if d.at > 0 || d.last > 0 {
		err = options.SetRange(d.at, d.last)
	}
	if err == nil && d.etag != "" {
		err = options.SetMatchETag(d.etag)
	}
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(d.ctx)
	body, info, header, err := d.from.client.GetObject(ctx, d.from.name, d.key, options)
	if err != nil {
		cancel()
		return 0, err
	}
	size = info.Size
	if contentRange := header.Get("Content-Range"); contentRange != "" {
		_, whole, _ := strings.Cut(contentRange, "/")
		if size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			err = fmt.Errorf("%s does not tell the object's length (Content-Range: %.40q)", d.from.host, contentRange)
		}
	} else if d.at > 0 {
		err = fmt.Errorf("%s does not support range requests", d.from.host)
	}
	if err != nil {
		body.Close()
		cancel()
		return 0, err
	}
	d.body, d.cancel, d.etag = body, cancel, info.ETag
	return size, nil
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	if d.at >= d.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), d.size-d.at)]
	for {
		if d.body == nil {
			if err := d.reconnect(); err != nil {
				return 0, err
			}
		}
		n, err := d.read(p)
		d.at += int64(n)
		if n > 0 {
			d.failed = 0
			return n, nil
		}
		if err == nil {
			continue
		}
		d.Close()
		if d.ctx.Err() != nil {
			return 0, context.Cause(d.ctx)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the file has not ended
		}
		if d.failed++; d.failed > reconnect.tries {
			return 0, fmt.Errorf("%s broke off %d times in a row (%w); check the server and the network", d.from.host, d.failed, err)
		}
	}
}

// read reads from the connection, which it cancels after a stall.
func (d *download) read(p []byte) (int, error) {
	stall := time.AfterFunc(reconnect.stall, d.cancel)
	n, err := d.body.Read(p)
	if !stall.Stop() && n == 0 && d.ctx.Err() == nil {
		err = fmt.Errorf("it sent nothing for %v", reconnect.stall)
	}
	return n, err
}

// reconnect connects again, after a pause.
func (d *download) reconnect() error {
	pause := time.NewTimer(reconnect.pause << (d.failed - 1))
	defer pause.Stop()
	select {
	case <-d.ctx.Done():
		return context.Cause(d.ctx)
	case <-pause.C:
	}
	_, err := d.connect()
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusPreconditionFailed, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%w: it was replaced or deleted while it was read", ErrDamaged)
	}
	return d.from.wrap(err)
}

// Close implements io.Closer.
func (d *download) Close() error {
	if d.body == nil {
		return nil
	}
	d.cancel()
	err := d.body.Close()
	d.body = nil
	return err
}

// readRange reads len(buf) bytes of an object.
func (b *bucket) readRange(ctx context.Context, key string, buf []byte, at int64) error {
	if len(buf) == 0 {
		return nil
	}
	d := &download{ctx: ctx, from: b, key: key, at: at, last: at + int64(len(buf)) - 1}
	var err error
	if d.size, err = d.connect(); err != nil {
		return b.wrap(err)
	}
	defer d.Close()
	_, err = io.ReadFull(d, buf)
	return err
}
