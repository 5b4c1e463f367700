package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player"
	"backsolve/probe"
)

// dialog is a game of a user at a terminal against the opponent.
type dialog struct {
	*opponent
	lines lineReader
	out   io.Writer
	user  [2]bool // the sides of the user
	// positions are those since the start or the set-up position, moves those between them.
	positions []game.State
	moves     []string
	player    player.Player // the opponent in this game, nil until it moves
	shown     bool          // whether the position has been shown
}

func newDialog(o *opponent, in io.Reader, out io.Writer) *dialog {
	d := &dialog{opponent: o, lines: &scannedLines{bufio.NewScanner(in), out}, out: out}
	d.setUp(o.start)
	d.user[d.turn()] = true
	return d
}

// run plays until the user quits or input ends.
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
		line, err := d.lines.readLine(d.prompt() + "> ")
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

// printf prints a line.
func (d *dialog) printf(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// position is the current position.
func (d *dialog) position() game.State { return d.positions[len(d.positions)-1] }

func (d *dialog) turn() game.Side { return d.rules.Turn(d.position()) }

func (d *dialog) over() bool {
	_, over := d.rules.Terminal(d.position())
	return over
}

// opponentMoves reports whether the opponent is to move.
func (d *dialog) opponentMoves() bool { return !d.over() && !d.user[d.turn()] }

// setUp starts a game from a position.
func (d *dialog) setUp(p game.State) {
	d.dropPlayer()
	d.positions, d.moves, d.shown = []game.State{p}, nil, false
}

// dropPlayer ends the game for the opponent.
func (d *dialog) dropPlayer() {
	if d.player != nil {
		d.player.Close()
		d.player = nil
	}
}

// play makes a legal move.
func (d *dialog) play(m game.Move) {
	d.moves = append(d.moves, d.rules.FormatMove(m))
	d.positions = append(d.positions, d.rules.Play(d.position(), m))
	d.shown = false
}

// reply makes a move of the opponent.
func (d *dialog) reply(ctx context.Context) error {
	if d.player == nil {
		begun, err := d.begin()
		if err != nil {
			return err
		}
		d.player = begun
	}
	side := d.turn()
	m, err := d.player.Move(ctx, d.position())
	if err != nil {
		return err
	}
	d.play(m)
	d.printf("I play %s as %s.", d.rules.FormatMove(m), sideName(d.rules, side))
	return nil
}

// show draws a new position, and prints the result of the game.
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

// result says who won.
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

// prompt names the side to move.
func (d *dialog) prompt() string {
	switch {
	case d.over():
		return "over"
	case d.opponentMoves():
		return sideName(d.rules, d.turn()) + ", press Enter"
	}
	return sideName(d.rules, d.turn())
}

// sides names the sides of the user.
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

// exampleMove returns a move at the start, as text.
func (d *dialog) exampleMove() string {
	return d.rules.FormatMove(d.rules.Moves(nil, d.start)[0])
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

// answer answers the current position, with a main line of at most so many plies.
func (d *dialog) answer(maxPlies int) (*probe.Answer, error) {
	return d.answers.AskState(d.rules, d.position(), maxPlies)
}
