package measure

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"

	"backsolve/game"
	"backsolve/probe"
)

// Kind is the operation of the API that a request asks for, by the last part of
// its path.
type Kind string

// The kinds of requests.
const (
	Position Kind = "position"
	Move     Kind = "move"
	Line     Kind = "line"
	Batch    Kind = "positions"
)

// question is a request with what it asks.
type question struct {
	kind      Kind
	method    string
	target    string
	media     string // of the body, "" where there is none
	body      []byte
	positions []game.Position
	lines     bool // a batch that is answered in JSON lines
}

// Workload is a set of requests that are sent in turn.
type Workload struct {
	Name        string
	Description string
	Connections int

	questions []question
}

// Sizes say how much is asked.
type Sizes struct {
	// Connections are kept open at once for single requests; batches have one.
	Connections int
	// Positions is the number of distinct positions of a workload of single
	// requests, Batch that of each large batch.
	Positions, Batch int
}

const (
	// batches is the number of distinct large batches.
	batches = 4
	// smallBatch is the number of positions of a batch in the mix.
	smallBatch = 100
)

// shares are those of the mix, in percent.
var shares = []struct {
	kind    Kind
	percent int
}{{Position, 80}, {Move, 10}, {Line, 5}, {Batch, 5}}

// NewWorkloads returns the workloads about a table: random positions that are not
// over. The error says that the board is too small for so many distinct positions.
func NewWorkloads(t *probe.Table, s Sizes) ([]Workload, error) {
	w := &writer{table: t}
	single, err := w.questions(s.Positions, func(*rand.Rand) Kind { return Position }, 1)
	if err != nil {
		return nil, err
	}
	array, err := w.questions(batches, func(*rand.Rand) Kind { return Batch }, s.Batch)
	if err != nil {
		return nil, err
	}
	w.lines = true
	lines, err := w.questions(batches, func(*rand.Rand) Kind { return Batch }, s.Batch)
	if err != nil {
		return nil, err
	}
	w.lines = false
	mix, err := w.questions(s.Positions/10, mixed, smallBatch)
	if err != nil {
		return nil, err
	}
	return []Workload{
		{"position", "one position a request", s.Connections, single},
		{"mix", mixText(), s.Connections, mix},
		{"array", fmt.Sprintf("a JSON array of %d positions a request", s.Batch), 1, array},
		{"lines", fmt.Sprintf("JSON lines of %d positions a request", s.Batch), 1, lines},
	}, nil
}

// mixed draws a kind with its share.
func mixed(r *rand.Rand) Kind {
	n := r.IntN(100)
	for _, s := range shares {
		if n -= s.percent; n < 0 {
			return s.kind
		}
	}
	panic("the shares of the mix are less than 100 %")
}

func mixText() string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%d %% %s", s.percent, s.kind))
	}
	return fmt.Sprintf("%s (%d in each)", strings.Join(parts, ", "), smallBatch)
}

// writer writes requests about a table.
type writer struct {
	table *probe.Table
	lines bool // batches are JSON lines
}

// questions returns n questions of the kinds that are drawn, no two of which have
// a position in common; each batch has so many.
func (w *writer) questions(n int, kind func(*rand.Rand) Kind, batch int) ([]question, error) {
	r := rand.New(rand.NewPCG(1, 2))
	drawn := map[game.Position]bool{}
	all := make([]question, 0, n)
	for range n {
		q := question{kind: kind(r), lines: w.lines}
		count := 1
		if q.kind == Batch {
			count = batch
		}
		for range count {
			p, ok := w.draw(r, drawn)
			if !ok {
				return nil, fmt.Errorf("%s has not many more than %d positions that are not over; ask for fewer with --positions and --batch, or take a larger board",
					w.table.Board(), len(drawn))
			}
			q.positions = append(q.positions, p)
		}
		w.write(&q)
		all = append(all, q)
	}
	return all, nil
}

// draw draws a position that was not drawn before. After a thousand that were, it
// gives up.
func (w *writer) draw(r *rand.Rand, drawn map[game.Position]bool) (game.Position, bool) {
	for range 1000 {
		if p := probe.RandomOpenPosition(w.table.Rules(), r); !drawn[p] {
			drawn[p] = true
			return p, true
		}
	}
	return game.Position{}, false
}

// write writes what is sent for a question.
func (w *writer) write(q *question) {
	rules := w.table.Rules()
	q.method = http.MethodGet
	q.target = fmt.Sprintf("/v1/%s/%d/%s", rules.Name(), rules.Size(), q.kind)
	if q.kind == Batch {
		q.method = http.MethodPost
		q.media, q.body = w.batch(q.positions)
		return
	}
	q.target += "?p=" + url.QueryEscape(rules.Format(q.positions[0]))
}

// batch returns the media type and the body of a batch.
func (w *writer) batch(positions []game.Position) (media string, body []byte) {
	texts := make([]string, len(positions))
	for i, p := range positions {
		texts[i] = w.table.Rules().Format(p)
	}
	if w.lines {
		return "application/jsonl", []byte(strings.Join(texts, "\n") + "\n")
	}
	body, err := json.Marshal(texts)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return "application/json", body
}
