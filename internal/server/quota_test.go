package server

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// No client ever holds more than its quota, there are never more
// places than the semaphore has, and released ones can be acquired again.
func TestQuota(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "places")
		s := newQuota(n)
		given := map[int][]func(){}
		all := 0
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			client := rapid.IntRange(0, 5).Draw(t, "client")
			if held := given[client]; len(held) > 0 && rapid.Bool().Draw(t, "give") {
				held[0]()
				given[client] = held[1:]
				all--
				continue
			}
			var want error
			switch {
			case all == n:
				want = errBusy
			case len(given[client]) == max(n/4, 1):
				want = errQuota
			}
			give, err := s.acquire(&http.Request{RemoteAddr: fmt.Sprintf("10.0.0.%d:80", client)})
			if err != want {
				t.Fatalf("client %d has %d of %d, all have %d: error %v, want %v", client, len(given[client]), n, all, err, want)
			}
			if err == nil {
				given[client] = append(given[client], give)
				all++
			}
		}
		for _, held := range given {
			for _, give := range held {
				give()
			}
		}
		if len(s.held) != 0 || len(s.semaphore) != 0 {
			t.Fatalf("%d places and %v are left", len(s.semaphore), s.held)
		}
	})
}

// A client who sends batches slowly leaves places to others.
func TestSlowBatches(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxRequests = 16 })
	for range 2 {
		conn := s.dial(batchHeader)
		defer conn.Close()
	}
	// Asking before both are there could take the place of the second one.
	for len(s.server.long.semaphore) < 2 {
		time.Sleep(time.Millisecond)
	}
	s.until(http.StatusTooManyRequests, "/v1/quixo/3/random")
	s.want(http.StatusNotFound, "/v1/quixo/5/random") // no table: that takes no place
	give, err := s.server.long.acquire(&http.Request{RemoteAddr: "10.0.0.1:80"})
	if err != nil {
		t.Fatal(err)
	}
	give()
	s.want(http.StatusOK, some)
}
