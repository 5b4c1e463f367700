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

// dialog is a conversation with a person about a game, in which the person and the
// opponent play the sides that the person chose.
type dialog struct {
	*opponent
	lines lineReader
	out   io.Writer
	// person says which sides the person plays.
	person [2]bool
	// positions are those of the game, from its start or from the one that was set
	// up; moves are between them.
	positions []game.State
	moves     []string
	// player is the opponent in this game, nil until it moves.
	player player.Player
	// shown says that the person has seen the position.
	shown bool
}

func newDialog(o *opponent, in io.Reader, out io.Writer) *dialog {
	d := &dialog{opponent: o, lines: &scannedLines{bufio.NewScanner(in), out}, out: out}
	d.setUp(o.start)
	d.person[d.turn()] = true
	return d
}

// run goes on until the person quits or says no more.
func (d *dialog) run(ctx context.Context) error {
	defer d.dropPlayer()
	d.say("%s. You play %s; I play %v.", d.name, d.sides(), d.opponent)
	d.say("Type a move, such as %s, or help.", d.exampleMove())
	for {
		if d.opponentMoves() && d.person != [2]bool{} {
			if err := d.reply(ctx); err != nil {
				return err
			}
			continue
		}
		d.show()
		line, err := d.lines.readLine(d.prompt() + "> ")
		if err == io.EOF {
			d.say("")
			return nil
		}
		if err != nil {
			return err
		}
		if done, err := d.obey(ctx, strings.Fields(line)); done || err != nil {
			return err
		}
	}
}

// say writes a line, or several.
func (d *dialog) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// position is the one that stands on the board.
func (d *dialog) position() game.State { return d.positions[len(d.positions)-1] }

func (d *dialog) turn() game.Side { return d.rules.Turn(d.position()) }

func (d *dialog) over() bool {
	_, over := d.rules.Terminal(d.position())
	return over
}

// opponentMoves says whether the opponent is to move.
func (d *dialog) opponentMoves() bool { return !d.over() && !d.person[d.turn()] }

// setUp begins a game with a position.
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

// reply lets the opponent move.
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
	d.say("I play %s as %s.", d.rules.FormatMove(m), sideName(d.rules, side))
	return nil
}

// show draws the board, if it is another one than before, and says how a game that
// is over has ended.
func (d *dialog) show() {
	if d.shown {
		return
	}
	d.shown = true
	d.say("\n%s", d.rules.Diagram(d.position()))
	if d.over() {
		d.say("The game is over: %s. Type new, back or quit.", d.result())
	}
}

// result says who has won.
func (d *dialog) result() string {
	winner, won := game.Winner(d.rules, d.position())
	switch {
	case !won:
		return "nobody has won"
	case d.person[game.X] == d.person[game.O]:
		return sideName(d.rules, winner) + " has won"
	case d.person[winner]:
		return "you have won"
	}
	return "I have won"
}

// prompt says who is to move.
func (d *dialog) prompt() string {
	switch {
	case d.over():
		return "over"
	case d.opponentMoves():
		return sideName(d.rules, d.turn()) + ", press Enter"
	}
	return sideName(d.rules, d.turn())
}

// sides names what the person plays.
func (d *dialog) sides() string {
	switch d.person {
	case [2]bool{true, true}:
		return "both"
	case [2]bool{}:
		return "none"
	case [2]bool{game.X: true}:
		return sideName(d.rules, game.X)
	}
	return sideName(d.rules, game.O)
}

// exampleMove returns the text of some move.
func (d *dialog) exampleMove() string {
	return d.rules.FormatMove(d.rules.Moves(nil, d.start)[0])
}

// obey does what a line says. done means that the person quits; an error is what
// the game cannot go on with.
func (d *dialog) obey(ctx context.Context, words []string) (done bool, err error) {
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
		d.say("%s", cli.Sentence(err))
	}
	return false, nil
}

// command does what the words say, a command or a move. The error is for the person.
func (d *dialog) command(words []string) error {
	for _, c := range commands() {
		if c.name == words[0] {
			return c.do(d, words[1:])
		}
	}
	if d.opponentMoves() {
		return fmt.Errorf("%s is mine to move; press Enter for it, or type side to choose what you play", sideName(d.rules, d.turn()))
	}
	m, err := d.rules.ParseMove(d.position(), strings.Join(words, " "))
	if syntax := (*game.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("%w (type help for what else there is)", err)
	}
	if err != nil {
		return err
	}
	d.play(m)
	return nil
}

// ask returns what is known of the position, with the main line of so many plies.
func (d *dialog) ask(maxPlies int) (*probe.Answer, error) {
	return d.answers.AskState(d.rules, d.position(), maxPlies)
}
