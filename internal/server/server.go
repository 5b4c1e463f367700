// Package server is the HTTP API of tables, as api/openapi.yaml describes it, with limits,
// caching, logs, metrics and a graceful shutdown.
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
	// Catalog has the tables.
	Catalog *catalog.Catalog
	// Search solves positions without a table; nil for no search.
	Search probe.Solver
	// Opponents are named by the operator; nil for none.
	Opponents *Opponents
	// Page serves / and /assets/; nil for no page.
	Page http.Handler
	// Log gets requests; nil for no log.
	Log *slog.Logger
	// Tokens of clients; nil if everyone may ask.
	Tokens *token.Set
	// Jobs solves boards; nil for no jobs.
	Jobs *jobs.Queue
	// Origins are allowed by CORS; "*" for all.
	Origins []string
	// Hosts are accepted in the Host header, besides localhost, at a loopback address
	// if everyone may ask; "*" for all.
	Hosts []string
	// Version of the build, one word; "" for devel.
	Version string
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
	// batched is the unpacked size, in bytes, from which on packed tables get batch lookups.
	batched   int64
	state     atomic.Int32
	opponents *Opponents // not nil
}

// The states of a server.
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
		semaphore: newSemaphore(o.MaxRequests), long: newQuota((o.MaxRequests + 1) / 2),
		turns: newSemaphore(runtime.GOMAXPROCS(0)), batched: batchedBytes,
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
