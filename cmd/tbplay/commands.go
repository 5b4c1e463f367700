package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player"
	"backsolve/probe"
)

// command is a word that is no move.
type command struct {
	name, arguments, help string
	do                    func(d *dialog, args []string) error
}

// commands returns all but quit and exit, in the order of the help text.
func commands() []command {
	return []command{
		{"moves", "", "all moves with what they are worth, the best first", (*dialog).showMoves},
		{"hint", "", "a best move", (*dialog).showHint},
		{"value", "", "what the position is worth under best play", (*dialog).showValue},
		{"line", "", "the main line: best move after best move", (*dialog).showLine},
		{"back", "[PLIES]", "take your last move back with the reply to it, or so many plies", (*dialog).takeBack},
		{"undo", "[PLIES]", "the same as back", (*dialog).takeBack},
		{"new", "", "begin a new game", (*dialog).newGame},
		{"position", "[TEXT]", "set up a position, or write the one on the board", (*dialog).choosePosition},
		{"side", "[SIDE]", "choose what you play: x (who begins), o, both or none", (*dialog).chooseSide},
		{"level", "[POLICY [BLUNDER]]", "choose how I play: optimal or shortest, and how often any move", (*dialog).chooseLevel},
		{"help", "", "this list", (*dialog).showHelp},
	}
}

// errOver is why there is nothing to say of the moves.
var errOver = errors.New("the game is over; there are no moves")

func (d *dialog) showHelp([]string) error {
	d.say("%-28s %s", d.exampleMove(), "make a move")
	for _, c := range commands() {
		d.say("%-28s %s", strings.TrimSpace(c.name+" "+c.arguments), c.help)
	}
	d.say("%-28s %s", "quit, exit", "end")
	return nil
}

func (d *dialog) showMoves([]string) error {
	a, err := d.ask(probe.NoLine)
	switch {
	case err != nil:
		return err
	case a.Terminal:
		return errOver
	}
	var b strings.Builder
	cli.WriteMoves(&b, a)
	fmt.Fprint(d.out, b.String())
	return nil
}

func (d *dialog) showHint([]string) error {
	a, err := d.ask(probe.NoLine)
	switch {
	case err != nil:
		return err
	case a.Terminal:
		return errOver
	}
	d.say("%s: %v", a.Moves[0].Move, a.Moves[0].Value)
	return nil
}

func (d *dialog) showValue([]string) error {
	a, err := d.ask(probe.NoLine)
	if err != nil {
		return err
	}
	more := ""
	if n, known := a.Nimber.Value(); known {
		more = fmt.Sprintf(", nimber %d", n)
	}
	if _, known := a.Score.Value(); known {
		more = fmt.Sprintf(", score %v", a.Score)
	}
	d.say("%s to move: %v%s", sideName(d.rules, d.turn()), a.Value, more)
	return nil
}

func (d *dialog) showLine([]string) error {
	a, err := d.ask(probe.WholeLine)
	switch {
	case err != nil:
		return err
	case a.Terminal:
		return errOver
	}
	var b strings.Builder
	cli.WriteLine(&b, a.Line)
	fmt.Fprint(d.out, b.String())
	return nil
}

// takeBack goes back to where the person moved last, one move where the person
// plays none, or so many plies as are said.
func (d *dialog) takeBack(args []string) error {
	if len(args) > 0 {
		return d.takeBackPlies(strings.Join(args, " "))
	}
	for i := len(d.moves) - 1; i >= 0; i-- {
		if d.person == [2]bool{} || d.person[d.rules.Turn(d.positions[i])] {
			d.goBack(i)
			return nil
		}
	}
	return errors.New("you have made no move that could be taken back")
}

// takeBackPlies takes back as many plies as a text says, whoever made them.
func (d *dialog) takeBackPlies(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%.40q is no number of plies; write back, or for example back 2", text)
	case n > len(d.moves):
		return fmt.Errorf("the game has %s so far; write new to begin again", plies(len(d.moves)))
	}
	d.goBack(len(d.moves) - n)
	return nil
}

// plies says how many plies there are: no plies, 1 ply, 7 plies.
func plies(n int) string {
	switch n {
	case 0:
		return "no plies"
	case 1:
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}

// goBack goes back to where so many plies had been made.
func (d *dialog) goBack(n int) {
	d.dropPlayer()
	d.positions, d.moves, d.shown = d.positions[:n+1], d.moves[:n], false
}

func (d *dialog) newGame([]string) error {
	d.setUp(d.start)
	return nil
}

func (d *dialog) choosePosition(args []string) error {
	if len(args) == 0 {
		d.say("%s", d.rules.Format(d.position()))
		return nil
	}
	text := strings.Join(args, " ")
	p, err := d.rules.Parse(text)
	if err != nil {
		return err
	}
	if _, err := d.answers.AskState(d.rules, p, probe.NoLine); errors.Is(err, probe.ErrPosition) {
		return err
	}
	d.setUp(p)
	return nil
}

// sides are the words for what the person plays. In games where all marks are the
// same, x is who begins.
var sides = map[string][2]bool{
	"x": {game.X: true}, "first": {game.X: true},
	"o": {game.O: true}, "second": {game.O: true},
	"both": {true, true}, "none": {},
}

func (d *dialog) chooseSide(args []string) error {
	if len(args) > 0 {
		person, ok := sides[args[0]]
		if !ok || len(args) > 1 {
			return fmt.Errorf("%.40q is not a side; write x or first, o or second, both, or none", strings.Join(args, " "))
		}
		d.person = person
	}
	d.say("You play %s.", d.sides())
	return nil
}

func (d *dialog) chooseLevel(args []string) error {
	var err error
	switch len(args) {
	case 0:
	case 1:
		err = d.setStrength(player.Strength{Policy: player.Policy(args[0])})
	case 2:
		err = d.setBlunder(player.Policy(args[0]), args[1])
	default:
		err = errors.New("level takes a policy and a probability; an example is: level optimal 0.05")
	}
	if err != nil {
		return err
	}
	d.dropPlayer()
	d.say("I play %v.", d.opponent)
	return nil
}
