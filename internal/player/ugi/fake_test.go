package ugi

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/game/gametest"
	"backsolve/game/notakto"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

// engineArgument makes the test binary an engine, of the kind that follows.
const engineArgument = "engine"

// fakeEngine is the engine of the test binary: what it writes depends on the kind.
func fakeEngine(args []string) int {
	kind := args[0]
	switch kind {
	case "serve":
		return serveRandom(servedRules(args[1]))
	case "sleeping":
		sleepForEver()
	}
	say := func(line string) { fmt.Println(line) }
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		if done, status := misbehave(kind, words[0], args); done {
			return status
		}
		switch words[0] {
		case "ugi":
			say("id name " + kind)
			say("option name Seed type string default 0")
			say("ugiok")
		case "isready":
			say("readyok")
		case "go":
			say("info string thinking")
			say("bestmove " + args[1])
		case "quit":
			return 0
		}
	}
	return 0
}

// misbehave makes an engine of a kind go wrong at a command, and reports whether it ends.
func misbehave(kind, command string, args []string) (done bool, status int) {
	switch kind + " at " + command {
	case "deaf at ugi", "unready at isready", "hanging at go", "stubborn at quit":
		sleepForEver()
	case "babbling at ugi":
		fmt.Println("hello\n\nI am an engine")
		return true, 2
	case "flooding at go":
		for {
			fmt.Println("info string and another line")
		}
	case "endless at go":
		block := strings.Repeat("x", 1<<20)
		for range 8 {
			fmt.Print(block)
		}
		sleepForEver()
	case "dying at go":
		fmt.Fprintln(os.Stderr, "the first complaint\n"+strings.Repeat("and more\n", 100)+"out of luck")
		return true, 3
	case "stillborn at ugi":
		return true, 4
	case "parting at go":
		fmt.Println("bestmove b2") // its last
		return true, 0
	case "mute at go":
		fmt.Println("bestmove")
	case "slow at go", "slow at ugi":
		time.Sleep(200 * time.Millisecond)
	case "repeating at go":
		fmt.Println("bestmove " + args[1])
	case "parent at ugi":
		child := exec.Command(os.Args[0], engineArgument, "sleeping")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return true, 5
		}
		fmt.Fprintln(os.Stderr, child.Process.Pid)
	}
	return false, 0
}

func sleepForEver() {
	for {
		time.Sleep(time.Hour)
	}
}

// servedRules returns the rules that an engine of the kind serve plays by.
func servedRules(board string) game.Rules {
	switch board {
	case "small":
		return notakto.Game.New(3)
	case "wide":
		return notakto.Game.New(9)
	case "strip":
		return gametest.NewStrip(7)
	}
	panic("no board " + board)
}

// serveRandom serves a game with a random player.
func serveRandom(rules game.Rules) int {
	seed := uint64(0)
	err := Serve(context.Background(), os.Stdin, os.Stdout, &Host{
		Name: "random", Author: "nobody", Rules: rules, Start: rules.Start(), Answers: ignorant{},
		Begin: func() (player.Player, error) { return player.Random(rules).Begin(seed) },
		Options: []Option{{"Seed", "spin default 0 min 0 max 2147483647", func(value string) error {
			n, err := strconv.ParseUint(value, 10, 31)
			seed = n
			return err
		}}},
	})
	if err != nil {
		return 1
	}
	return 0
}

// ignorant knows no position.
type ignorant struct{ probe.Answerer }

func (ignorant) AskState(game.Rules, game.State, int) (*probe.Answer, error) {
	return nil, probe.ErrUnknown
}
