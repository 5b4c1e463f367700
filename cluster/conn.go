package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names in NATS. A cluster solves one board at a time.
const (
	taskStream   = "backsolve-tasks"
	taskSubject  = "backsolve.task"
	taskConsumer = "workers"
	stateBucket  = "backsolve"
	aliveBucket  = "backsolve-alive"
	stateStream  = "KV_" + stateBucket
	aliveStream  = "KV_" + aliveBucket
	stateSubject = "$KV." + stateBucket + "."

	solveKey       = "solve"       // in the state bucket: the Solve in progress
	coordinatorKey = "coordinator" // in the alive bucket: who holds the lease
	progressKey    = "progress"    // in the alive bucket
	workerKeys     = "worker."     // in the alive bucket, with the worker's identifier

	stopSubject   = "backsolve.stop"
	repairSubject = "backsolve.repair." // with the solve's identifier; a request
	errorSubject  = "backsolve.error."  // with the solve's identifier
	poisonSubject = "backsolve.poison." // with the solve's identifier
	faultySubject = "backsolve.faulty." // with the worker's identifier
)

// longTimeout bounds a call that changes much and is made once: on a busy disk NATS takes long.
const longTimeout = 30 * time.Second

type conn struct {
	nc    *nats.Conn
	js    jetstream.JetStream
	o     Options
	state jetstream.KeyValue
	alive jetstream.KeyValue
}

func connect(o Options, name string) (*conn, error) {
	if err := CheckURL(o.URL); err != nil {
		return nil, err
	}
	secrets, err := credentials(o.Getenv)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(o.URL, append(secrets,
		nats.Name(name), nats.Timeout(5*time.Second), nats.MaxReconnects(-1), nats.ReconnectWait(250*time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // calls return the errors that matter
	)...)
	if err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w; start it there with JetStream (nats-server -js), or check the address and the credentials", o.URL, err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(callTimeout))
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &conn{nc: nc, js: js, o: o}, nil
}

// awaitConnection connects as soon as NATS accepts connections. It gives up after Wait.
func awaitConnection(ctx context.Context, o Options, name string) (*conn, error) {
	end := time.Now().Add(o.Wait)
	for logged := false; ; logged = true {
		c, err := connect(o, name)
		if err == nil || !time.Now().Before(end) || !isUnreachable(err) {
			return c, err
		}
		if !logged {
			o.Logf(slog.LevelInfo, "waiting for NATS at %s", o.URL)
		}
		if err := sleep(ctx, idle); err != nil {
			return nil, err
		}
	}
}

// isUnreachable reports whether NATS may accept connections later: it has refused nothing.
func isUnreachable(err error) bool {
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.As(err, new(net.Error))
}

// awaitPrepared prepares NATS. It tries again while there is no response: a new server loses the
// response to one client while it handles the first call of another, and a disk may be busy.
func (c *conn) awaitPrepared(ctx context.Context) error {
	return retry(ctx, c.o, "NATS", func(ctx context.Context) error {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		err := c.prepare(call)
		if err != nil && call.Err() == nil {
			return &permanentError{err}
		}
		return err
	})
}

func (c *conn) prepare(ctx context.Context) error {
	err := c.create(ctx)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, nats.ErrNoResponders) {
		err = fmt.Errorf("%w; start it with JetStream (nats-server -js)", err)
	}
	if err != nil && c.o.Replicas > 1 {
		err = fmt.Errorf("%w; %d replicas need a NATS cluster of at least as many servers with JetStream", err, c.o.Replicas)
	}
	if err != nil {
		return fmt.Errorf("cannot prepare NATS at %s: %w", c.o.URL, err)
	}
	return nil
}

func (c *conn) create(ctx context.Context) error {
	o := &c.o
	state, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: stateBucket, Description: "state of the backsolve solve in progress", Storage: jetstream.FileStorage, Replicas: o.Replicas,
	})
	if err != nil {
		return err
	}
	alive, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: aliveBucket, Description: "processes of the backsolve solve", Storage: jetstream.FileStorage, TTL: o.Alive, Replicas: o.Replicas,
	})
	if err != nil {
		return err
	}
	if c.state == nil { // a handle remains valid if the bucket is created again
		c.state, c.alive = state, alive
	}
	_, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: taskStream, Description: "shards of blocks to solve", Subjects: []string{taskSubject + ".>"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: o.Replicas,
	})
	if err != nil {
		return err
	}
	_, err = c.js.CreateOrUpdateConsumer(ctx, taskStream, jetstream.ConsumerConfig{
		Durable: taskConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.AckWait,
		MaxDeliver: -1, MaxAckPending: -1, FilterSubject: taskSubject + ".>",
	})
	return err
}

// open opens the buckets. The error wraps jetstream.ErrBucketNotFound if they do not exist.
func (c *conn) open(ctx context.Context) (err error) {
	if c.state, err = c.js.KeyValue(ctx, stateBucket); err == nil {
		c.alive, err = c.js.KeyValue(ctx, aliveBucket)
	}
	return err
}

// retry is the function retry, and prepares NATS again if that came back without its files.
func (c *conn) retry(ctx context.Context, do func(ctx context.Context) error) error {
	return retry(ctx, c.o, "the cluster", func(ctx context.Context) error {
		failed := do(ctx)
		if failed == nil {
			return nil
		}
		for _, name := range []string{stateStream, aliveStream, taskStream} {
			if _, err := c.js.Stream(ctx, name); errors.Is(err, jetstream.ErrStreamNotFound) {
				return errors.Join(failed, c.prepare(ctx))
			}
		}
		return failed
	})
}

func (c *conn) purge(ctx context.Context, name, subject string) error {
	stream, err := c.js.Stream(ctx, name)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
	}
	if err != nil {
		return fmt.Errorf("cannot clear %s: %w", name, err)
	}
	return nil
}

// purgeKeys deletes the keys with any first token and the given rest, and leaves no deletion markers.
func (c *conn) purgeKeys(ctx context.Context, rest string) error {
	return c.purge(ctx, stateStream, stateSubject+"*."+rest)
}

// queued returns the subjects of the tasks in the work queue, also those that a worker has.
func (c *conn) queued(ctx context.Context, subjects string) (map[string]uint64, error) {
	stream, err := c.js.Stream(ctx, taskStream)
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subjects))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}

func (c *conn) workers(ctx context.Context) ([]WorkerStatus, error) {
	all, err := getAll[WorkerStatus](ctx, c.alive, workerKeys+"*")
	return slices.Collect(maps.Values(all)), err
}

// accepted returns the identifiers of the workers that get work, sorted.
func (c *conn) accepted(ctx context.Context) (ids []string, err error) {
	workers, err := c.workers(ctx)
	for _, w := range workers {
		if w.Refused == "" {
			ids = append(ids, w.ID)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// getKey returns the value of a key, or nil if there is none.
func getKey[T any](ctx context.Context, bucket jetstream.KeyValue, key string) (*T, error) {
	entry, err := bucket.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the state of the cluster: %w", err)
	}
	value, err := decodeEntry[T](entry)
	return &value, err
}

func getAll[T any](ctx context.Context, bucket jetstream.KeyValue, pattern string) (map[string]T, error) {
	all := map[string]T{}
	var failed error
	watcher, err := watch(ctx, bucket, pattern, func(entry jetstream.KeyValueEntry) {
		value, err := decodeEntry[T](entry)
		all[entry.Key()], failed = value, cmp.Or(failed, err)
	})
	if err != nil {
		return nil, err
	}
	stopWatcher(watcher)
	return all, failed
}

// watch watches the keys that match a pattern, and returns when it has given all entries so far to take.
func watch(ctx context.Context, bucket jetstream.KeyValue, pattern string, take func(entry jetstream.KeyValueEntry)) (jetstream.KeyWatcher, error) {
	watcher, err := bucket.Watch(ctx, pattern, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	for timeout := time.After(callTimeout); ; {
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-timeout:
			err = errors.New("the state of the cluster cannot be read")
		case entry := <-watcher.Updates():
			if entry == nil {
				return watcher, nil
			}
			take(entry)
			continue
		}
		stopWatcher(watcher)
		return nil, err
	}
}

// stopWatcher stops a watcher, and drains it: a full channel would block its goroutine for ever.
func stopWatcher(w jetstream.KeyWatcher) {
	if w == nil {
		return
	}
	w.Stop()
	go func() {
		for range w.Updates() {
		}
	}()
}

func decodeEntry[T any](entry jetstream.KeyValueEntry) (value T, err error) {
	if err = json.Unmarshal(entry.Value(), &value); err != nil {
		err = fmt.Errorf("cannot read the state of the cluster: %s: %w", entry.Key(), err)
	}
	return value, err
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible for the types of this package
	}
	return b
}
