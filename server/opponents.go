package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/probe"
	"backsolve/server/api"
)

// Opponents are players whom the operator has named. What a request can say is a name:
// which agent that is, with which files and how many iterations, it cannot.
type Opponents struct {
	names    []string
	prepared []*agents.Prepared
	turns    semaphore // of those that think

	lock  sync.Mutex
	seats map[seat]seated
}

// seat is an opponent on a board.
type seat struct {
	opponent int
	game     string
	size     int
}

// seated is the agent there, or why there is none.
type seated struct {
	agent player.Agent
	err   error
}

var opponentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// NewOpponents reads opponents, each as NAME=AGENT, and the weights that they have; at
// most so many of them think at once. The error is a sentence that quotes the text.
func NewOpponents(texts []string, atOnce int) (*Opponents, error) {
	o := &Opponents{turns: newSemaphore(atOnce), seats: map[seat]seated{}}
	for _, text := range texts {
		name, agent, named := strings.Cut(text, "=")
		if !named || !opponentName.MatchString(name) {
			return nil, fmt.Errorf("%.60q has no name; write NAME=AGENT, the name of small letters, digits and hyphens, for example net=zero:weights=FILE", text)
		}
		if slices.Index(o.names, name) >= 0 {
			return nil, fmt.Errorf("two opponents are called %s; give each a name of its own", name)
		}
		p, err := agents.Prepare(agent)
		if err != nil {
			return nil, fmt.Errorf("%s cannot play: %w", name, err)
		}
		o.names, o.prepared = append(o.names, name), append(o.prepared, p)
	}
	return o, nil
}

// agent returns an opponent on a board, made at the first call.
func (o *Opponents) agent(name string, board *probe.Board) (player.Agent, error) {
	i := slices.Index(o.names, name)
	if i < 0 {
		text := "the operator has named none"
		if len(o.names) > 0 {
			text = "the opponents are " + strings.Join(o.names, ", ")
		}
		return nil, &httpError{status: http.StatusNotFound, text: fmt.Sprintf("there is no opponent %s; %s", printable(name), text)}
	}
	info := board.Info()
	at := seat{i, info.Name, info.Size}
	o.lock.Lock()
	defer o.lock.Unlock()
	s, there := o.seats[at]
	if !there {
		if s.agent, s.err = o.prepared[i].For(board.Rules()); s.err != nil {
			s.err = &httpError{status: http.StatusNotFound, text: fmt.Sprintf("%s does not play %v: %v", name, info, s.err)}
		}
		o.seats[at] = s
	}
	return s.agent, s.err
}

// list describes the opponents.
func (o *Opponents) list() api.OpponentList {
	list := api.OpponentList{Opponents: []api.Opponent{}}
	for i, name := range o.names {
		kind := o.prepared[i].Kind()
		d := api.Opponent{Name: name, Kind: kind.Name, Summary: kind.Summary}
		if game, size, only := o.prepared[i].Board(); only {
			d.Game, d.Size = &game, &size
		}
		list.Opponents = append(list.Opponents, d)
	}
	return list
}

// ListOpponents answers with the opponents.
func (s handlers) ListOpponents(w http.ResponseWriter, r *http.Request) {
	list := s.opponents.list()
	sum := sha256.Sum256(mustMarshal(list))
	s.sendJSON(w, r, freshness{tag: tagOf(hex.EncodeToString(sum[:]))}, list)
}

// GetReply answers with the move of an opponent.
func (s handlers) GetReply(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetReplyParams) {
	failIf(w, s.reply(w, r, game, size, params))
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetReplyParams) error {
	if err := check("seed", or(params.Seed, 0) >= 0); err != nil {
		return err
	}
	board, err := probe.NewBoard(game, size, or(params.After, ""))
	if err != nil {
		return boardError(err)
	}
	agent, err := s.opponents.agent(params.Opponent, board)
	if err != nil {
		return err
	}
	rules := board.Rules()
	p, err := board.Parse(params.P)
	if err != nil {
		return &parameterError{"p", err}
	}
	if _, over := rules.Terminal(p); over {
		return &parameterError{"p", errOver}
	}
	if !s.opponents.turns.tryAcquire() {
		return errThinking
	}
	defer s.opponents.turns.release()
	seed, _ := seedOf(params.Seed, freshness{})
	ctx, cancel := context.WithTimeoutCause(r.Context(), thinking(s.limits.Write), errSlow)
	defer cancel()
	begun, err := agent.Begin(uint64(seed))
	if err != nil {
		return err
	}
	defer begun.Close()
	m, err := begun.Move(ctx, p)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return err
	}
	s.sendJSON(w, r, freshness{}, api.Reply{
		Game: board.Info().Name, Size: size, Position: rules.Format(p), Opponent: params.Opponent, Seed: seed,
		Move: rules.FormatMove(m), After: rules.Format(rules.Play(p, m)),
	})
	return nil
}

// thinking is how long an opponent may think, so that the answer can still be sent.
func thinking(write time.Duration) time.Duration { return write - write/10 }

// errSlow is why there is no move.
var errSlow = &httpError{
	status: http.StatusServiceUnavailable, retryAfter: 5 * time.Second,
	text: "the opponent has thought for as long as an answer may take; the operator can let it do less, or allow answers more time",
}
