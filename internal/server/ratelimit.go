package server

import (
	"container/list"
	"context"
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// maxClients bounds the clients that are remembered. Beyond it the least recent one is
	// forgotten and may send a burst again.
	maxClients = 1 << 16
	// positionsPerToken positions of a batch cost as much as a request.
	positionsPerToken = 100
)

// rateLimit is a token bucket for each client. How full it is follows from when it will be full.
type rateLimit struct {
	each, whole time.Duration // that a token and a whole bucket take to come

	mu      sync.Mutex
	clients map[netip.Prefix]*list.Element // of *client
	recent  *list.List                     // the latest first
}

type client struct {
	prefix netip.Prefix
	full   time.Time
}

func newRateLimit(perSecond float64, burst int) *rateLimit {
	each := time.Duration(min(float64(time.Second)/perSecond, float64(24*time.Hour)))
	return &rateLimit{each: each, whole: each * time.Duration(burst), clients: map[netip.Prefix]*list.Element{}, recent: list.New()}
}

// allow takes a token of the client, or returns an *httpError with the time to wait.
func (l *rateLimit) allow(r *http.Request) error {
	wait := l.take(r, 0)
	if wait == 0 {
		return nil
	}
	return &httpError{
		status: http.StatusTooManyRequests, retryAfter: wait,
		text: "too many requests from your address; wait for as long as Retry-After says, or ask for many positions in one request",
	}
}

// pace waits for a token, the price of positionsPerToken further positions of a batch.
func (l *rateLimit) pace(ctx context.Context, r *http.Request) error {
	select {
	case <-time.After(l.take(r, math.MaxInt64)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take returns how long a client must wait for a token, and takes it unless that is longer than most.
func (l *rateLimit) take(r *http.Request, most time.Duration) (wait time.Duration) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.client(clientPrefix(r.RemoteAddr), now)
	left := max(c.full.Sub(now), 0) + l.each
	if wait = max(left-l.whole, 0); wait <= most {
		c.full = now.Add(left)
	}
	return wait
}

// client returns a client as the latest, and forgets those whose bucket is full again.
func (l *rateLimit) client(prefix netip.Prefix, now time.Time) *client {
	if e, known := l.clients[prefix]; known {
		l.recent.MoveToFront(e)
		return e.Value.(*client)
	}
	for e := l.recent.Back(); e != nil && (len(l.clients) >= maxClients || e.Value.(*client).full.Before(now)); e = l.recent.Back() {
		delete(l.clients, l.recent.Remove(e).(*client).prefix)
	}
	c := &client{prefix, now}
	l.clients[prefix] = l.recent.PushFront(c)
	return c
}

// clientPrefix identifies a client: by its IPv4 address, or the /64 of its IPv6 address, which
// one household has. It is the zero Prefix on a Unix socket.
func clientPrefix(remote string) netip.Prefix {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := addr.Addr().Unmap().WithZone(""), 32
	if ip.Is6() {
		bits = 64
	}
	prefix, _ := ip.Prefix(bits) // the bits suit the address
	return prefix
}
