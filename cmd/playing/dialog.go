package playing

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player"
)

type dialog struct {
	*opponent
	readLine func(prompt string) (string, error) // io.EOF at the end of input
	out      io.Writer

	user      [2]bool       // the sides of the user
	positions []game.State  // those since the start or the set-up position
	player    player.Player // the opponent in this game, nil until it moves
	shown     bool          // whether the position has been shown
}

func newDialog(o *opponent, in io.Reader, out io.Writer) *dialog {
	lines := bufio.NewScanner(in)
	d := &dialog{opponent: o, out: out, readLine: func(prompt string) (string, error) {
		fmt.Fprint(out, prompt)
		if lines.Scan() {
			return lines.Text(), nil
		}
		if err := lines.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	}}
	d.setUp(o.start)
	d.user[d.turn()] = true
	return d
}

func (d *dialog) run(ctx context.Context) error {
	defer d.dropPlayer()
	d.printf("%s. You play %s; I play %v.", d.name, d.sides(), d.opponent)
	d.printf("Type a move, such as %s, or help.", d.exampleMove())
	for {
		if d.opponentMoves() && d.user != [2]bool{} {
			if err := d.reply(ctx); err != nil {
				return err
			}
			continue
		}
		d.show()
		line, err := d.readLine(d.prompt() + "> ")
		if err == io.EOF {
			d.printf("")
			return nil
		}
		if err != nil {
			return err
		}
		if done, err := d.execute(ctx, strings.Fields(line)); done || err != nil {
			return err
		}
	}
}

func (d *dialog) printf(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

func (d *dialog) reply(ctx context.Context) error {
	if d.player == nil {
		begun, err := d.begin()
		if err != nil {
			return err
		}
		d.player = begun
	}
	side := d.turn()
	m, err := player.Move(ctx, d.player, d.position())
	if err != nil {
		return err
	}
	text := game.MoveText(d.rules, d.position(), m)
	d.play(m)
	d.printf("I play %s as %s.", text, sideName(d.rules, side))
	return nil
}

func (d *dialog) show() {
	if d.shown {
		return
	}
	d.shown = true
	d.printf("\n%s", d.rules.Diagram(d.position()))
	if d.over() {
		d.printf("The game is over: %s. Type new, back or quit.", d.result())
	}
}

func (d *dialog) prompt() string {
	switch {
	case d.over():
		return "over"
	case d.opponentMoves():
		return sideName(d.rules, d.turn()) + ", press Enter"
	}
	return sideName(d.rules, d.turn())
}

// execute executes a line. done is true if the user quits; an error ends the game.
func (d *dialog) execute(ctx context.Context, words []string) (done bool, err error) {
	if len(words) == 0 {
		if d.opponentMoves() {
			err = d.reply(ctx)
		}
		return false, err
	}
	if words[0] == "quit" || words[0] == "exit" {
		return true, nil
	}
	if err := d.command(words); err != nil {
		d.printf("%s", cli.Sentence(err))
	}
	return false, nil
}

// command executes a command or makes a move. The error is for the user.
func (d *dialog) command(words []string) error {
	for _, c := range commands() {
		if c.name == words[0] {
			return c.do(d, words[1:])
		}
	}
	if d.opponentMoves() {
		return fmt.Errorf("it is my move as %s; press Enter for it, or type side to choose your side", sideName(d.rules, d.turn()))
	}
	m, err := d.rules.ParseMove(d.position(), strings.Join(words, " "))
	if syntax := (*game.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("%w (type help for a list of commands)", err)
	}
	if err != nil {
		return err
	}
	d.play(m)
	return nil
}

func (d *dialog) plies() int { return len(d.positions) - 1 }

func (d *dialog) position() game.State { return d.positions[len(d.positions)-1] }

func (d *dialog) turn() game.Side { return d.rules.Turn(d.position()) }

func (d *dialog) over() bool {
	_, over := d.rules.Terminal(d.position())
	return over
}

func (d *dialog) opponentMoves() bool { return !d.over() && !d.user[d.turn()] }

func (d *dialog) setUp(p game.State) {
	d.dropPlayer()
	d.positions, d.shown = []game.State{p}, false
}

func (d *dialog) dropPlayer() {
	if d.player != nil {
		d.player.Close()
		d.player = nil
	}
}

func (d *dialog) play(move game.Move) {
	d.positions = append(d.positions, d.rules.Play(d.position(), move))
	d.shown = false
}

func (d *dialog) goBack(n int) {
	d.dropPlayer()
	d.positions, d.shown = d.positions[:n+1], false
}

func (d *dialog) result() string {
	winner, won := game.Winner(d.rules, d.position())
	switch {
	case !won:
		return "nobody won"
	case d.user[game.X] == d.user[game.O]:
		return sideName(d.rules, winner) + " won"
	case d.user[winner]:
		return "you won"
	}
	return "I won"
}

func (d *dialog) sides() string {
	switch d.user {
	case [2]bool{true, true}:
		return "both"
	case [2]bool{}:
		return "none"
	case [2]bool{game.X: true}:
		return sideName(d.rules, game.X)
	}
	return sideName(d.rules, game.O)
}

func (d *dialog) exampleMove() string {
	return game.MoveText(d.rules, d.start, d.rules.Moves(nil, d.start)[0])
}
