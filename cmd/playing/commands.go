package playing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

type command struct {
	name, arguments, help string
	do                    func(d *dialog, args []string) error
}

func commands() []command {
	return []command{
		{"moves", "", "all moves with their values, best first", func(d *dialog, _ []string) error { return d.write(probe.NoLine, cli.WriteMoves) }},
		{"hint", "", "a best move", (*dialog).showHint},
		{"value", "", "the value of the position", (*dialog).showValue},
		{"line", "", "the main line, best play to the end", func(d *dialog, _ []string) error {
			return d.write(probe.WholeLine, func(b *strings.Builder, a *probe.Answer) { cli.WriteLine(b, a.Line) })
		}},
		{"back", "[PLIES]", "take back your last move and the reply, or that number of plies", (*dialog).takeBack},
		{"undo", "[PLIES]", "same as back", (*dialog).takeBack},
		{"new", "", "start a new game", (*dialog).newGame},
		{"position", "[TEXT]", "set up a position, or show the current one as text", (*dialog).choosePosition},
		{"side", "[SIDE]", "choose your side: x (moves first), o, both or none", (*dialog).chooseSide},
		{"level", "[POLICY [BLUNDER]]", "choose my policy, optimal, shortest or trap, and how often I blunder", (*dialog).chooseLevel},
		{"help", "", "show this list", (*dialog).showHelp},
	}
}

func (d *dialog) showHelp([]string) error {
	d.printf("%-28s %s", d.exampleMove(), "make a move")
	for _, c := range commands() {
		d.printf("%-28s %s", strings.TrimSpace(c.name+" "+c.arguments), c.help)
	}
	d.printf("%-28s %s", "quit, exit", "end the program")
	return nil
}

func (d *dialog) showHint([]string) error {
	return d.write(probe.NoLine, func(b *strings.Builder, a *probe.Answer) {
		fmt.Fprintf(b, "%s: %v\n", a.Moves[0].Move, a.Moves[0].Value)
	})
}

func (d *dialog) write(maxPlies int, part func(*strings.Builder, *probe.Answer)) error {
	a, err := d.answers.AskState(d.rules, d.position(), maxPlies)
	if err != nil {
		return err
	}
	if a.Terminal {
		return errors.New("the game is over; there are no moves")
	}
	var b strings.Builder
	part(&b, a)
	fmt.Fprint(d.out, b.String())
	return nil
}

func (d *dialog) showValue([]string) error {
	a, err := d.answers.AskState(d.rules, d.position(), probe.NoLine)
	if err != nil {
		return err
	}
	more := ""
	if n, known := a.Nimber.Value(); known {
		more = fmt.Sprintf(", nimber %d", n)
	}
	if _, known := a.Score.Value(); known {
		more = ", score " + a.Score.Signed()
	}
	d.printf("%s to move: %v%s", sideName(d.rules, d.turn()), a.Value, more)
	return nil
}

// takeBack takes back the user's last move and the reply, one move if the user plays no side, or a number of plies.
func (d *dialog) takeBack(args []string) error {
	if len(args) > 0 {
		return d.takeBackPlies(strings.Join(args, " "))
	}
	for i := d.plies() - 1; i >= 0; i-- {
		if d.user == [2]bool{} || d.user[d.rules.Turn(d.positions[i])] {
			d.goBack(i)
			return nil
		}
	}
	return errors.New("you have not made a move yet")
}

func (d *dialog) takeBackPlies(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%.40q is not a number of plies; type back, or for example back 2", text)
	case n > d.plies():
		return fmt.Errorf("the game has %s so far; type new to start again", cli.CountOf(uint64(d.plies()), "ply", "plies"))
	}
	d.goBack(d.plies() - n)
	return nil
}

func (d *dialog) newGame([]string) error {
	d.setUp(d.start)
	return nil
}

func (d *dialog) choosePosition(args []string) error {
	if len(args) == 0 {
		d.printf("%s", d.rules.Format(d.position()))
		return nil
	}
	text := strings.Join(args, " ")
	p, err := game.ParsePosition(d.rules, d.start, text)
	if err != nil {
		return err
	}
	if _, err := d.answers.AskState(d.rules, p, probe.NoLine); errors.Is(err, probe.ErrPosition) {
		return err
	}
	d.setUp(p)
	return nil
}

// sides are the user's sides by name. In games with one kind of mark, x moves first.
var sides = map[string][2]bool{
	"x": {game.X: true}, "first": {game.X: true},
	"o": {game.O: true}, "second": {game.O: true},
	"both": {true, true}, "none": {},
}

func (d *dialog) chooseSide(args []string) error {
	if len(args) > 0 {
		person, ok := sides[args[0]]
		if !ok || len(args) > 1 {
			return fmt.Errorf("%.40q is not a side; type x or first, o or second, both, or none", strings.Join(args, " "))
		}
		d.user = person
	}
	d.printf("You play %s.", d.sides())
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
		err = errors.New("level takes a policy and a probability; for example: level optimal 0.05")
	}
	if err != nil {
		return err
	}
	d.dropPlayer()
	d.printf("I play %v.", d.opponent)
	return nil
}
