package main

import (
	"backsolve/cmd/anygame"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/morris"
)

// examples returns the games below game/examples, which show how to define a game.
func examples() (games []anygame.Game) {
	for _, board := range [][2]int{{4, 4}, {4, 5}, {5, 4}, {5, 5}, {5, 6}, {6, 4}, {6, 5}} {
		g, err := connect4.New(board[0], board[1], true)
		if err != nil {
			panic(err)
		}
		games = append(games, anygame.New[connect4.State](g))
	}
	for men := 3; men <= 6; men++ {
		games = append(games, anygame.New[morris.State](morris.Game{Men: men}), anygame.New[morris.State](morris.Game{Men: men, Turn: true}))
	}
	return games
}
