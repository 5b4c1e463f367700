package abuse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"backsolve/tools/load/wire"
)

// malformed is a request that is not as it should be.
type malformed struct {
	name  string
	bytes []byte
	// allowed are the statuses that it may be answered with.
	allowed []int
	// noAnswer says that the connection may also be ended without one.
	noAnswer bool
}

func requestAttacks() []attack {
	return []attack{
		casesAttack("malformed JSON", "Batches in shapes that are not what they should be, one by one.", malformedBodies),
		casesAttack("malformed HTTP", "Requests that HTTP does not allow, among them those by which a second request is smuggled past a proxy.", malformedHTTP),
		casesAttack("large requests", "Requests of up to 32 MiB: bodies, headers, addresses, nested arrays, compressed bodies.", largeRequests),
		casesAttack("paths", "Addresses that lead out of the directory of the tables, or to boards and positions that cannot be.", paths),
		{
			name: "ten thousand malicious requests",
			sent: fmt.Sprintf("%d requests, %d at once: malformed JSON, HTTP and paths as above, and good ones with bytes changed, left out and put in.", flood, floodConnections),
			run:  floodRun,
		},
	}
}

// casesAttack is an attack that sends malformed requests one by one.
func casesAttack(name, sent string, cases func(a *arena) []malformed) attack {
	return attack{name: name, sent: sent, run: func(ctx context.Context, a *arena) (string, error) {
		statuses := map[int]int{}
		var wrong []error
		for _, m := range cases(a) {
			status, err := a.try(ctx, &m)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", m.name, err))
			}
			statuses[status]++
		}
		return "Statuses: " + statusText(statuses) + ".", errors.Join(wrong...)
	}}
}

// statusText writes how often there was each status, 0 for none.
func statusText(statuses map[int]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		name := fmt.Sprint(status)
		if status == 0 {
			name = "no answer"
		}
		parts = append(parts, fmt.Sprintf("%s (%d)", name, statuses[status]))
	}
	return strings.Join(parts, ", ")
}

// malformedTime is how long a server may take to answer a malformed request: it
// may wait for more of it.
const malformedTime = headerTimeout + readTimeout + slack

// try sends a malformed request on a connection of its own. It returns the status
// of the answer, 0 for none; the error says what is wrong with it.
func (a *arena) try(ctx context.Context, m *malformed) (int, error) {
	c, err := a.dial(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	c.Timeout = malformedTime
	answer, err := c.Do(m.bytes)
	switch {
	case err != nil && m.noAnswer && !wire.IsTimeout(err):
		// A server that refuses a request before it has read all of it may have to
		// reset the connection, so that the rest of the answer is lost.
		if answer.Status != 0 && !slices.Contains(m.allowed, answer.Status) {
			return answer.Status, fmt.Errorf("status %d, want one of %v", answer.Status, m.allowed)
		}
		return answer.Status, nil
	case err != nil:
		return 0, err
	case !slices.Contains(m.allowed, answer.Status):
		return answer.Status, fmt.Errorf("status %d, want one of %v: %.200s", answer.Status, m.allowed, answer.Body)
	}
	return answer.Status, checkRefusal(answer)
}

// checkRefusal checks the answer to a malformed request: it has the JSON of an
// error, or of a batch with one, or comes from net/http, which answers what is no
// HTTP in plain text and leads from unclean paths to clean ones.
func checkRefusal(a wire.Answer) error {
	if bytes.Contains(a.Body, []byte("root:")) {
		return fmt.Errorf("the answer shows a file: %.200q", a.Body)
	}
	switch {
	case len(a.Body) == 0, a.Status/100 == 3, strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain"): // of net/http itself
		return nil
	case a.Status == 200:
		if !bytes.Contains(a.Body, []byte(`"error":`)) {
			return fmt.Errorf("no error is told: %.200s", a.Body)
		}
		return nil
	}
	var refusal struct {
		Error     string `json:"error"`
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(a.Body, &refusal); err != nil || refusal.Error == "" || refusal.RequestID == "" {
		return fmt.Errorf("an error of status %d without its JSON: %.200q", a.Status, a.Body)
	}
	return nil
}

const (
	flood            = 10_000
	floodConnections = 50
)

// floodRun wants no answer that blames the server, and every connection answered
// or ended.
func floodRun(ctx context.Context, a *arena) (string, error) {
	all := slices.Concat(malformedBodies(a), malformedHTTP(a), paths(a))
	var mu sync.Mutex
	statuses := map[int]int{}
	var wrong error
	working := sync.WaitGroup{}
	for i := range floodConnections {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		working.Go(func() {
			for n := range flood / floodConnections {
				request := a.mutated(r)
				if n%2 == 0 {
					request = all[r.IntN(len(all))].bytes
				}
				status, err := a.floodOne(ctx, request)
				mu.Lock()
				statuses[status]++
				wrong = firstError(wrong, err)
				mu.Unlock()
			}
		})
	}
	working.Wait()
	return "Statuses: " + statusText(statuses) + ".", wrong
}

// floodOne sends a request after which nothing more comes.
func (a *arena) floodOne(ctx context.Context, request []byte) (int, error) {
	c, err := a.dial(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	c.Timeout = malformedTime
	c.Send(request)
	c.CloseWrite()
	answer, err := c.Receive()
	switch {
	case wire.IsTimeout(err):
		return 0, fmt.Errorf("%.200q is neither answered nor refused within %v", request, malformedTime)
	case err != nil:
		return 0, nil // ended, which is an answer to what is no request
	case answer.Status >= 500 && answer.Status != 501 && answer.Status != 505:
		return answer.Status, fmt.Errorf("%.200q is answered with status %d", request, answer.Status)
	}
	return answer.Status, nil
}

// mutated returns a good request with some bytes changed, left out or put in.
func (a *arena) mutated(r *rand.Rand) []byte {
	request := a.position(r)
	if r.IntN(2) == 0 {
		request = a.batch(r, 10)
	}
	for range 1 + r.IntN(4) {
		at := r.IntN(len(request))
		switch r.IntN(3) {
		case 0:
			request[at] = byte(r.IntN(256))
		case 1:
			request = slices.Delete(request, at, at+1)
		case 2:
			request = slices.Insert(request, at, byte(r.IntN(256)))
		}
	}
	return request
}
