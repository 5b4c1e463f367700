package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
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

// lease is the right to coordinate: a key that its holder renews, and that NATS deletes otherwise. It is safe for concurrent use.
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

// record is the Solve in the state bucket, which only the holder of the lease writes, one write at a time.
type record struct {
	conn     *conn
	lease    *lease
	solve    Solve
	revision uint64
}

// errRecordLost is the cause if NATS has lost its files, and with them the record.
var errRecordLost = errors.New("NATS has lost the record of the solve")

// readRecord returns the solve in progress and the revision of its record, or nil if it was
// deleted. The error wraps errRecordLost if there never was a record: a deletion leaves a marker.
func readRecord(ctx context.Context, c *conn) (*Solve, uint64, error) {
	entry, err := c.state.Get(ctx, solveKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		stream, err := c.js.Stream(ctx, stateStream)
		if err == nil {
			_, err = stream.GetLastMsgForSubject(ctx, stateSubject+solveKey)
		}
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			err = errRecordLost
		}
		return nil, 0, err
	}
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the state of the cluster: %w", err)
	}
	solve, err := decodeEntry[Solve](entry)
	if err != nil {
		return nil, entry.Revision(), err
	}
	return &solve, entry.Revision(), nil
}

// load reads the record. After an error, revision 0 means that there is none, any other that it is unreadable.
func (r *record) load(ctx context.Context) (found bool, err error) {
	var held *Solve
	waited := r.conn.retry(ctx, func(ctx context.Context) error {
		if held, r.revision, err = readRecord(ctx, r.conn); errors.Is(err, nats.ErrNoResponders) {
			return err // replicas elect a leader
		}
		return nil
	})
	if held != nil {
		r.solve = *held
	}
	return held != nil, cmp.Or(waited, err)
}

func (r *record) create(ctx context.Context, s Solve) (err error) {
	ctx, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	r.solve = s
	if r.revision, err = r.conn.state.Create(ctx, solveKey, encoded(s)); err != nil {
		return fmt.Errorf("cannot begin the solve in the cluster: %w", err)
	}
	return nil
}

// delete deletes the record, unless another coordinator has changed it.
func (r *record) delete(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	if err := r.conn.state.Purge(ctx, solveKey, jetstream.LastRevision(r.revision)); err != nil {
		return fmt.Errorf("cannot delete the solve in the cluster: %w", err)
	}
	return nil
}

// update changes the record. The error wraps ErrReplaced if another coordinator has changed it.
func (r *record) update(ctx context.Context, change func(s *Solve)) error {
	s := r.solve
	change(&s)
	err := r.conn.retry(ctx, func(ctx context.Context) error { return r.write(ctx, s) })
	if err == nil {
		r.solve = s
	}
	return err
}

// write writes the record, also if NATS has lost it: without it no worker works.
func (r *record) write(ctx context.Context, s Solve) error {
	revision, err := r.conn.state.Update(ctx, solveKey, encoded(s), r.revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		revision, err = r.reconcile(ctx, s)
	}
	if err == nil {
		r.revision = revision
	}
	return err
}

// reconcile writes the record after its revision was not the expected one.
func (r *record) reconcile(ctx context.Context, s Solve) (revision uint64, err error) {
	held, revision, err := readRecord(ctx, r.conn)
	switch {
	case errors.Is(err, errRecordLost):
		// The lease was lost too: the first coordinator to acquire it resumes.
		if err = r.lease.renew(ctx); err == nil {
			revision, err = r.conn.state.Create(ctx, solveKey, encoded(s))
		}
		switch {
		case err == nil:
			r.conn.o.Logf(slog.LevelWarn, "NATS has lost the record of the solve; it is written again")
		case errors.Is(err, ErrReplaced), errors.Is(err, jetstream.ErrKeyExists):
			err = &permanentError{fmt.Errorf("%w: %w", ErrReplaced, err)}
		}
		return revision, err
	case err != nil:
		return 0, err
	case held == nil:
	case bytes.Equal(encoded(held), encoded(s)):
		return revision, nil // the response to a successful update was lost
	case bytes.Equal(encoded(held), encoded(r.solve)):
		return r.conn.state.Update(ctx, solveKey, encoded(s), revision)
	case held.ID == r.solve.ID && revision <= r.revision:
		return 0, errors.New("a replica of NATS has an old record of the solve")
	}
	return 0, &permanentError{fmt.Errorf("%w: it has changed the record of the solve", ErrReplaced)}
}
