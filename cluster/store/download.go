package store

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
)

// patience bounds the reading of one stretch of bytes. Tests shorten it.
var patience = struct {
	// stall is how long a server may send nothing before it is asked again.
	stall time.Duration
	// tries is how often a server is asked again that has sent nothing since the last time.
	tries int
	// pause is before it is asked again, the first time; then twice as long, and so on.
	pause time.Duration
}{time.Minute, 5, 200 * time.Millisecond}

// download reads a file in a bucket. Where the connection breaks or is
// silent it goes on with a new one, from the byte where it was, in the same version of
// the file.
type download struct {
	ctx  context.Context
	from *bucket
	key  string
	etag string // of the version that is read
	at   int64  // the next byte
	end  int64  // the length of the file

	body   io.ReadCloser // nil between two connections
	cancel context.CancelFunc
	failed int // connections since the last byte
}

// connect asks for what has not been read.
func (d *download) connect() (size int64, err error) {
	ctx, cancel := context.WithCancel(d.ctx)
	d.body, size, d.etag, err = d.from.request(ctx, d.key, d.etag, d.at)
	if err != nil {
		cancel()
		d.body = nil
		return 0, err
	}
	d.cancel = cancel
	return size, nil
}

// Read reads the next bytes.
func (d *download) Read(p []byte) (int, error) {
	if d.at >= d.end {
		return 0, io.EOF
	}
	if int64(len(p)) > d.end-d.at {
		p = p[:d.end-d.at]
	}
	for {
		if d.body == nil {
			if err := d.again(); err != nil {
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
			err = io.ErrUnexpectedEOF // nobody is to take it for the end
		}
		if d.failed++; d.failed > patience.tries {
			return 0, fmt.Errorf("%s broke off %d times in a row (%w); see to the server and the network", d.from.where, d.failed, err)
		}
	}
}

// read reads from the connection, for no longer than patience lasts.
func (d *download) read(p []byte) (int, error) {
	silence := time.AfterFunc(patience.stall, d.cancel)
	n, err := d.body.Read(p)
	if !silence.Stop() && n == 0 && d.ctx.Err() == nil {
		err = fmt.Errorf("it sent nothing for %v", patience.stall)
	}
	return n, err
}

// again connects once more, after a pause.
func (d *download) again() error {
	pause := time.NewTimer(patience.pause << (d.failed - 1))
	defer pause.Stop()
	select {
	case <-d.ctx.Done():
		return context.Cause(d.ctx)
	case <-pause.C:
	}
	_, err := d.connect()
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusPreconditionFailed, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%w: another one was put in its place while it was read, or none", ErrDamaged)
	}
	return d.from.explain(err)
}

// Close ends the connection.
func (d *download) Close() error {
	if d.body == nil {
		return nil
	}
	d.cancel()
	err := d.body.Close()
	d.body = nil
	return err
}
