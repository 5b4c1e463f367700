// Package examples lists the games below it, which show how to define a game.
package examples

import (
	"sync"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/chomp"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/dobutsu"
	"backsolve/game/examples/dominoes"
	"backsolve/game/examples/endings"
	"backsolve/game/examples/heaps"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
	"backsolve/game/examples/nodekayles"
	"backsolve/game/examples/teeko"
	"backsolve/game/games"
	"backsolve/game/wasm"
)

// Add adds the examples to the list of games, and lets files of rules name games, once.
var Add = sync.OnceValue(func() error {
	games.ReadRules = wasm.New
	var entries []game.Game
	for _, g := range All() {
		entries = append(entries, custom.Entry(g))
	}
	return games.Add(entries...)
})

// All returns the examples.
func All() (games []custom.Listed) {
	for _, board := range [][2]int{{4, 4}, {4, 5}, {5, 4}, {5, 5}, {5, 6}, {6, 4}, {6, 5}} {
		g, err := connect4.New(board[0], board[1], true)
		if err != nil {
			panic(err)
		}
		games = append(games, custom.List(g))
	}
	for n := 4; n <= 8; n += 2 {
		games = append(games, custom.List(chomp.Game{Rows: n, Columns: n}))
	}
	for n := 4; n <= 6; n++ {
		games = append(games, custom.List(dominoes.Game{Rows: n, Columns: n}), custom.List(dominoes.Game{Rows: n - 1, Columns: n, Cram: true}))
	}
	for _, g := range heaps.Games() {
		games = append(games, custom.List(g))
	}
	games = append(games, custom.List(nodekayles.Game{Rows: 4, Columns: 4}), custom.List(nodekayles.Game{Rows: 4, Columns: 5}), custom.List(hounds.Game{}), custom.List(hounds.Game{All: true}), custom.List(dobutsu.Game{}))
	games = append(games, custom.List(endings.Game{Piece: 'R'}), custom.List(endings.Game{Piece: 'Q'}))
	for _, men := range []int{3, 4, 5, 6, 9} {
		games = append(games, custom.List(morris.Game{Men: men}))
	}
	return append(games, custom.List(morris.Game{Men: 9, Placed: true}), custom.List(morris.Game{Men: 4, Corners: true}), custom.List(morris.Game{Men: 6, Turn: true}), custom.List(teeko.Game{N: 4}), custom.List(teeko.Game{N: 5}))
}
