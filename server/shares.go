package server

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// shares are slots of which each client has a quarter at most, so that one who is
// slow leaves some to others.
type shares struct {
	slots slots
	most  int // of one client

	mu   sync.Mutex
	held map[netip.Prefix]int
}

func newShares(n int) *shares {
	return &shares{slots: newSlots(n), most: max(n/4, 1), held: map[netip.Prefix]int{}}
}

// errGreedy is what is told to a client who has its share.
var errGreedy = &refusal{
	status: http.StatusTooManyRequests, retryAfter: time.Second,
	text: "as many batches and searches of yours are being answered as one address may have at once; wait for the end of one",
}

// take takes a slot for a client, which must be given back. The error says why
// there is none.
func (s *shares) take(r *http.Request) (give func(), err error) {
	if !s.slots.take() {
		return nil, errBusy
	}
	client := clientPrefix(r.RemoteAddr)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client] == s.most {
		s.slots.give()
		return nil, errGreedy
	}
	s.held[client]++
	return func() { s.give(client) }, nil
}

func (s *shares) give(client netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[client]--; s.held[client] == 0 {
		delete(s.held, client)
	}
	s.slots.give()
}
