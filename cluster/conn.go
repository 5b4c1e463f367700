package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names in NATS. A cluster solves one board at a time.
const (
	taskStream   = "backsolve-tasks"
	taskSubjects = "backsolve.task"
	taskConsumer = "workers"
	stateBucket  = "backsolve"
	aliveBucket  = "backsolve-alive"
	stateSubject = "$KV." + stateBucket + "."

	solveKey       = "solve"       // in the state bucket: the Solve in work
	coordinatorKey = "coordinator" // in the alive bucket: who has the lease
	progressKey    = "progress"    // in the alive bucket
	workerKeys     = "worker."     // in the alive bucket, with the worker's identifier

	stopSubject    = "backsolve.stop"
	doneSubject    = "backsolve.done."    // with the solve's identifier
	lostSubject    = "backsolve.lost."    // likewise; a request
	troubleSubject = "backsolve.trouble." // likewise
	doomedSubject  = "backsolve.doomed."  // likewise
	wrongSubject   = "backsolve.wrong."   // with the worker's identifier
)

// Timing says how long things take. The zero value has the standard.
type Timing struct {
	// AckWait is after what time a task is given to another worker, unless its worker
	// has told that it is still at it.
	AckWait time.Duration
	// Alive is how long somebody counts as there who has said nothing.
	Alive time.Duration
	// Sweep is how often the coordinator looks for tasks that got lost.
	Sweep time.Duration
	// Patience is how long NATS or the store may be away before who needs it gives up.
	Patience time.Duration
}

// WithDefaults returns the timing with what it leaves open filled in.
func (t Timing) WithDefaults() Timing {
	t.AckWait = cmp.Or(t.AckWait, 15*time.Second)
	t.Alive = cmp.Or(t.Alive, 6*time.Second)
	t.Sweep = cmp.Or(t.Sweep, 2*time.Second)
	t.Patience = cmp.Or(t.Patience, 5*time.Minute)
	return t
}

// conn is a connection to a cluster.
type conn struct {
	nc    *nats.Conn
	js    jetstream.JetStream
	url   string // without secrets
	state jetstream.KeyValue
	alive jetstream.KeyValue
}

// CheckURL says what is wrong with the address of a cluster, nil where nothing is.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is no address of NATS; give one like nats://host:4222", redacted(address))
	}
	switch u.Scheme {
	case "nats", "tls", "ws", "wss":
	default:
		return fmt.Errorf("%q is no address of NATS; give one like nats://host:4222, or tls://host:4222", redacted(address))
	}
	if u.User != nil {
		return fmt.Errorf("an address with a user or a password can be read by everybody on this machine; give nats://%s, and the secret by $NATS_CREDS, $NATS_USER and $NATS_PASSWORD, or $NATS_TOKEN", u.Host)
	}
	return nil
}

// redacted is an address without what may be a secret.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "…"
	}
	return u.Redacted()
}

// connect connects to NATS with the credentials of the environment: a file of credentials in
// $NATS_CREDS, a seed in $NATS_NKEY, $NATS_USER and $NATS_PASSWORD, or $NATS_TOKEN; and for
// TLS $NATS_CA, $NATS_CERT and $NATS_KEY, as the command nats reads them.
func connect(address, name string, getenv func(name string) string) (*conn, error) {
	if err := CheckURL(address); err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.Name(name), nats.Timeout(5 * time.Second), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // what matters comes back from calls
	}
	secrets, err := fromEnvironment(getenv)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(address, append(options, secrets...)...)
	if err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w; start it there with JetStream, as by nats-server -js, or see to the address and the credentials", address, err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(prepareTimeout))
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &conn{nc: nc, js: js, url: address}, nil
}

// fromEnvironment returns the options that variables of the environment ask for.
func fromEnvironment(getenv func(name string) string) (options []nats.Option, err error) {
	if file := getenv("NATS_CREDS"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	if file := getenv("NATS_NKEY"); file != "" {
		seed, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read the seed of $NATS_NKEY, %s: %w", file, err)
		}
		options = append(options, seed)
	}
	if user := getenv("NATS_USER"); user != "" {
		options = append(options, nats.UserInfo(user, getenv("NATS_PASSWORD")))
	}
	if token := getenv("NATS_TOKEN"); token != "" {
		options = append(options, nats.Token(token))
	}
	if file := getenv("NATS_CA"); file != "" {
		options = append(options, nats.RootCAs(file))
	}
	if cert, key := getenv("NATS_CERT"), getenv("NATS_KEY"); cert != "" && key != "" {
		options = append(options, nats.ClientCert(cert, key))
	}
	return options, nil
}

// prepareTimeout is how long a call that prepares NATS may take: a server on a busy disk may
// need longer for its first stream than NATS's own five seconds.
const prepareTimeout = 30 * time.Second

// prepare makes the stream, the consumer and the buckets where they are not there.
func (c *conn) prepare(ctx context.Context, o Options) (err error) {
	c.state, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: stateBucket, Description: "the solve of backsolve that is in work", Storage: jetstream.FileStorage, Replicas: o.Replicas,
	})
	if err == nil {
		c.alive, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: aliveBucket, Description: "who takes part in the solve", Storage: jetstream.FileStorage, TTL: o.Alive, Replicas: o.Replicas,
		})
	}
	if err == nil {
		_, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: taskStream, Description: "groups of blocks to be settled", Subjects: []string{taskSubjects + ".>"},
			Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: o.Replicas,
		})
	}
	if err == nil {
		_, err = c.js.CreateOrUpdateConsumer(ctx, taskStream, jetstream.ConsumerConfig{
			Durable: taskConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.AckWait,
			MaxDeliver: -1, MaxAckPending: -1, FilterSubject: taskSubjects + ".>",
		})
	}
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, nats.ErrNoResponders) {
		err = fmt.Errorf("%w; start it with JetStream, as by nats-server -js", err)
	}
	if err != nil && o.Replicas > 1 {
		err = fmt.Errorf("%w; %d replicas need a NATS cluster of at least as many servers with JetStream", err, o.Replicas)
	}
	if err != nil {
		return fmt.Errorf("cannot prepare NATS at %s: %w", c.url, err)
	}
	return nil
}

// errRecordLost is the cause where NATS has come back without its files, and so without the record of
// the solve in work.
var errRecordLost = errors.New("NATS has lost the record of the solve")

// record returns the record of the solve in work and its revision, nil where there is none. The error
// wraps errRecordLost where no record has ever been there: one that was deleted leaves a trace.
func (c *conn) record(ctx context.Context) (*Solve, uint64, error) {
	entry, err := c.state.Get(ctx, solveKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		stream, err := c.js.Stream(ctx, "KV_"+stateBucket)
		if err == nil {
			_, err = stream.GetLastMsgForSubject(ctx, stateSubject+solveKey)
		}
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			err = errRecordLost
		}
		return nil, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	solve := new(Solve)
	return solve, entry.Revision(), json.Unmarshal(entry.Value(), solve)
}

// purge deletes the messages of a subject from a stream.
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

// purgeNotes deletes what is noted of groups, without a trace.
func (c *conn) purgeNotes(ctx context.Context, of string) error {
	return c.purge(ctx, "KV_"+stateBucket, stateSubject+"*."+of)
}

// find opens the buckets where they are there. The error wraps jetstream.ErrBucketNotFound
// where they are not.
func (c *conn) find(ctx context.Context) (err error) {
	if c.state, err = c.js.KeyValue(ctx, stateBucket); err == nil {
		c.alive, err = c.js.KeyValue(ctx, aliveBucket)
	}
	return err
}

// keys returns the keys of a bucket that match a pattern.
func keys(ctx context.Context, bucket jetstream.KeyValue, pattern string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	lister, err := bucket.ListKeysFiltered(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer lister.Stop()
	all := map[string]bool{}
	for key := range lister.Keys() {
		all[key] = true
	}
	return all, ctx.Err() // the list ends early with its context
}

// callTimeout is how long one call of NATS may take. Tests shorten it.
var callTimeout = 5 * time.Second

func (c *conn) close() { c.nc.Close() }
