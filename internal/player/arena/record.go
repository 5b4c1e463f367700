package arena

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"backsolve/game"
)

// Record is a game as a line of JSON, to replay and to judge. Without times, it is reproducible.
type Record struct {
	// Number counts the games of a match from 1 on.
	Number int    `json:"number"`
	Game   string `json:"game"`
	Size   int    `json:"size"`
	// First and Second are the labels of the agents; First begins.
	First  string `json:"first"`
	Second string `json:"second"`
	// Seeds are the seeds of the first and the second player.
	Seeds [2]uint64 `json:"seeds"`
	// Turns is the limit of turns.
	Turns int `json:"turn_limit"`
	// Start is the first position, Moves are the moves from there on, Plies is their number.
	Start string   `json:"start"`
	Moves []string `json:"moves"`
	Plies int      `json:"plies"`
	// Winner is First or Second, nil if the game is a draw.
	Winner *string `json:"winner"`
	Result Result  `json:"result"`
	Reason Reason  `json:"reason"`
	// Failure says what the loser did wrong, if the reason is ByFailure.
	Failure string `json:"failure,omitempty"`
}

// maxRecord is in bytes: a ply takes less than 16, and no game has a million plies.
const maxRecord = 1 << 24

// ReadRecords reads a record from each line, and stops after the first error, which names the line, counted from 1.
func ReadRecords(r io.Reader) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxRecord)
		number := 0
		for lines.Scan() {
			number++
			record := &Record{}
			if err := json.Unmarshal(lines.Bytes(), record); err != nil {
				yield(nil, fmt.Errorf("line %d is not the record of a game: %w", number, err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, fmt.Errorf("line %d cannot be read: %w", number+1, err))
		}
	}
}

// Check replays a game and reports violations of the rules: positions, moves, or a result that does not follow from them.
// It trusts the record about failures.
func (r *Record) Check(rules game.Rules) error {
	start, err := rules.Parse(r.Start)
	if err != nil {
		return err
	}
	p := start
	for i, text := range r.Moves {
		m, err := rules.ParseMove(p, text)
		if err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
		p = rules.Play(p, m)
	}
	return r.checkEnd(rules, start, p)
}

func (r *Record) checkEnd(rules game.Rules, start, last game.State) error {
	if len(r.Moves) != r.Plies {
		return fmt.Errorf("there are %d moves, but %d plies", len(r.Moves), r.Plies)
	}
	side := sideOf(rules, start, last)
	want, reason := Drawn, ByTurns
	if outcome, over := rules.Terminal(last); over {
		want, reason = resultOf(outcome, side), ByRules
	} else if r.Reason == ByFailure {
		want, reason = winFor(1-side), ByFailure
		if r.Plies == 0 && r.Result == FirstWins {
			want = FirstWins // either player can fail before the first ply
		}
	} else if r.Plies != 2*r.Turns {
		return fmt.Errorf("the game is not over after %d plies, and its limit is %d turns", r.Plies, r.Turns)
	}
	if r.Result != want || r.Reason != reason {
		return fmt.Errorf("the result is %q by %q, but the moves lead to %q by %q", r.Result, r.Reason, want, reason)
	}
	winner := map[Result]string{FirstWins: r.First, SecondWins: r.Second}[r.Result]
	if r.Winner == nil && winner != "" || r.Winner != nil && *r.Winner != winner {
		return fmt.Errorf("the winner does not go with the result %q", r.Result)
	}
	return nil
}
