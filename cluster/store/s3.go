package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// minPart is the most bytes that one request uploads, and the least of a multipart upload's parts, those of
// the client. They stay in memory until they have arrived, so that they can be sent again.
const minPart = 16 << 20

// bucket keeps objects in an S3 bucket, under keys that begin with a prefix.
type bucket struct {
	client *minio.Core
	name   string
	prefix string // ends with a slash unless it is empty
	host   string // of the server, for messages
	secure bool   // over TLS
}

func (b *bucket) String() string { return "s3://" + b.name + "/" + b.prefix }

func (b *bucket) key(name string) string { return b.prefix + name + suffix }

// Put uploads an object, in parts if it is large. Neither a part nor an aborted upload is an object.
func (b *bucket) Put(ctx context.Context, name string, data ...[]byte) error {
	size, readers := int64(0), make([]io.Reader, len(data))
	for i, piece := range data {
		size, readers[i] = size+int64(len(piece)), bytes.NewReader(piece)
	}
	body := io.MultiReader(readers...)
	if size <= minPart {
		body = bytes.NewReader(bytes.Join(data, nil))
	}
	// Signing a body over plain HTTP needs chunks, which not all servers accept in a multipart
	// upload. A checksum of the whole does as well: only TLS stops an attacker anyway.
	options := minio.PutObjectOptions{DisableContentSha256: true, SendContentMd5: !b.secure}
	_, err := b.client.Client.PutObject(ctx, b.name, b.key(name), body, size, options)
	return b.wrap(err)
}

// Get opens a download, which survives broken connections.
func (b *bucket) Get(ctx context.Context, name string) (*Reader, error) {
	d := &download{ctx: ctx, from: b, key: b.key(name)}
	if err := d.connect(); err != nil {
		return nil, b.wrap(err)
	}
	return &Reader{d.end, ctx, d}, nil
}

func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		noOwner := false
		options := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true, FetchOwner: &noOwner}
		for object := range b.client.ListObjectsIter(ctx, b.name, options) {
			if object.Err != nil {
				yield("", b.wrap(object.Err))
				return
			}
			name, isObject := strings.CutSuffix(strings.TrimPrefix(object.Key, b.prefix), suffix)
			if isObject && !yield(name, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield("", context.Cause(ctx)) // the client stops without an error
		}
	}
}

func (b *bucket) Delete(ctx context.Context, name string) error {
	err := b.wrap(b.client.RemoveObject(ctx, b.name, b.key(name), minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Sync does nothing: an S3 server answers when the data is safe.
func (b *bucket) Sync(context.Context, string) error { return nil }

func (b *bucket) Locate(string) string { return "" }

func (b *bucket) OpenFile(name string, _ int) (*os.File, error) {
	return nil, fmt.Errorf("cannot open %s in %s, which is not a directory", name, b)
}

func (b *bucket) wrap(err error) error {
	response := minio.ErrorResponse{}
	if !errors.As(err, &response) {
		return err
	}
	switch code := response.Code; {
	case code == minio.NoSuchKey:
		return ErrNotFound
	case code == minio.NoSuchBucket:
		return fmt.Errorf("%s has no bucket %s; create it, or name another one", b.host, b.name)
	case response.StatusCode == http.StatusInsufficientStorage, code == "XMinioStorageFull", code == "QuotaExceeded", code == "XMinioAdminBucketQuotaExceeded":
		return fmt.Errorf("%w: %w; make room, or raise its quota", ErrFull, err)
	case response.StatusCode == http.StatusForbidden || response.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%s denies access (%s): %w; check that the credentials are right and may read, write, list and delete in the bucket", b.host, code, err)
	}
	return fmt.Errorf("%s answers: %w", b.host, err)
}

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
