package server

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whoever comes and goes, nobody has more than its share, there are never more
// than there are slots, and what was given back can be taken again.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "slots")
		s := newShares(n)
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
				want = errGreedy
			}
			give, err := s.take(&http.Request{RemoteAddr: fmt.Sprintf("10.0.0.%d:80", client)})
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
		if len(s.held) != 0 || len(s.slots) != 0 {
			t.Fatalf("%d slots and %v are left", len(s.slots), s.held)
		}
	})
}

// A client who sends batches slowly leaves room for those of others.
func TestSlowBatches(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxRequests = 16 })
	for range 2 {
		conn := s.dial(batchHeader)
		defer conn.Close()
	}
	// Asking before both are there could take the place of the second one.
	for len(s.server.long.slots) < 2 {
		time.Sleep(time.Millisecond)
	}
	s.until(http.StatusTooManyRequests, "/v1/quixo/3/random")
	give, err := s.server.long.take(&http.Request{RemoteAddr: "10.0.0.1:80"})
	if err != nil {
		t.Fatal(err)
	}
	give()
	s.want(http.StatusOK, some)
}
