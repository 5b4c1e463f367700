package store

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	end  int64  // where what is wanted ends, 0 for the end of the file before the first connection

	body   io.ReadCloser // nil between two connections
	cancel context.CancelFunc
	failed int // connections since the last byte
}

func (d *download) connect() error {
	var options minio.GetObjectOptions
	if d.end > 0 {
		options.Set("Range", fmt.Sprintf("bytes=%d-%d", d.at, d.end-1))
	}
	if d.etag != "" {
		options.Set("If-Match", `"`+d.etag+`"`)
	}
	ctx, cancel := context.WithCancel(d.ctx)
	body, info, _, err := d.from.client.GetObject(ctx, d.from.name, d.key, options)
	if err != nil {
		cancel()
		return err
	}
	d.body, d.cancel, d.etag = body, cancel, info.ETag
	switch left := d.end - d.at; {
	case d.end > 0 && info.Size < left:
		err = io.ErrUnexpectedEOF
	case d.end > 0 && info.Size > left:
		err = fmt.Errorf("%s does not support range requests", d.from.host)
	default:
		d.end = d.at + info.Size
		return nil
	}
	d.Close()
	return err
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	if d.at >= d.end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), d.end-d.at)]
	for {
		if d.body == nil {
			if err := d.reconnect(); err != nil {
				return 0, err
			}
		}
		n, err := d.read(p)
		if n > 0 || err == nil {
			d.at, d.failed = d.at+int64(n), 0
			return n, nil
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

func (d *download) reconnect() error {
	select {
	case <-d.ctx.Done():
		return context.Cause(d.ctx)
	case <-time.After(reconnect.pause << (d.failed - 1)):
	}
	err := d.connect()
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

func (b *bucket) readRange(ctx context.Context, key string, buf []byte, at int64) error {
	if len(buf) == 0 {
		return nil
	}
	d := &download{ctx: ctx, from: b, key: key, at: at, end: at + int64(len(buf))}
	if err := d.connect(); err != nil {
		return b.wrap(err)
	}
	defer d.Close()
	_, err := io.ReadFull(d, buf)
	return err
}
