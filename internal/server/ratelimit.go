package server

import (
	"context"
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"backsolve/internal/recent"
)

const (
	// maxClients bounds the clients that are remembered. Beyond it one that has not asked lately is forgotten and
	// may send a burst again.
	maxClients = 1 << 16
	// positionsPerToken positions of a batch cost as much as a request.
	positionsPerToken = 100
)

// rateLimit is a token bucket for each client.
type rateLimit struct {
	each, whole time.Duration // that a token and a whole bucket take to come
	clients     recent.Cache[netip.Prefix, bucket]
}

type bucket struct {
	lock sync.Mutex
	full time.Time // when it will be
}

func newRateLimit(perSecond float64, burst int) *rateLimit {
	each := time.Duration(min(float64(time.Second)/perSecond, float64(24*time.Hour)))
	return &rateLimit{each, each * time.Duration(burst), recent.Cache[netip.Prefix, bucket]{Limit: maxClients / 2}}
}

// takeToken returns how long a client must wait for a token, and takes it unless that is longer than most.
func (l *rateLimit) takeToken(r *http.Request, most time.Duration) (wait time.Duration) {
	b, now := l.clients.Get(clientPrefix(r.RemoteAddr), 1), time.Now()
	b.lock.Lock()
	defer b.lock.Unlock()
	left := max(b.full.Sub(now), 0) + l.each
	if wait = max(left-l.whole, 0); wait <= most {
		b.full = now.Add(left)
	}
	return wait
}

// allow takes a token of the client, or returns an *httpError with the time to wait.
func (l *rateLimit) allow(r *http.Request) error {
	wait := l.takeToken(r, 0)
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
	case <-time.After(l.takeToken(r, math.MaxInt64)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
