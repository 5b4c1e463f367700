package server

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// quota is a semaphore. One client holds at most a quarter of it, so that a slow client leaves places for others.
type quota struct {
	semaphore semaphore
	most      int // of one client

	mu   sync.Mutex
	held map[netip.Prefix]int
}

func newQuota(n int) *quota {
	return &quota{semaphore: make(semaphore, n), most: max(n/4, 1), held: map[netip.Prefix]int{}}
}

var errQuota = &httpError{
	status: http.StatusTooManyRequests, retryAfter: time.Second,
	text: "too many of your batches and searches are being answered at once; wait until one ends",
}

func (s *quota) acquire(r *http.Request) (release func(), err error) {
	if !s.semaphore.tryAcquire() {
		return nil, errBusy
	}
	client := clientPrefix(r.RemoteAddr)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client] == s.most {
		s.semaphore.release()
		return nil, errQuota
	}
	s.held[client]++
	return func() { s.release(client) }, nil
}

func (s *quota) release(client netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client]--; s.held[client] == 0 {
		delete(s.held, client)
	}
	s.semaphore.release()
}
