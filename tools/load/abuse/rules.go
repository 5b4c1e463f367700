package abuse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/tools/load/wire"
)

const (
	// rate is what each client may send in a second; others send half of it.
	rate = 100
	// tooMany is what a client sends that does not keep to it.
	tooMany = 3000
	// token is what a server wants to be shown.
	token = "correct-horse-battery-staple"
)

func ruleAttacks() []attack {
	return []attack{
		{
			name: "too many requests",
			sent: fmt.Sprintf("%d requests from one address as fast as they are answered, at a server with --rate %d; the others come from another address.", tooMany, rate),
			args: func(string) ([]string, error) { return []string{"--rate", strconv.Itoa(rate)}, nil },
			from: elsewhere,
			run:  overrate,
		},
		{
			name:  "wrong tokens",
			sent:  "Requests without the token, or with one that is wrong, at a server with --token-file.",
			token: token,
			args: func(dir string) ([]string, error) {
				path := filepath.Join(dir, "token")
				return []string{"--token-file", path}, os.WriteFile(path, []byte(token+"\n"), 0o600)
			},
			run: wrongTokens,
		},
		{
			name: "SIGTERM under load",
			sent: fmt.Sprintf("While %d clients ask for positions and %d for batches of %d, the server is told to end.", termSingles, termBatches, termBatch),
			run:  terminate,
			ends: true,
		},
	}
}

// overrate wants most of the requests refused, with the time to come back, after
// which there is an answer.
func overrate(ctx context.Context, a *arena) (string, error) {
	c := a.newClient("", true)
	defer c.close()
	r := rand.New(rand.NewPCG(17, 18))
	statuses, start, retry := map[int]int{}, time.Now(), 0
	for range tooMany {
		answer, err := c.ask(ctx, a.position(r))
		if err != nil {
			return "", err
		}
		statuses[answer.Status]++
		if answer.Status == 429 {
			if retry, err = strconv.Atoi(answer.Header.Get("Retry-After")); err != nil || retry < 1 {
				return "", fmt.Errorf("the refusal has Retry-After %q", answer.Header.Get("Retry-After"))
			}
		}
	}
	took := time.Since(start)
	observed := fmt.Sprintf("Statuses: %s, in %.1f s.", statusText(statuses), took.Seconds())
	const burst = 5 * rate
	if most := burst + int(rate*(took.Seconds()+1)); statuses[200] > most || statuses[200]+statuses[429] != tooMany {
		return observed, fmt.Errorf("%d were answered, at most %d may be", statuses[200], most)
	}
	if err := wait(ctx, time.Duration(retry)*time.Second); err != nil {
		return observed, err
	}
	if answer, err := c.ask(ctx, a.position(r)); err != nil || answer.Status != 200 {
		return observed, fmt.Errorf("after Retry-After (%d s) there is the status %d: %w", retry, answer.Status, err)
	}
	return observed + fmt.Sprintf(" After Retry-After (%d s) there was an answer.", retry), nil
}

// wrongTokens wants every request refused that does not show the token.
func wrongTokens(ctx context.Context, a *arena) (string, error) {
	var fields []string
	for _, wrong := range []string{
		"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token[:len(token)-1], "Bearer " + token + "x", "Bearer " + strings.ToUpper(token), "Basic " + token,
		token, "Bearer  " + token, "Bearer \x01", "Bearer " + strings.Repeat("a", 10_000), "Bearer " + token + "," + token,
	} {
		fields = append(fields, "Authorization: "+wrong+"\r\n")
	}
	fields = append(fields, "", "Authorization: Bearer x\r\nAuthorization: Bearer "+token+"\r\n", "X-Authorization: Bearer "+token+"\r\n", "Cookie: token="+token+"\r\n")
	statuses := map[int]int{}
	for _, target := range []string{"/v1/tables", path(a.rules, "position") + "?p=X", "/metrics", path(a.rules, "random") + "?access_token=" + token} {
		for _, field := range fields {
			m := malformed{name: target, bytes: wire.Get(host, target, field), allowed: []int{400, 401}}
			status, err := a.try(ctx, &m)
			if err != nil {
				return "", fmt.Errorf("%s with %.60q: %w", target, field, err)
			}
			statuses[status]++
		}
	}
	return "Statuses: " + statusText(statuses) + ".", nil
}

const (
	termSingles = 16
	termBatches = 4
	termBatch   = 10_000
)

// terminate wants every request answered that was sent before the server was told
// to end, no answer cut short, and the exit status 0.
func terminate(ctx context.Context, a *arena) (string, error) {
	r := rand.New(rand.NewPCG(19, 20))
	single, batch := a.position(r), a.batch(r, termBatch)
	var told atomic.Int64 // when the server was told to end, in ns of the clock
	var whole, refused, late atomic.Int64
	start := time.Now()
	use := func(i int, c *wire.Conn) error {
		request := single
		if i%(termSingles+termBatches) >= termSingles {
			request = batch
		}
		for {
			sent := time.Since(start)
			answer, err := c.Do(request)
			switch {
			case err == nil && answer.Status == 200:
				whole.Add(1)
			case err == nil && answer.Status == 503:
				refused.Add(1)
			case errors.Is(err, wire.ErrUnanswered) && told.Load() > 0 && sent > time.Duration(told.Load()):
				late.Add(1) // it was sent when the connection was being closed
			default:
				return fmt.Errorf("a request that was sent before the server was told to end has the status %d: %w", answer.Status, err)
			}
			if err != nil || answer.Close {
				return nil
			}
		}
	}
	var working sync.WaitGroup
	var failed int
	var first error
	working.Go(func() { failed, first = a.crowd(ctx, termSingles+termBatches, use) })
	err := wait(ctx, time.Second)
	told.Store(int64(time.Since(start)))
	err = errors.Join(err, a.process.Terminate())
	working.Wait()
	if err != nil {
		return "", err
	}
	select {
	case <-a.process.Ended():
		err = a.process.Err()
	case <-time.After(30 * time.Second):
		err = errors.New("the server has not ended in 30 s")
	}
	took := time.Since(start) - time.Duration(told.Load())
	observed := fmt.Sprintf("%d answers were whole, %d requests refused with 503, %d sent too late; the server ended %.1f s after it was told to, with the status 0.",
		whole.Load(), refused.Load(), late.Load(), took.Seconds())
	if failed > 0 || err != nil {
		return observed, errors.Join(first, err)
	}
	return observed, nil
}
