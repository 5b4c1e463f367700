package server

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"backsolve/internal/recent"
)

const (
	// maxClients bounds the clients that are remembered. Beyond it one that has not asked lately is forgotten and
	// may send a burst again.
	maxClients = 1 << 16
	// positionsPerToken positions of a batch cost as much as a request.
	positionsPerToken = 100
)

type rateLimit struct {
	perSecond rate.Limit
	burst     int
	clients   recent.Cache[netip.Prefix, bucket]
}

type bucket struct {
	once   sync.Once
	tokens *rate.Limiter
}

func newRateLimit(perSecond float64, burst int) *rateLimit {
	return &rateLimit{rate.Limit(perSecond), burst, recent.Cache[netip.Prefix, bucket]{Limit: maxClients / 2}}
}

func (l *rateLimit) tokens(r *http.Request) *rate.Limiter {
	b := l.clients.Of(clientPrefix(r.RemoteAddr), 1)
	b.once.Do(func() { b.tokens = rate.NewLimiter(l.perSecond, l.burst) })
	return b.tokens
}

// allow takes a token of the client, or returns an *httpError with the time to wait.
func (l *rateLimit) allow(r *http.Request) error {
	now := time.Now()
	reservation := l.tokens(r).ReserveN(now, 1)
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
func (l *rateLimit) pace(ctx context.Context, r *http.Request) error { return l.tokens(r).Wait(ctx) }

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
