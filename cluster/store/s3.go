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
	err := d.connect()
	return &Reader{Size: d.end, ctx: ctx, file: d}, b.wrap(err)
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
