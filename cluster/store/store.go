// Package store keeps the bulk data of a solve over many machines: objects with
// names, in a directory that all of them see or in a bucket of S3. An object is whole
// or not there, and what is read of it is compared with its checksums, whatever keeps it.
//
// Objects are meant to be written once. Who writes one again under its name gives
// readers the old or the new one, never a mixture.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Store keeps named objects. Names are slash-separated (see CheckName). All methods
// may be called by several goroutines at once, and by any number of processes on the
// same directory or bucket.
//
// An error says which object of which store it is about, and wraps the cause; where
// the context was cancelled this is the context's.
type Store interface {
	// Put keeps what r gives, size bytes, or as many as there are where size is −1,
	// in the place of an object that has the name. Where it fails the object of before
	// stays, or none: so it does where r fails, or gives fewer bytes or more.
	// The error wraps ErrFull where there is no room.
	Put(ctx context.Context, name string, r io.Reader, size int64) error

	// Get reads an object. The error wraps ErrNotFound or ErrDamaged, and so may that
	// of any read: bytes are handed out when their checksum has been compared, and the
	// end is io.EOF only where the object was whole. The context is that of the
	// reads, too.
	Get(ctx context.Context, name string) (io.ReadCloser, error)

	// Stat tells of an object without reading it. The error wraps ErrNotFound or, where
	// no object has such a length, ErrDamaged; of other damage it knows nothing.
	Stat(ctx context.Context, name string) (Info, error)

	// List tells of the objects whose names begin with a prefix, in no particular
	// order. An error beside a name is about that object alone, as from Stat; one
	// without a name is the last that comes.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]

	// Delete takes an object away. It is no error where there is none.
	Delete(ctx context.Context, name string) error

	// Sync waits until the objects whose names begin with a prefix, and that were put by
	// whomever, are where a power cut leaves them.
	Sync(ctx context.Context, prefix string) error

	// String names the store for people, without secrets.
	String() string
}

// Info is what is told of an object without reading it.
type Info struct {
	// Name is that under which it was put.
	Name string
	// Size is the bytes that were put.
	Size int64
}

// Causes that errors wrap, for errors.Is.
var (
	// ErrNotFound says that no object has the name.
	ErrNotFound = errors.New("there is no such object")
	// ErrDamaged says that an object is not the one that was put: cut short, changed, or
	// another one. To put it again repairs it.
	ErrDamaged = errors.New("the object is damaged")
	// ErrName says that no object can have such a name.
	ErrName = errors.New("an object cannot have this name")
	// ErrFull says that the store has no room.
	ErrFull = errors.New("the store is full")
)

// Open opens a store: a directory, file:///directory, or s3://bucket/prefix. A
// directory is made if need be, a bucket is not.
//
// S3 is what the environment says, as other programs read it: credentials from
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN) or the shared
// files (~/.aws, AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE), the server from
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL where it is not Amazon's, the region from
// AWS_REGION or AWS_DEFAULT_REGION, certificates from AWS_CA_BUNDLE.
func Open(ctx context.Context, address string) (Store, error) {
	scheme, _, isURL := strings.Cut(address, "://")
	switch {
	case address == "":
		return nil, errors.New("the store has no address; give a directory, or s3://bucket/prefix")
	case !isURL:
		return openDirectory(address)
	case strings.EqualFold(scheme, "file"):
		dir, err := directoryOf(address)
		if err != nil {
			return nil, err
		}
		return openDirectory(dir)
	case strings.EqualFold(scheme, "s3"):
		return openBucket(ctx, address)
	}
	return nil, fmt.Errorf("no store is at an address that begins with %.20q; give a directory, file:///directory or s3://bucket/prefix", scheme+"://")
}

// directoryOf returns the directory that a URL of a file names.
func directoryOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", fmt.Errorf("%q does not name a directory; write file:///directory, or the directory alone", withoutUser(address))
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/directory
	}
	return filepath.FromSlash(path), nil
}

// withoutUser returns an address without what stands for a user in it, which may be a
// secret.
func withoutUser(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = "…" + rest[at:]
	}
	return scheme + "://" + rest
}
