// Package server is the HTTP API of api/openapi.yaml, with limits, caching, logs, metrics and a graceful shutdown.
package server

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"

	"backsolve/internal/probe"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/jobs"
	"backsolve/internal/server/token"
)

// Options configure a server.
type Options struct {
	Catalog   *catalog.Catalog // the tables
	Search    probe.Solver     // solves positions without a table; nil for no search
	Opponents *Opponents       // named by the operator; nil for none
	Page      http.Handler     // serves / and /assets/; nil for no page
	Log       *slog.Logger     // gets requests; nil for no log
	Tokens    *token.Set       // of clients; nil if everyone may ask
	Jobs      *jobs.Queue      // solves boards; nil for no jobs
	Origins   []string         // allowed by CORS; "*" for all
	Hosts     []string         // accepted besides localhost, at a loopback address if everyone may ask; "*" for all
	Version   string           // of the build, one word; "" for devel
	Limits
}

// Server answers requests. It is an http.Handler; Serve runs it.
type Server struct {
	catalog   *catalog.Catalog
	log       *slog.Logger
	search    probe.Solver
	metrics   *metrics
	handler   http.Handler
	limits    Limits
	rate      *rateLimit                // nil for none
	tokens    atomic.Pointer[token.Set] // nil for none
	jobs      *jobs.Queue               // nil for none
	games     atomic.Pointer[gameList]
	origins   []string
	hosts     []string
	named     []string   // the header Server
	semaphore semaphore  // of requests
	long      *quota     // of long requests: batches, playouts and random positions
	turns     semaphore  // one for each core
	bodies    byteBudget // of bodies that are read before they are answered
	lookups   byteBudget // of batch lookups
	// batched is the unpacked size, in bytes, from which packed tables get batch lookups.
	batched   int64
	state     atomic.Int32
	opponents *Opponents // not nil
}

const (
	starting int32 = iota
	ready
	leaving  // closes the connection after each answer
	draining // refuses requests
)

// New returns a server, which answers 503 until Serve is called.
func New(o Options) *Server {
	version := cmp.Or(o.Version, "devel")
	s := &Server{
		catalog: o.Catalog, search: o.Search, jobs: o.Jobs, opponents: cmp.Or(o.Opponents, &Opponents{}), log: o.Log, limits: o.Limits, origins: o.Origins, hosts: o.Hosts,
		metrics: newMetrics(o.Catalog.Totals, version), named: []string{"backsolve/" + version},
		semaphore: make(semaphore, o.MaxRequests), long: newQuota((o.MaxRequests + 1) / 2),
		turns: make(semaphore, runtime.GOMAXPROCS(0)), batched: batchedBytes,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.SetTokens(o.Tokens)
	if o.Rate > 0 {
		s.rate = newRateLimit(o.Rate, o.burst())
	}
	s.bodies.left.Store(max(bodyBudget, o.MaxBody))
	s.lookups.left.Store(lookupBudget)
	s.handler = gate{s}.addressed(gate{s}.cors(s.routes(o.Page)))
	return s
}
