package cluster

import (
	"cmp"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backsolve/cluster/store"
)

// Options configure a coordinator or a worker.
type Options struct {
	// URL is the address of NATS, nats://host:4222. Credentials come from the environment.
	URL string
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(name string) string
	// Store has the bulk data. Coordinator and workers need the same one.
	Store store.Store
	// Table is a file outside the directory of the store that workers may write. With Own, a coordinator
	// has them write it if they have the same Table.
	Table string
	// Pieces is the table in the bucket of the store, if workers write that instead of Table.
	Pieces *store.Pieces
	// Version is that of the program.
	Version string
	// ShardBytes is the size of a shard of blocks, all planes together; 0 means that it depends on the number
	// of workers. A resumed solve keeps its size.
	ShardBytes int64
	// Wait is for how long a coordinator or worker tries to reach NATS at the start; 0 means once.
	Wait time.Duration
	// Replicas is how many NATS servers store the state of the solve: 1, 3 or 5; 0 means 1.
	Replicas int
	// VerifyShare is the share of the blocks, 0 to 1, that a second worker solves too, to compare.
	VerifyShare float64
	// Expect is how many workers are expected.
	Expect int
	// Own means that only coordinators of this table, one at a time, use this NATS and this store.
	Own bool
	// Force discards the unfinished solve of another board in the cluster.
	Force bool
	// Anew also discards an unfinished solve of the same board.
	Anew bool
	// Logf, if set, logs events. It must be safe for concurrent use.
	Logf func(level slog.Level, format string, args ...any)
	// Metrics, if set, gets the metrics of the coordinator or worker.
	Metrics prometheus.Registerer
	timing
}

// timing has the times of a cluster; zero values mean the defaults.
type timing struct {
	AckWait  time.Duration // after which a task without a sign of life goes to another worker
	Alive    time.Duration // for which a silent process counts as alive
	Sweep    time.Duration // between two looks of the coordinator for lost tasks
	RetryFor time.Duration // for which NATS or the store may be unreachable
}

// callTimeout bounds one call to NATS whose context has no deadline. Tests shorten it.
var callTimeout = 5 * time.Second

func (o Options) withDefaults() Options {
	o.Replicas = max(1, o.Replicas)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry() // which nobody reads
	}
	if o.Logf == nil {
		o.Logf = func(slog.Level, string, ...any) {}
	}
	o.AckWait = cmp.Or(o.AckWait, 15*time.Second)
	o.Alive = cmp.Or(o.Alive, 6*time.Second)
	o.Sweep = cmp.Or(o.Sweep, 2*time.Second)
	o.RetryFor = cmp.Or(o.RetryFor, 5*time.Minute)
	return o
}

const (
	// StandardShardBytes is the usual size of a shard in bytes: large compared with the cost of a
	// message, small compared with what a worker solves in a minute.
	StandardShardBytes = 1 << 20
	// MaxShardBytes is the size for a single worker: at the end of each shard not all threads are busy.
	MaxShardBytes = 4 << 20
	// PieceShardBytes is the least size where the table is written in pieces into a bucket: the least
	// that its server copies is 5 MiB of a part of an upload, and a shard has at most eight planes.
	PieceShardBytes = 48 << 20
	// pieceBytes is from which length on a worker puts a piece.
	pieceBytes = 32 << 20
)

// shardBytes returns the size of shards: larger for few workers, if their number is known. A
// solve that keeps no table cuts shards differently.
func (o *Options) shardBytes(stream bool) int64 {
	switch {
	case o.ShardBytes > 0:
		return o.ShardBytes
	case o.Pieces != nil:
		return PieceShardBytes
	case stream || !o.Own:
		return StandardShardBytes
	}
	return max(StandardShardBytes, MaxShardBytes/int64(max(1, o.Expect)))
}
