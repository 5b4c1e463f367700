package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
)

type explainQuestion struct {
	question
	Move string `json:"move,omitempty" jsonschema:"a move to judge, for example a1d1"`
}

type explanation struct {
	Text string `json:"text"`
}

const explainedPlies = 30

func (t *tables) explain(ctx context.Context, q explainQuestion) (e explanation, err error) {
	a, err := t.ask(ctx, q.question, explainedPlies)
	if err != nil {
		return e, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%v, position %s\n", a.rules.Diagram(a.state), a.rules.Info(), a.Position)
	if a.Terminal {
		fmt.Fprintf(&b, "The game is over: the player to move %s.\n", verb(a.Value))
		return explanation{b.String()}, nil
	}
	fmt.Fprintf(&b, "The player to move %s. %s\n", verb(a.Value), choice(a.Answer))
	if q.Move != "" {
		judgement, err := t.judge(ctx, q, a)
		if err != nil {
			return e, err
		}
		b.WriteString(judgement + "\n")
	}
	b.WriteByte('\n')
	cli.WriteLine(&b, a.Line)
	return explanation{b.String()}, nil
}

// verb says what a player reaches by a value: wins in 7 plies, loses, draws.
func verb(v probe.Value) string {
	text := map[game.Outcome]string{game.Win: "wins", game.Lose: "loses", game.Draw: "draws"}[v.Outcome]
	if v.Steps >= 0 {
		text += " in " + cli.CountOf(uint64(v.Steps), "ply", "plies")
	}
	return text
}

func choice(a *probe.Answer) string {
	right := 0
	for right < len(a.Moves) && a.Moves[right].Outcome == a.Outcome {
		right++
	}
	text := fmt.Sprintf("Moves that keep the outcome: %d of %d. The best is %s.", right, len(a.Moves), a.Moves[0].Move)
	if a.Partial {
		text += " The values of other moves are not known."
	}
	return text
}

func (t *tables) judge(ctx context.Context, q explainQuestion, a asked) (string, error) {
	i := slices.IndexFunc(a.Moves, func(m probe.Move) bool { return m.Move == q.Move })
	if i < 0 {
		return "", fmt.Errorf("%.40q is not a move of known value here; the tool moves lists them", q.Move)
	}
	m, kind := a.Moves[i], "a best move"
	switch {
	case m.Outcome != a.Outcome:
		kind = "a mistake"
	case m.Steps != a.Steps:
		kind = "not the best move, but keeps the outcome"
	}
	text := fmt.Sprintf("%s is %s: the player %s", m.Move, kind, verb(m.Value))
	q.Position = m.Position
	reply, err := t.ask(ctx, q.question, probe.NoLine)
	if err != nil {
		return "", err
	}
	if len(reply.Moves) > 0 {
		text += fmt.Sprintf(". The best reply is %s", reply.Moves[0].Move)
	}
	return text + ".", nil
}
