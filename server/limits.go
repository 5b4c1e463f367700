package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Limits bound what clients may ask for. Each must be positive but for Rate.
type Limits struct {
	// MaxHeader and MaxBody are in bytes, of a request.
	MaxHeader int
	MaxBody   int64
	// MaxBatch is the most positions of a batch.
	MaxBatch int
	// MaxRequests are answered at once, at most half of them such as may take long;
	// MaxConnections are open at once.
	MaxRequests    int
	MaxConnections int
	// ReadHeader is the time for the header of a request, Read and Write those for
	// the rest of it and the answer; a batch has them anew for each part. Idle is
	// how long a connection is kept without a request.
	ReadHeader, Read, Write, Idle time.Duration
	// Rate is how many requests a second a client may send, 0 for any number.
	Rate float64
}

// DefaultLimits are those of a server that was told of none.
func DefaultLimits() Limits {
	return Limits{
		MaxHeader: 16 << 10, MaxBody: 8 << 20, MaxBatch: 100_000,
		MaxRequests: 1024, MaxConnections: 16384,
		ReadHeader: 10 * time.Second, Read: 30 * time.Second, Write: 30 * time.Second, Idle: 2 * time.Minute,
	}
}

// burst is how many requests a client may send at once: those of five seconds.
func (l Limits) burst() int { return max(int(5*l.Rate), 1) }

// maxAddress is the longest address of a request, in bytes: the largest position
// takes 600, and three times as many with every character escaped.
const maxAddress = 8 << 10

// slots bound what goes on at once.
type slots chan struct{}

func newSlots(n int) slots { return make(slots, n) }

// take takes a slot and reports whether there was one.
func (s slots) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) give() { <-s }

// room bounds the bytes that are kept for requests of a kind at once.
type room struct{ left atomic.Int64 }

// take takes bytes, which must be given back, and reports whether so many were left.
func (r *room) take(bytes int64) bool {
	if r.left.Add(-bytes) >= 0 {
		return true
	}
	r.give(bytes)
	return false
}

func (r *room) give(bytes int64) { r.left.Add(bytes) }

// errBusy is what is told to those for whom there is no slot.
var errBusy = &refusal{
	status: http.StatusServiceUnavailable, retryAfter: time.Second,
	text: "the server is busy with as many requests as it takes at once; try again in a second",
}

// guard admits to a handler who has shown the token, has not sent too many
// requests, and finds the server ready and not too busy.
func (s *Server) guard(h http.Handler) http.Handler {
	return s.authorized(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.admit(r); err != nil {
			fail(w, err)
			return
		}
		if !s.slots.take() {
			fail(w, errBusy)
			return
		}
		defer s.slots.give()
		h.ServeHTTP(w, r)
	}))
}

// admit refuses a request that comes at the wrong time, too often, or is too
// long to be one.
func (s *Server) admit(r *http.Request) error {
	if err := s.available(); err != nil {
		return err
	}
	if len(r.RequestURI) > maxAddress {
		return &refusal{status: http.StatusRequestURITooLong, text: "the address is longer than that of any position; POST many positions instead"}
	}
	if s.rate != nil {
		return s.rate.allow(r)
	}
	return nil
}

// available says why no requests are taken, nil where they are.
func (s *Server) available() error {
	switch s.state.Load() {
	case starting:
		return &refusal{status: http.StatusServiceUnavailable, retryAfter: time.Second, text: "the server is starting; try again in a second"}
	case draining:
		return errLeaving
	}
	return nil
}

var errLeaving = &refusal{
	status: http.StatusServiceUnavailable, retryAfter: 5 * time.Second,
	text: "the server is shutting down; try again when it is back",
}

// errLate is why a request was given up.
var errLate = &refusal{
	status: http.StatusServiceUnavailable, retryAfter: 10 * time.Second,
	text: "this takes longer than the server waits; try again, or ask for what is less rare",
}

// patience returns a context that ends before the time for the answer does, so
// that there is one.
func (s *Server) patience(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(r.Context(), s.limits.Write*9/10, errLate)
}
