package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
)

// late is a position of 7×7 that is quickly solved, and empty7 one that never is.
const (
	late   = "XX.X.XX/X.XX.X./.XX.XXX/XXX.X.X/X.X.XXX/.XX.X.X/X..XX.X"
	empty7 = "......./......./......./......./......./......./......."
)

// searching is a server that thinks for so long.
func searching(t *testing.T, think time.Duration) *site {
	return start(t, func(o *Options) {
		o.Search = endgame.New(endgame.Limits{Timeout: think, Memory: 256 << 20, Threads: 1})
	})
}

// Without permission nothing is searched. On boards that cannot have a table the rules answer if
// they can.
func TestSearchIsOff(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusNotFound, positionPath("notakto/7", late), "there is no table of notakto 7×7")
	rest := strings.Repeat("/......", 4)
	s.want(http.StatusNotFound, positionPath("quixo/6", "XXXXX./OOOO.."+rest+" o"), "the next move does not win", "too large to solve")
	s.want(http.StatusOK, positionPath("quixo/6", "XXXXX./OOOO.."+rest), `"outcome":"win","steps":1`, `"source":"rules"`)
	s.want(http.StatusOK, "/v1/tictactoe/6/line?p=XXXXXX/OOOOO."+rest, `"outcome":"win","steps":0`, `"source":"rules"`)
}

// Positions that no table knows are searched if that is allowed; otherwise the refusal says what
// it would take.
func TestSearch(t *testing.T) {
	s := searching(t, 20*time.Second)
	s.want(http.StatusOK, positionPath("notakto/7", late), `"source":"search"`, `"outcome":"win"`, `"moves":[{"move":"d3"`)
	s.want(http.StatusOK, "/v1/notakto/7/line?p="+late, `"source":"search"`, `"repeats":null`)
	s.want(http.StatusOK, "/v1/notakto/7/move?seed=1&p="+late, `"move":"d3"`, `"policy":"optimal"`, `"steps":null`)
	r := s.want(http.StatusOK, "/v1/notakto/7/move?policy=shortest&p="+late, `"move":"d3"`, `"policy":"shortest"`)
	if strings.Contains(r.body, `"steps":null`) {
		t.Errorf("the policy shortest has no steps: %s", r.body)
	}
	s.want(http.StatusNotFound, positionPath("notakto/7", empty7), "there is no table of notakto 7×7", "more than allowed: 20s")
	s.want(http.StatusBadRequest, positionPath("notakto/7", late[1:]), `"parameter":"p"`, `"column":`)
	s.want(http.StatusBadRequest, positionPath("notakto/7", late)+"&after=g6", `"parameter":"p"`, "no X on g6")
	// Boards with a table are answered from it, all of them by the pairing first.
	s.want(http.StatusOK, positionPath("notakto/3", ".../.../.X."), `"source":"table"`)
	empty := strings.TrimSuffix(strings.Repeat("......../", 8), "/")
	s.want(http.StatusOK, positionPath("notakto/8", empty), `"outcome":"lose"`, `"source":"pairing"`)
	s.want(http.StatusNotFound, positionPath("notakto/8", "XX.X"+empty[4:]), "not known", "more than allowed")
	rest := strings.Repeat("/......", 4)
	s.want(http.StatusOK, positionPath("quixo/6", "XXXXX./OOOO.."+rest), `"outcome":"win","steps":1`, `"source":"search"`)
	s.want(http.StatusNotFound, positionPath("quixo/6", "......"+rest+"/......"), "neither player can force a win within")
	// Batches are answered from tables and strategies alone.
	s.post("/v1/notakto/7/positions", linesMedia, late+"\n").want(t, http.StatusNotFound, "there is no table")
}

// stuck is a search that reports when it has begun, and runs until it is cancelled.
type stuck struct{ begun, ended chan struct{} }

func (s stuck) Answerer(ctx context.Context, rules game.Rules, steps bool) (probe.Answerer, error) {
	a, err := endgame.New(endgame.Limits{Timeout: time.Hour}).Answerer(ctx, rules, steps)
	return stuckAnswerer{a, ctx, s}, err
}

type stuckAnswerer struct {
	probe.Answerer
	ctx context.Context
	s   stuck
}

func (a stuckAnswerer) AskState(game.Rules, game.State, int) (*probe.Answer, error) {
	close(a.s.begun)
	<-a.ctx.Done()
	close(a.s.ended)
	return nil, context.Cause(a.ctx)
}

// A search ends when the client goes.
func TestSearchEndsWithTheRequest(t *testing.T) {
	search := stuck{make(chan struct{}), make(chan struct{})}
	s := start(t, func(o *Options) { o.Search = search })
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+positionPath("notakto/7", late), nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-search.begun
		cancel()
	}()
	if _, err := s.client.Do(r); err == nil {
		t.Error("there is an answer")
	}
	select {
	case <-search.ended:
	case <-time.After(10 * time.Second):
		t.Error("the search goes on")
	}
	s.wantLeft()
}

// busy is a search that finds no free slot.
type busy struct{}

func (busy) Answerer(ctx context.Context, rules game.Rules, steps bool) (probe.Answerer, error) {
	a, err := endgame.New(endgame.Limits{Timeout: time.Hour}).Answerer(ctx, rules, steps)
	return busyAnswerer{a}, err
}

type busyAnswerer struct{ probe.Answerer }

func (busyAnswerer) AskState(game.Rules, game.State, int) (*probe.Answer, error) {
	return nil, probe.ErrBusy
}

// If as many searches run as may at once, a client is told to try again.
func TestSearchIsBusy(t *testing.T) {
	s := start(t, func(o *Options) { o.Search = busy{} })
	r := s.want(http.StatusServiceUnavailable, positionPath("notakto/7", late), "try again")
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
	}
}
