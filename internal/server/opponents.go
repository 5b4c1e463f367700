package server

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
)

// Opponents are agents that the operator has named. A request chooses a name, not files or iterations.
type Opponents struct {
	names    []string
	prepared []*agents.Prepared
	turns    semaphore // bounds those that think at once

	lock  sync.Mutex
	seats map[seat]seated
}

type seat struct {
	opponent int
	game     string
	size     int
}

type seated struct {
	agent player.Agent
	err   error
}

var opponentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// NewOpponents reads opponents, each as NAME=AGENT, with their weights. At most atOnce of them
// think at the same time. The error quotes the text.
func NewOpponents(texts []string, atOnce int) (*Opponents, error) {
	o := &Opponents{turns: make(semaphore, atOnce), seats: map[seat]seated{}}
	for _, text := range texts {
		name, agent, named := strings.Cut(text, "=")
		if !named || !opponentName.MatchString(name) {
			return nil, fmt.Errorf("%.60q has no name; write NAME=AGENT with a name of lower-case letters, digits and hyphens, for example net=zero:weights=FILE", text)
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

func (o *Opponents) agent(name string, board *probe.Board) (player.Agent, error) {
	i := slices.Index(o.names, name)
	if i < 0 {
		text := "the operator has named none"
		if len(o.names) > 0 {
			text = "the opponents are " + strings.Join(o.names, ", ")
		}
		return nil, refusal(http.StatusNotFound, "there is no opponent %s; %s", printable(name), text)
	}
	info := board.Info()
	at := seat{i, info.Name, info.Size}
	o.lock.Lock()
	defer o.lock.Unlock()
	s, there := o.seats[at]
	if !there {
		if s.agent, s.err = o.prepared[i].For(board.Rules()); s.err != nil {
			s.err = refusal(http.StatusNotFound, "%s does not play %v: %v", name, info, s.err)
		}
		o.seats[at] = s
	}
	return s.agent, s.err
}

func (o *Opponents) list() api.OpponentList {
	list := api.OpponentList{Opponents: []api.Opponent{}}
	for i, name := range o.names {
		kind := o.prepared[i].Kind()
		d := api.Opponent{Name: name, Kind: kind.Name, Summary: kind.Summary}
		if of, size, only := o.prepared[i].Board(); only {
			d.Game, d.Size = &of, new(game.Size(size))
		}
		list.Opponents = append(list.Opponents, d)
	}
	return list
}

func (s handlers) reply(w http.ResponseWriter, r *http.Request, name string, size int, params api.GetReplyParams) error {
	if err := check("seed", api.Or(params.Seed, 0) >= 0); err != nil {
		return err
	}
	board, p, err := readOpen(name, size, params.After, params.P)
	if err != nil {
		return err
	}
	rules := board.Rules()
	agent, err := s.opponents.agent(params.Opponent, board)
	if err != nil {
		return err
	}
	if !s.opponents.turns.tryAcquire() {
		return errThinking
	}
	defer s.opponents.turns.release()
	seed, _ := seedOf(params.Seed, freshness{})
	ctx, cancel := s.limits.withDeadline(r, errSlow)
	defer cancel()
	m, _, err := think(ctx, agent, p, uint64(seed))
	if err != nil {
		return err
	}
	return s.sendJSON(w, r, freshness{}, api.Reply{
		Game: board.Info().Name, Size: api.BoardSize(size), Position: rules.Format(p), Opponent: params.Opponent, Seed: seed,
		Move: game.MoveText(rules, p, m), After: rules.Format(rules.Play(p, m)),
	})
}

var errSlow = unavailable(5*time.Second, "the opponent reached the server's time limit; its operator can weaken it or allow more time")
