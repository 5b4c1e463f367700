// Package server is the HTTP API of tables, as api/openapi.yaml describes it,
// with what a server needs around it: limits, caching, logs, metrics and a drain.
package server

import (
	"cmp"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"

	"backsolve/probe"
	"backsolve/server/catalog"
)

// Options say how a server works.
type Options struct {
	// Catalog has the tables.
	Catalog *catalog.Catalog
	// Search solves what the catalogue does not know; nil for nothing.
	Search probe.Solver
	// Opponents are those whom the operator has named; nil for nobody.
	Opponents *Opponents
	// Page is what is at / and beneath /assets/; nil for nothing.
	Page http.Handler
	// Log is told of requests; nil for nobody.
	Log *slog.Logger
	// Token is what clients must show; "" where they need none.
	Token string
	// Origins are those whose pages may read answers; "*" stands for all.
	Origins []string
	// Hosts are names, beside localhost, by which the server may be asked at a loopback
	// address without a token; "*" stands for all.
	Hosts []string
	// Version is what the build is called, one word; "" for devel.
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
	rate      *rateLimit                        // nil for none
	token     atomic.Pointer[[sha256.Size]byte] // nil for none
	origins   []string
	hosts     []string
	named     []string   // the header Server
	semaphore semaphore  // of requests
	long      *quota     // of those that may take long: batches and rare positions
	turns     semaphore  // of parts of batches, one for each core
	bodies    byteBudget // of batches that are read before they are answered
	lookups   byteBudget // of positions of batches that are looked up together
	// batched is the unpacked size, in bytes, from which on packed tables get batch lookups.
	batched int64
	state   atomic.Int32
	// opponents are not nil.
	opponents *Opponents
}

// The states of a server.
const (
	starting int32 = iota
	ready
	leaving  // after each answer the connection is closed
	draining // no requests are taken
)

// New returns a server, which says that it is starting until Serve is called.
func New(o Options) *Server {
	version := cmp.Or(o.Version, "devel")
	s := &Server{
		catalog: o.Catalog, search: o.Search, opponents: cmp.Or(o.Opponents, &Opponents{}), log: o.Log, limits: o.Limits, origins: o.Origins, hosts: o.Hosts,
		metrics: newMetrics(o.Catalog.Totals, version), named: []string{"backsolve/" + version},
		semaphore: newSemaphore(o.MaxRequests), long: newQuota((o.MaxRequests + 1) / 2),
		turns: newSemaphore(runtime.GOMAXPROCS(0)), batched: batchedBytes,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if o.Token != "" {
		s.SetToken(o.Token)
	}
	if o.Rate > 0 {
		s.rate = newRateLimit(o.Rate, o.burst())
	}
	s.bodies.left.Store(max(bodyBudget, o.MaxBody))
	s.lookups.left.Store(lookupBudget)
	s.handler = s.addressed(s.cors(s.routes(o.Page)))
	return s
}

// SetToken replaces the token that clients must show, which must not be "". The server must have
// been made with one.
func (s *Server) SetToken(token string) {
	sum := sha256.Sum256([]byte(token))
	s.token.Store(&sum)
}
