package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

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
		if revision, err = r.recreate(ctx, s); err == nil {
			r.conn.o.Logf(slog.LevelWarn, "NATS has lost the record of the solve; it is written again")
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

// recreate writes a lost record. The lease was lost too: the first coordinator to acquire it resumes.
func (r *record) recreate(ctx context.Context, s Solve) (revision uint64, err error) {
	if err = r.lease.renew(ctx); err == nil {
		revision, err = r.conn.state.Create(ctx, solveKey, encoded(s))
	}
	if errors.Is(err, ErrReplaced) || errors.Is(err, jetstream.ErrKeyExists) {
		err = &permanentError{fmt.Errorf("%w: %w", ErrReplaced, err)}
	}
	return revision, err
}
