package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"backsolve/internal/player/arena"
)

//go:embed published.json
var publishedText []byte

type publication struct {
	Source  string            `json:"source"`
	Figures []publishedFigure `json:"figures"`
	Players []publishedPlayer `json:"players"`
}

// publishedFigure is a strength of 100, or an accuracy in percent.
type publishedFigure struct {
	Game     string  `json:"game"`
	Size     int     `json:"size"`
	Measure  string  `json:"measure"` // strength, lenient or strict
	Agent    string  `json:"agent"`   // mcts stands for the plateau
	Opponent string  `json:"opponent"`
	Value    float64 `json:"value"`
}

// publishedPlayer has the percentages of games won as first and as second player; against
// itself, those that the first and the second player win.
type publishedPlayer struct {
	Game   string `json:"game"`
	Size   int    `json:"size"`
	Player string `json:"player"`
	Greedy [2]int `json:"greedy"`
	Itself [2]int `json:"itself"`
}

func publications() (all []publication) {
	if err := json.Unmarshal(publishedText, &all); err != nil {
		panic(fmt.Sprintf("published.json, which is part of this program, cannot be read: %v", err))
	}
	return all
}

const (
	agrees = "agrees"
	higher = "higher"
	lower  = "lower"
)

// published returns the published figures beside ours.
func published(g *ladders) [][]string {
	rows := [][]string{{"board, agent", "accuracy, or opponent", "published", "here", "ours"}}
	for _, p := range publications() {
		for _, f := range p.Figures {
			measure := f.Measure
			if f.Opponent != "" {
				measure = "`" + f.Opponent + "`"
			}
			agent, here, how := f.Agent, "-", notMeasured
			if e, by, ok := ours(g, f); ok {
				agent, here, how = by, rangeText(e), compared(e, f.Value)
			}
			rows = append(rows, []string{boardName(board{f.Game, f.Size}) + ", " + agent, measure, floatText(f.Value), here, how})
		}
	}
	return rows
}

// Published returns the published figures that disagree with ours.
func (g *ladders) Published() [][]string {
	return slices.DeleteFunc(published(g), func(row []string) bool { return row[4] == agrees })
}

// Sources returns the sources of published figures.
func (g *ladders) Sources() (all []string) {
	for _, p := range publications() {
		all = append(all, p.Source)
	}
	return all
}

// Below names the boards on which our mcts is weaker than a published plot at some iterations
// and stronger at none.
func (g *ladders) Below() (notes []string) {
	for _, l := range g.Boards {
		found := map[string]bool{}
		for _, p := range publications() {
			for _, f := range p.Figures {
				if iterationsOf(f.Agent) == noIterations || l.board != (board{f.Game, f.Size}) || f.Opponent != perfect.String() {
					continue
				}
				if e, _, ok := ours(g, f); ok {
					found[compared(e, f.Value)] = true
				}
			}
		}
		if found[lower] && !found[higher] {
			notes = append(notes, fmt.Sprintf("On %s `mcts` lies below the published plot, and why is open: see [published figures](#beside-published-figures).", boardName(l.board)))
		}
	}
	return notes
}

func compared(e arena.Estimate, value float64) string {
	switch {
	case e.Low > value:
		return higher
	case e.High < value:
		return lower
	}
	return agrees
}

// ours returns our estimate of a published figure and its agent; of a plateau, that with the
// most iterations.
func ours(g *ladders, f publishedFigure) (e arena.Estimate, agent string, ok bool) {
	i := slices.IndexFunc(g.Boards, func(l *ladder) bool { return l.board == board{f.Game, f.Size} })
	if i < 0 {
		return e, "", false
	}
	l := g.Boards[i]
	if f.Measure == "strength" {
		p := l.Result(f.Agent, f.Opponent)
		if points := l.against(f.Opponent); f.Agent == "mcts" && len(points) > 0 {
			p = &points[len(points)-1]
		}
		if p == nil {
			return e, "", false
		}
		return p.strength(), p.Agent, true
	}
	p := l.Exam(f.Agent)
	switch {
	case p == nil:
		return e, "", false
	case f.Measure == "lenient":
		return percent(p.lenient()), f.Agent, true
	}
	strict, known := p.strict()
	return percent(strict), f.Agent, known
}

// PublishedPlayers returns the published rows of the comparison of players.
func (l *ladder) PublishedPlayers() (players []publishedPlayer) {
	for _, p := range publications() {
		for _, q := range p.Players {
			if (board{q.Game, q.Size}) == l.board {
				players = append(players, q)
			}
		}
	}
	return players
}
