package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Limits bound the requests of clients. All but Rate must be positive.
type Limits struct {
	// MaxHeader and MaxBody are bytes of a request.
	MaxHeader int
	MaxBody   int64
	// MaxBatch is the most positions of a batch.
	MaxBatch int
	// MaxRequests are answered at once, at most half of them long ones. MaxConnections are open at once.
	MaxRequests    int
	MaxConnections int
	// ReadHeader, Read and Write are the times for the header, the body and the answer; each
	// part of a batch has Read and Write of its own. Idle is the time between requests.
	ReadHeader, Read, Write, Idle time.Duration
	// Rate is the number of requests a second of a client, 0 for no limit.
	Rate float64
}

// DefaultLimits returns the limits of tbserve without flags.
func DefaultLimits() Limits {
	return Limits{
		MaxHeader: 16 << 10, MaxBody: 8 << 20, MaxBatch: 100_000,
		MaxRequests: 1024, MaxConnections: 16384,
		ReadHeader: 10 * time.Second, Read: 30 * time.Second, Write: 30 * time.Second, Idle: 2 * time.Minute,
	}
}

// burst is the number of requests of a client at once: five seconds' worth.
func (l Limits) burst() int { return max(int(5*l.Rate), 1) }

// maxAddress is in bytes. The largest position takes 600, or 1,800 with every character escaped.
const maxAddress = 8 << 10

type semaphore chan struct{}

func (s semaphore) tryAcquire() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s semaphore) release() { <-s }

type byteBudget struct{ left atomic.Int64 }

// tryAcquire reports whether the bytes were left; they must be released.
func (r *byteBudget) tryAcquire(bytes int64) bool {
	if r.left.Add(-bytes) >= 0 {
		return true
	}
	r.release(bytes)
	return false
}

func (r *byteBudget) release(bytes int64) { r.left.Add(bytes) }

var errBusy = unavailable(time.Second, "the server is busy with as many requests as it can answer at once; try again in a second")

type gate struct{ *Server }

func (s gate) guard(h http.Handler) http.Handler { return s.authorized(s.limited(h)) }

func (s gate) limited(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.admit(r); err != nil {
			fail(w, err)
			return
		}
		if !s.semaphore.tryAcquire() {
			fail(w, errBusy)
			return
		}
		defer s.semaphore.release()
		h.ServeHTTP(w, r)
	})
}

func (s gate) admit(r *http.Request) error {
	if err := s.available(); err != nil {
		return err
	}
	if len(r.RequestURI) > maxAddress {
		return refusal(http.StatusRequestURITooLong, "the address is longer than any position needs; POST many positions instead")
	}
	if s.rate != nil {
		return s.rate.allow(r)
	}
	return nil
}

func (s gate) available() error {
	switch s.state.Load() {
	case starting:
		return unavailable(time.Second, "the server is starting; try again in a second")
	case draining:
		return errLeaving
	}
	return nil
}

var (
	errLeaving = unavailable(5*time.Second, "the server is shutting down; try again when it is back")
	errLate    = unavailable(10*time.Second, "this takes longer than the server's time limit; try again, or ask for a position that the table has")
)

// takeTime takes a place for a request that may take long, with a context like withDeadline's.
func (s *Server) takeTime(r *http.Request) (ctx context.Context, done func(), err error) {
	release, err := s.long.acquire(r)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := s.limits.withDeadline(r, errLate)
	return ctx, func() { cancel(); release() }, nil
}

// withDeadline returns a context that ends before the connection's deadline: its cause can still be sent.
func (l Limits) withDeadline(r *http.Request, cause error) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(r.Context(), l.Write*9/10, cause)
}
