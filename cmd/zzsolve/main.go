package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

func main() {
	down, _ := strconv.Atoi(os.Args[1])
	rules, _ := games.New("quixo", 5)
	g, _ := game.GridOf(rules)
	space, err := partition.NewAfter(g, 0)
	if err != nil {
		panic(err)
	}
	steps := len(os.Args) > 3
	w, err := tablebase.Create(os.Args[2], probe.Shape(space, steps), true)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	t := time.Now()
	r, err := retro.Solve(context.Background(), space, w, retro.Options{Steps: steps, DownTo: down})
	if err != nil {
		panic(err)
	}
	fmt.Println(time.Since(t), r.Classes)
}
