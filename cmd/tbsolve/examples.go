package main

import (
	"backsolve/cmd/anygame"
	"backsolve/game/examples/chomp"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/dobutsu"
	"backsolve/game/examples/dodgem"
	"backsolve/game/examples/dominoes"
	"backsolve/game/examples/holes"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
	"backsolve/game/examples/othello4"
	"backsolve/game/examples/teeko"
)

// examples returns the games below game/examples, which show how to define a game.
func examples() (games []anygame.Game) {
	for _, board := range [][2]int{{4, 4}, {4, 5}, {5, 4}, {5, 5}, {5, 6}, {6, 4}, {6, 5}} {
		g, err := connect4.New(board[0], board[1], true)
		if err != nil {
			panic(err)
		}
		games = append(games, anygame.New(g))
	}
	for n := 4; n <= 8; n += 2 {
		games = append(games, anygame.New(chomp.Game{Rows: n, Columns: n}))
	}
	for n := 4; n <= 6; n++ {
		games = append(games, anygame.New(dominoes.Game{Rows: n, Columns: n}), anygame.New(dominoes.Game{Rows: n - 1, Columns: n, Cram: true}))
	}
	for n := 3; n <= 5; n++ {
		games = append(games, anygame.New(dodgem.Game{N: n}))
	}
	games = append(games, anygame.New(hounds.Game{}), anygame.New(dobutsu.Game{}))
	for men := 3; men <= 6; men++ {
		games = append(games, anygame.New(morris.Game{Men: men}))
	}
	return append(games, anygame.New(morris.Game{Men: 6, Turn: true}), anygame.New(holes.Game{}), anygame.New(holes.Game{Tapatan: true}),
		anygame.New(othello4.Game{}), anygame.New(teeko.Game{N: 4}), anygame.New(teeko.Game{N: 5}))
}
