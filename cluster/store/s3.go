package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
)

const (
	// onePut is the most bytes that are sent by one request, and those of a part
	// where there are more. They are held in memory until they have arrived, so that they
	// can be sent again.
	onePut = 16 << 20
	// unknownPart are those of a part where nobody knows how many parts there will be.
	unknownPart = 64 << 20
	// mostParts is what S3 allows.
	mostParts = 10_000
)

// bucket keeps files in a bucket of S3, under keys that begin with a prefix.
type bucket struct {
	client *minio.Core
	name   string
	prefix string // ends with a slash unless it is empty
	where  string // the server, for people
	secure bool   // over TLS
}

func (b *bucket) String() string { return "s3://" + b.name + "/" + b.prefix }

func (b *bucket) key(name string) string { return b.prefix + name + suffix }

// put sends a file, in parts if it is large. Neither a part nor an upload that was
// broken off is an object.
func (b *bucket) put(ctx context.Context, name string, r io.Reader, size int64) error {
	room := int64(onePut)
	if size >= 0 {
		room = min(room, size+1) // so that the end is seen
	}
	first := make([]byte, room)
	n, err := fill(r, first)
	if err != nil && err != io.EOF {
		return err
	}
	first = first[:n]
	// Signing a body over plain HTTP needs it cut into chunks, which not all servers take
	// where there are several parts. A checksum of the whole does as well: TLS or nothing
	// keeps others from changing it.
	options := minio.PutObjectOptions{PartSize: unknownPart, DisableContentSha256: true, SendContentMd5: !b.secure}
	var body io.Reader = bytes.NewReader(first)
	if err == io.EOF { // that is all
		size, options.PartSize = int64(n), onePut
	} else {
		body = io.MultiReader(body, r)
		if size >= 0 {
			options.PartSize = partSize(size)
		}
	}
	_, err = b.client.Client.PutObject(ctx, b.name, b.key(name), body, size, options)
	return b.explain(err)
}

// partSize returns the bytes of a part of so many bytes, whole MiB.
func partSize(size int64) uint64 {
	const unit = 1 << 20
	least := (size + mostParts - 1) / mostParts
	return uint64(max(onePut, (least+unit-1)/unit*unit))
}

// get reads a file, and asks again for the rest where a connection breaks.
func (b *bucket) get(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	d := &download{ctx: ctx, from: b, key: b.key(name)}
	var err error
	if d.end, err = d.connect(); err != nil {
		return nil, 0, b.explain(err)
	}
	return d, d.end, nil
}

// request asks for the bytes of a file from off on, of the version with an etag if one is
// given. It returns the length of the whole file and its etag.
func (b *bucket) request(ctx context.Context, key, etag string, off int64) (body io.ReadCloser, size int64, tag string, err error) {
	var options minio.GetObjectOptions
	if off > 0 {
		err = options.SetRange(off, 0)
	}
	if err == nil && etag != "" {
		err = options.SetMatchETag(etag)
	}
	if err != nil {
		return nil, 0, "", err
	}
	body, info, header, err := b.client.GetObject(ctx, b.name, key, options)
	if err != nil {
		return nil, 0, "", err
	}
	size = info.Size
	if ranged := header.Get("Content-Range"); ranged != "" {
		_, whole, _ := strings.Cut(ranged, "/")
		if size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			body.Close()
			return nil, 0, "", fmt.Errorf("%s does not say how long the object is (Content-Range: %.40q)", b.where, ranged)
		}
	} else if off > 0 {
		body.Close()
		return nil, 0, "", fmt.Errorf("%s does not give parts of objects", b.where)
	}
	return body, size, info.ETag, nil
}

// stat returns the length of a file.
func (b *bucket) stat(ctx context.Context, name string) (int64, error) {
	info, err := b.client.StatObject(ctx, b.name, b.key(name), minio.StatObjectOptions{})
	return info.Size, b.explain(err)
}

// list tells the files under a prefix.
func (b *bucket) list(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		noOwner := false
		options := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true, FetchOwner: &noOwner}
		for object := range b.client.ListObjectsIter(ctx, b.name, options) {
			if object.Err != nil {
				yield(Info{}, b.explain(object.Err))
				return
			}
			name, is := strings.CutSuffix(strings.TrimPrefix(object.Key, b.prefix), suffix)
			if is && !yield(Info{name, object.Size}, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(Info{}, context.Cause(ctx)) // the client just ends
		}
	}
}

// remove takes a file away.
func (b *bucket) remove(ctx context.Context, name string) error {
	err := b.explain(b.client.RemoveObject(ctx, b.name, b.key(name), minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// sync does nothing: a server of S3 answers when it has what it was given.
func (b *bucket) sync(context.Context, string) error { return nil }

// explain says what an answer of the server means here.
func (b *bucket) explain(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ErrorResponse{}
	if !errors.As(err, &answer) {
		return err
	}
	switch code := answer.Code; {
	case code == minio.NoSuchKey:
		return ErrNotFound
	case code == minio.NoSuchBucket:
		return fmt.Errorf("%s has no bucket %s; make it, or name another one", b.where, b.name)
	case answer.StatusCode == http.StatusInsufficientStorage, code == "XMinioStorageFull", code == "QuotaExceeded", code == "XMinioAdminBucketQuotaExceeded":
		return fmt.Errorf("%w: %w; make room, or raise its quota", ErrFull, err)
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%s refuses it (%s): %w; see that the credentials are right and may read, write, list and delete in the bucket", b.where, code, err)
	}
	return fmt.Errorf("%s answers: %w", b.where, err)
}
