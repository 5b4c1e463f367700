package server

import (
	"container/list"
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxClients bounds the clients that are remembered. Beyond it the least recent one is
	// forgotten and may send a burst again.
	maxClients = 1 << 16
	// positionsPerToken positions of a batch cost as much as a request.
	positionsPerToken = 100
)

type rateLimit struct {
	perSecond rate.Limit
	burst     int

	mu      sync.Mutex
	clients map[netip.Prefix]*list.Element // of *client
	recent  *list.List                     // the latest first
}

type client struct {
	prefix  netip.Prefix
	limiter *rate.Limiter
	last    time.Time
}

func newRateLimit(perSecond float64, burst int) *rateLimit {
	return &rateLimit{
		perSecond: rate.Limit(perSecond), burst: burst,
		clients: map[netip.Prefix]*list.Element{}, recent: list.New(),
	}
}

// allow takes a token of the client, or returns an *httpError with the time to wait.
func (l *rateLimit) allow(r *http.Request) error {
	now := time.Now()
	limiter := l.limiter(clientPrefix(r.RemoteAddr), now)
	reservation := limiter.ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay <= 0 {
		return nil
	}
	reservation.CancelAt(now)
	return &httpError{
		status: http.StatusTooManyRequests, retryAfter: delay,
		text: "too many requests from your address; wait for as long as Retry-After says, or ask for many positions in one request",
	}
}

// pace waits for a token, the price of positionsPerToken further positions of a batch.
func (l *rateLimit) pace(ctx context.Context, r *http.Request) error {
	return l.limiter(clientPrefix(r.RemoteAddr), time.Now()).Wait(ctx)
}

// limiter returns the limiter of a client, and forgets clients whose bucket is full again.
func (l *rateLimit) limiter(prefix netip.Prefix, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, known := l.clients[prefix]; known {
		l.recent.MoveToFront(e)
		c := e.Value.(*client)
		c.last = now
		return c.limiter
	}
	refilled := now.Add(-time.Duration(float64(l.burst) / float64(l.perSecond) * float64(time.Second)))
	for e := l.recent.Back(); e != nil && (len(l.clients) >= maxClients || e.Value.(*client).last.Before(refilled)); e = l.recent.Back() {
		delete(l.clients, l.recent.Remove(e).(*client).prefix)
	}
	c := &client{prefix, rate.NewLimiter(l.perSecond, l.burst), now}
	l.clients[prefix] = l.recent.PushFront(c)
	return c.limiter
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
