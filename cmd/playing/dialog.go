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

// dialog is a match with a user at a terminal.
type dialog struct {
	match
	lines lineReader
	out   io.Writer
}

func newDialog(o *opponent, in io.Reader, out io.Writer) *dialog {
	d := &dialog{match: match{opponent: o}, lines: &scannedLines{bufio.NewScanner(in), out}, out: out}
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
	m, err := player.Move(ctx, d.player, d.position())
	if err != nil {
		return err
	}
	text := game.MoveText(d.rules, d.position(), m)
	d.play(m)
	d.printf("I play %s as %s.", text, sideName(d.rules, side))
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
