package arena

import "fmt"

// UnableError says that an agent cannot play, so that a result would not reflect its strength.
type UnableError struct {
	// Agent is its label.
	Agent string
	// When says in which games it failed, "" if it has not made a move in any.
	When string
	// Err is the cause.
	Err error
}

// Error returns the sentence.
func (e *UnableError) Error() string {
	if e.When == "" {
		return fmt.Sprintf("%s cannot play: %v", e.Agent, e.Err)
	}
	return fmt.Sprintf("%s cannot play: it failed in %s, most recently: %v", e.Agent, e.When, e.Err)
}

// Unwrap returns the cause.
func (e *UnableError) Unwrap() error { return e.Err }

// hopeless is the number of first games on a side that an agent must fail to be judged unable to play.
const hopeless = 3

// trial counts by agent, and by side: 0 for games that the agent begins.
type trial struct {
	moved         [2]bool // in some game
	games, failed [2][2]int
}

// judge looks at the i-th game of a match. The error is a *UnableError.
func (t *trial) judge(m *Match, i int, d *Played) error {
	for agent := range 2 {
		side := (agent + m.beginner(i)) % 2 // 0 where it began
		failed := d.Reason == ByFailure && d.Result == winFor(1-side)
		t.moved[agent] = t.moved[agent] || len(d.Moves) > side
		t.games[agent][side]++
		if !failed {
			continue
		}
		t.failed[agent][side]++
		if !t.moved[agent] {
			return &UnableError{m.Labels()[agent], "", d.err}
		}
		if n := t.failed[agent][side]; n == t.games[agent][side] && n == min(hopeless, m.gamesAs(agent, side)) {
			return &UnableError{m.Labels()[agent], firstGames(n, side), d.err}
		}
	}
	return nil
}

// gamesAs counts the games in which an agent begins, on side 0, or replies.
func (m *Match) gamesAs(agent, side int) (games int) {
	for i := range m.Games {
		if (agent+m.beginner(i))%2 == side {
			games++
		}
	}
	return games
}

func firstGames(n, side int) string {
	does := [2]string{"that it began", "in which it replied"}[side]
	if n == 1 {
		return "the only game " + does
	}
	return fmt.Sprintf("each of the first %d games %s", n, does)
}
