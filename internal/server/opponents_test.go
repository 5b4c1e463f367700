package server

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"backsolve/game/games"
	"backsolve/internal/player/zero/untrained"
	"backsolve/internal/server/api"
)

// newNetwork saves the weights of an untrained network for Notakto 3×3.
func newNetwork(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.weights")
	untrained.Save(t, "notakto", 3, path)
	return path
}

// opposed is a server with opponents.
func opposed(t *testing.T, texts ...string) *site {
	t.Helper()
	o, err := NewOpponents(texts, 1)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, func(options *Options) { options.Opponents = o })
}

func (s *site) replied(path string) (r api.Reply) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, path).body), &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// An opponent plays legal moves on all boards that it knows, with or without a table, and
// the same seed gives the same move again.
func TestReply(t *testing.T) {
	s := opposed(t, "net=zero:weights="+newNetwork(t)+",sims=20", "any=random")
	for path, want := range map[string]string{
		"/v1/notakto/3/reply?opponent=net&p=.../.X./...":           "notakto 3",
		"/v1/notakto/9/reply?opponent=any&p=startpos":              "notakto 9", // no table can be
		"/v1/notakto/4/reply?opponent=any&after=a1&p=startpos":     "notakto 4",
		"/v1/othello/6/reply?opponent=any&p=startpos":              "othello 6",
		"/v1/quixo/3/reply?opponent=any&p=.X./.../OX.%20x&seed=12": "quixo 3",
	} {
		r := s.replied(path)
		name, _, _ := strings.Cut(want, " ")
		rules, err := games.New(name, int(r.Size))
		if err != nil {
			t.Fatal(err)
		}
		p, err := rules.Parse(r.Position)
		if err != nil {
			t.Fatal(err)
		}
		m, err := rules.ParseMove(p, r.Move)
		if err != nil || r.After != rules.Format(rules.Play(p, m)) {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
	drawn := map[string]bool{}
	for range 30 {
		r := s.replied("/v1/quixo/3/reply?opponent=any&p=startpos")
		drawn[r.Move] = true
		if r.Seed < 0 {
			t.Errorf("seed %d", r.Seed)
		}
	}
	if len(drawn) < 2 {
		t.Error("all requests have the same move")
	}
	first := s.replied("/v1/quixo/3/reply?opponent=any&p=startpos&seed=5")
	for range 5 {
		if again := s.replied("/v1/quixo/3/reply?opponent=any&p=startpos&seed=5"); again != first {
			t.Errorf("%+v and %+v", first, again)
		}
	}
}

func TestReplyRefusals(t *testing.T) {
	t.Parallel()
	net := newNetwork(t)
	s := opposed(t, "net=zero:weights="+net)
	s.want(http.StatusNotFound, "/v1/notakto/3/reply?opponent=other&p=startpos", "there is no opponent other; the opponents are net")
	s.want(http.StatusNotFound, "/v1/quixo/3/reply?opponent=net&p=startpos", "net does not play quixo 3×3: the weights are of notakto")
	s.want(http.StatusNotFound, "/v1/chess/3/reply?opponent=net&p=startpos", "chess")
	s.want(http.StatusBadRequest, "/v1/notakto/3/reply?p=startpos", `"parameter":"opponent"`)
	s.want(http.StatusBadRequest, "/v1/notakto/3/reply?opponent=net&p=XX", `"parameter":"p"`, `"column":3`)
	s.want(http.StatusBadRequest, "/v1/notakto/3/reply?opponent=net&p=XXX/.../...", `"parameter":"p"`, "the game is over")
	s.want(http.StatusBadRequest, "/v1/notakto/3/reply?opponent=net&p=startpos&seed=-1", `"parameter":"seed"`)
	s.want(http.StatusBadRequest, "/v1/notakto/3/reply?opponent=zero:weights="+net+"&p=startpos&weights=x", "weights")
	// A request cannot say which agent it wants, nor with which file.
	s.want(http.StatusNotFound, "/v1/notakto/3/reply?opponent=random&p=startpos", "there is no opponent random")
	s.want(http.StatusNotFound, "/v1/notakto/3/reply?opponent=zero:weights="+net+"&p=startpos", "there is no opponent zero:")
	start(t, nil).want(http.StatusNotFound, "/v1/notakto/3/reply?opponent=net&p=startpos", "the operator has named none")
}

// The list tells names and kinds, and no files.
func TestOpponents(t *testing.T) {
	net := newNetwork(t)
	s := opposed(t, "net=zero:weights="+net, "fair=mcts:10")
	r := s.want(http.StatusOK, "/v1/opponents", `{"game":"notakto","kind":"zero","name":"net","size":3,"summary":"tree search with a network trained by lab train"}`, `"kind":"mcts","name":"fair"`)
	if strings.Contains(r.body, filepath.Base(net)) {
		t.Errorf("it tells the file: %s", r.body)
	}
	if again := s.get("/v1/opponents", "If-None-Match", r.header.Get("Etag")); again.status != http.StatusNotModified {
		t.Errorf("status %d", again.status)
	}
	start(t, nil).want(http.StatusOK, "/v1/opponents", `{"opponents":[]}`)
}

// Who thinks for too long is stopped, and meanwhile nobody else thinks.
func TestSlowOpponent(t *testing.T) {
	o, err := NewOpponents([]string{"slow=mcts:100000000", "any=random"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(options *Options) { options.Opponents, options.Write = o, 2*time.Second })
	o.turns <- struct{}{}
	s.want(http.StatusServiceUnavailable, "/v1/uttt/9/reply?opponent=any&p=startpos", "try again")
	<-o.turns
	s.want(http.StatusServiceUnavailable, "/v1/uttt/9/reply?opponent=slow&p=startpos", "allow more time")
	s.want(http.StatusOK, "/v1/uttt/9/reply?opponent=any&p=startpos")
}

func TestOpponentsThatCannotBe(t *testing.T) {
	net := newNetwork(t)
	for text, want := range map[string]string{
		"zero:weights=" + net:     "has no name; write NAME=AGENT",
		"random":                  "has no name; write NAME=AGENT",
		"Net=random":              "has no name; write NAME=AGENT",
		"net=":                    "net cannot play: \"\", column 1: there is no such agent",
		"net=zero":                "it needs a file of weights, which lab train makes",
		"net=zero:weights=none":   "name a file that lab train has made",
		"net=mcts:-1":             "expected a whole number",
		"net=optimal":             "optimal needs a table or a program of its own",
		"net=engine:./engine":     "engine needs a table or a program of its own",
		"net=zero:weights=" + net: "",
		"fast=mcts:5,weighted":    "", // on some boards
		"formula=pairing":         "", // on some boards
	} {
		_, err := NewOpponents([]string{text}, 1)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := NewOpponents(slices.Repeat([]string{"a=random"}, 2), 1); err == nil || !strings.Contains(err.Error(), "two opponents are called a") {
		t.Errorf("%v", err)
	}
}
