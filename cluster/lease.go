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

// Member is a process that takes part in a solve.
type Member struct {
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
	// Since is when it began.
	Since time.Time `json:"since"`
}

func newMember(version string) Member {
	host, _ := os.Hostname() // empty where it fails
	return Member{Host: cmp.Or(host, "unknown"), PID: os.Getpid(), Version: version, Since: time.Now().UTC().Truncate(time.Second)}
}

// String names the process for people.
func (m Member) String() string { return fmt.Sprintf("process %d on %s", m.PID, m.Host) }

// ErrBusy is the cause where another coordinator is at work in the cluster.
var ErrBusy = errors.New("another coordinator is at work there")

// ErrReplaced is the cause with which a coordinator ends in whose place there is another
// one, as it may be when it was not heard of for long.
var ErrReplaced = errors.New("another coordinator has taken this one's place")

// lease is the right to coordinate: a key that whoever has it writes again and again, and
// that the server drops when he does not.
type lease struct {
	lock     sync.Mutex // of renew
	bucket   jetstream.KeyValue
	value    []byte
	revision uint64
}

// acquire takes the lease. Where somebody seems to have it, it waits until he is heard of,
// and returns an error that wraps ErrBusy, or until the server drops what he wrote last.
func acquire(ctx context.Context, bucket jetstream.KeyValue, m Member, alive time.Duration) (*lease, error) {
	l := &lease{bucket: bucket, value: encoded(m)}
	var seen uint64
	for end := time.Now().Add(3*alive + callTimeout); ; {
		var err error
		if l.revision, err = bucket.Create(ctx, coordinatorKey, l.value); err == nil {
			return l, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) || time.Now().After(end) {
			return nil, fmt.Errorf("cannot begin to coordinate: %w", err)
		}
		entry, err := bucket.Get(ctx, coordinatorKey)
		switch {
		case err != nil: // it has just gone, or the next attempt tells why
		case seen != 0 && entry.Revision() != seen:
			return nil, fmt.Errorf("%w: %s", ErrBusy, memberOf(entry))
		default:
			seen = entry.Revision()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(alive / 20):
		}
	}
}

// memberOf reads who wrote an entry.
func memberOf(entry jetstream.KeyValueEntry) Member {
	m := Member{Host: "unknown"}
	json.Unmarshal(entry.Value(), &m) // who writes nonsense stays unknown
	return m
}

// renew keeps the lease. The error wraps ErrReplaced where somebody else has it; any other
// may pass.
func (l *lease) renew(ctx context.Context) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	revision, err := l.bucket.Update(ctx, coordinatorKey, l.value, l.revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		// The server has dropped it, or an update whose answer got lost has changed it.
		if entry, there := l.bucket.Get(ctx, coordinatorKey); there == nil {
			if string(entry.Value()) != string(l.value) {
				return fmt.Errorf("%w: %s", ErrReplaced, memberOf(entry))
			}
			revision, err = l.bucket.Update(ctx, coordinatorKey, l.value, entry.Revision())
		} else if errors.Is(there, jetstream.ErrKeyNotFound) {
			if revision, err = l.bucket.Create(ctx, coordinatorKey, l.value); errors.Is(err, jetstream.ErrKeyExists) {
				return nil // the next renewal tells whose it is
			}
		}
	}
	if err == nil {
		l.revision = revision
	}
	return err
}

// release gives the lease back.
func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	l.bucket.Purge(ctx, coordinatorKey, jetstream.LastRevision(l.revision)) // else the server drops it soon
}

// look looks who is there, and says whom it does not know yet and has another version.
func (c *Coordinator) look() error {
	workers, err := keys(c.ctx, c.conn.alive, workerKeys+"*")
	if err != nil {
		return err
	}
	for key := range workers {
		if c.said[key] {
			continue
		}
		c.said[key] = true
		if entry, err := c.conn.alive.Get(c.ctx, key); err == nil {
			if m := memberOf(entry); m.Version != c.o.Version {
				c.o.Say(fmt.Sprintf("the worker %v has version %s, and this is %s: it is refused", m, m.Version, c.o.Version))
			}
		}
	}
	if len(workers) > 0 {
		c.said[noWorkers] = false
	} else if !c.said[noWorkers] && time.Since(c.progress.began) > c.o.Alive {
		c.said[noWorkers] = true
		c.o.Say(noWorkers)
	}
	return nil
}

// noWorkers is what is said where nobody works.
const noWorkers = "no worker is there; tasks wait until one comes, with the same cluster and store"
