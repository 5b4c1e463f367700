package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Member is a process of a cluster.
type Member struct {
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
	// Since is when the process joined.
	Since time.Time `json:"since"`
}

func newMember(version string) Member {
	host, _ := os.Hostname() // empty if it fails
	return Member{Host: cmp.Or(host, "unknown"), PID: os.Getpid(), Version: version, Since: time.Now().UTC().Truncate(time.Second)}
}

// String names the process in messages.
func (m Member) String() string { return fmt.Sprintf("process %d on %s", m.PID, m.Host) }

// ErrBusy is the cause if the cluster has another coordinator.
var ErrBusy = errors.New("the cluster has another coordinator")

// ErrReplaced is the cause if a coordinator has lost its lease to another one, as after it was suspended.
var ErrReplaced = errors.New("another coordinator has taken over")

// lease is the right to coordinate: a key that its holder renews, and that NATS deletes otherwise.
type lease struct {
	renewing sync.Mutex
	bucket   jetstream.KeyValue
	value    []byte
	revision uint64
}

// acquire acquires the lease. If another process holds it, acquire waits until that renews it,
// and returns ErrBusy, or until NATS deletes it.
func acquire(ctx context.Context, bucket jetstream.KeyValue, m Member, alive time.Duration) (*lease, error) {
	l := &lease{bucket: bucket, value: encoded(m)}
	var seen uint64
	for end := time.Now().Add(3*alive + callTimeout); ; {
		var err error
		if l.revision, err = bucket.Create(ctx, coordinatorKey, l.value); err == nil {
			return l, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) || time.Now().After(end) {
			return nil, fmt.Errorf("cannot acquire the coordinator's lease: %w", err)
		}
		entry, err := bucket.Get(ctx, coordinatorKey)
		switch {
		case err != nil: // it was just deleted, or the next Create reports the error
		case seen != 0 && entry.Revision() != seen:
			return nil, fmt.Errorf("%w: %s", ErrBusy, holder(entry))
		default:
			seen = entry.Revision()
		}
		if err := sleep(ctx, alive/20); err != nil {
			return nil, err
		}
	}
}

func holder(entry jetstream.KeyValueEntry) Member {
	m := Member{Host: "unknown"}
	json.Unmarshal(entry.Value(), &m) // an unreadable holder stays unknown
	return m
}

// renew renews the lease. The error wraps ErrReplaced if another process holds it; others may be transient.
func (l *lease) renew(ctx context.Context) error {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	revision, err := l.bucket.Update(ctx, coordinatorKey, l.value, l.revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		// NATS has deleted it, or the response to a successful update was lost.
		entry, missing := l.bucket.Get(ctx, coordinatorKey)
		switch {
		case missing == nil && string(entry.Value()) != string(l.value):
			return fmt.Errorf("%w: %s", ErrReplaced, holder(entry))
		case missing == nil:
			revision, err = l.bucket.Update(ctx, coordinatorKey, l.value, entry.Revision())
		case errors.Is(missing, jetstream.ErrKeyNotFound):
			if revision, err = l.bucket.Create(ctx, coordinatorKey, l.value); errors.Is(err, jetstream.ErrKeyExists) {
				return nil // the next renewal finds out whose it is
			}
		}
	}
	if err == nil {
		l.revision = revision
	}
	return err
}

func (l *lease) release(ctx context.Context) {
	l.bucket.Purge(ctx, coordinatorKey, jetstream.LastRevision(l.revision)) // otherwise NATS deletes it soon
}
