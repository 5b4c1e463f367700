package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// from is a request of a client.
func from(address string) *http.Request { return &http.Request{RemoteAddr: address} }

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRateLimit(2, 10)
		for i := range 10 {
			if err := l.allow(from("1.2.3.4:5")); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		var refused *httpError
		for range 3 { // asking in vain costs nothing
			if err := l.allow(from("1.2.3.4:6")); !errors.As(err, &refused) || refused.status != http.StatusTooManyRequests || refused.retryAfter != time.Second/2 {
				t.Fatalf("%+v", err)
			}
		}
		if err := l.allow(from("1.2.3.5:5")); err != nil {
			t.Errorf("another client: %v", err)
		}
		time.Sleep(time.Second / 2)
		if err := l.allow(from("1.2.3.4:5")); err != nil {
			t.Error(err)
		}
		if err := l.allow(from("1.2.3.4:5")); err == nil {
			t.Error("two requests where one was due")
		}
		began := time.Now()
		if err := l.pace(t.Context(), from("1.2.3.4:5")); err != nil || time.Since(began) != time.Second/2 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.pace(ended, from("1.2.3.4:5")); err == nil {
			t.Error("a batch that ended is paced")
		}
	})
}

// If there are more clients than are remembered, those that have not asked lately are forgotten, and no
// others.
func TestRateLimitForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRateLimit(1, 10)
		address := func(i int) *http.Request { return from(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255)) }
		for range 10 {
			l.allow(address(0))
			l.allow(address(1))
		}
		for i := range maxClients + 100 {
			if l.allow(address(2 + i)); i%1000 == 0 && l.allow(address(0)) == nil {
				t.Fatalf("a client that asks is forgotten after %d others", i)
			}
		}
		if l.allow(address(1)) != nil {
			t.Error("a silent client is remembered for ever")
		}
	})
}

func TestClientPrefix(t *testing.T) {
	for remote, want := range map[string]string{
		"1.2.3.4:80":               "1.2.3.4/32",
		"[::ffff:1.2.3.4]:80":      "1.2.3.4/32",
		"[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:1":         "fe80::/64",
	} {
		if got := clientPrefix(remote); got.String() != want {
			t.Errorf("%s is %v, want %s", remote, got, want)
		}
	}
	for _, remote := range []string{"", "@", "/run/socket"} {
		if got := clientPrefix(remote); got != (netip.Prefix{}) {
			t.Errorf("%q is %v", remote, got)
		}
	}
}

// Over the limit a client is told when to come back; a batch slows down but finishes.
func TestRateOfRequests(t *testing.T) {
	s := start(t, func(o *Options) { o.Rate = 20 })
	n := 0
	r := s.get(some)
	for r.status == http.StatusOK {
		n++
		r = s.get(some)
	}
	r.want(t, http.StatusTooManyRequests, "Retry-After")
	if n < 100 || r.header.Get("Retry-After") != "1" {
		t.Errorf("after %d requests: %v", n, r.header)
	}
	s.want(http.StatusOK, "/healthz")
	s.until(http.StatusOK, some)
	batch := s.post("/v1/quixo/2/positions", linesMedia, strings.Repeat("../..\n", 10*positionsPerToken))
	for batch.status == http.StatusTooManyRequests {
		batch = s.post("/v1/quixo/2/positions", linesMedia, strings.Repeat("../..\n", 10*positionsPerToken))
	}
	if lines := strings.Count(batch.body, "outcome\":\"win\",\"steps\":3,\"terminal"); lines != 10*positionsPerToken {
		t.Errorf("%d lines", lines)
	}
}
