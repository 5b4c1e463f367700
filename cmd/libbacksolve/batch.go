package main

/*
#include <backsolve.h>

typedef const char backsolve_text;
typedef const backsolve_state backsolve_states;
typedef const int32_t backsolve_actions;
typedef const backsolve_solving backsolve_how;

// Go cannot call a pointer to a function.
static inline int backsolve_report(const backsolve_solving *how, uint64_t done, uint64_t total) {
	return how->progress(how->context, done, total);
}
*/
import "C"

import (
	"math"
	"unsafe"

	"backsolve"
	"backsolve/cmd/libbacksolve/bridge"
)

// array returns an array of C as a slice. It must not be NULL unless it is empty.
func array[T any, P any](name string, first *P, count uint64) []T {
	switch {
	case first == nil && count > 0:
		refuse("%s is NULL, and has %d elements", name, count)
	case count > math.MaxInt32*64:
		refuse("%s has %d elements; give fewer at once", name, count)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(first)), count)
}

func fields(texts *C.char, width C.size_t, count int) bridge.Fields {
	if width < 1 || width > 1<<16 {
		refuse("the width of a text is %d; give one from 1 to %d", width, 1<<16)
	}
	return bridge.Fields{Bytes: array[byte]("texts", texts, uint64(width)*uint64(count)), Width: int(width)}
}

//export backsolve_open_board
func backsolve_open_board(api C.uint32_t, dir, board *C.backsolve_text, table *C.backsolve_table, message *C.char, size C.size_t) C.int {
	return open(api, table, message, size, func() (*backsolve.Table, error) {
		notNull("dir board", unsafe.Pointer(dir), unsafe.Pointer(board))
		return backsolve.Open(text(dir), text(board))
	})
}

//export backsolve_solve
func backsolve_solve(api C.uint32_t, dir, board *C.backsolve_text, how *C.backsolve_how, table *C.backsolve_table, message *C.char, size C.size_t) C.int {
	return open(api, table, message, size, func() (*backsolve.Table, error) {
		notNull("dir board", unsafe.Pointer(dir), unsafe.Pointer(board))
		if how == nil {
			return bridge.Solve(text(dir), text(board), backsolve.Options{}, nil)
		}
		if how.memory > math.MaxInt64 || how.threads < 0 {
			return nil, bridge.Inputf("%d threads and %d bytes of memory; give 0 for all cores and for 1 GiB", how.threads, how.memory)
		}
		o := backsolve.Options{Steps: how.steps != 0, Nimbers: how.nimbers != 0, Threads: int(how.threads), Memory: int64(how.memory)}
		if how.progress == nil {
			return bridge.Solve(text(dir), text(board), o, nil)
		}
		return bridge.Solve(text(dir), text(board), o, func(done, total uint64) bool {
			return C.backsolve_report(how, C.uint64_t(done), C.uint64_t(total)) == 0
		})
	})
}

//export backsolve_parse
func backsolve_parse(table C.backsolve_table, position *C.backsolve_text, state *C.backsolve_state, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		notNull("position state", unsafe.Pointer(position), unsafe.Pointer(state))
		m, err := t.Masks(text(position))
		if err == nil {
			*state = C.backsolve_state{x: C.uint64_t(m.X), o: C.uint64_t(m.O), o_to_move: C.uint64_t(flag(m.OToMove))}
		}
		return err
	})
}

//export backsolve_values
func backsolve_values(table C.backsolve_table, states *C.backsolve_states, count C.size_t, values *C.backsolve_value, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		return bridge.Values(t, array[bridge.State]("states", states, uint64(count)), array[bridge.Value]("values", values, uint64(count)))
	})
}

//export backsolve_read
func backsolve_read(table C.backsolve_table, first C.uint64_t, states *C.backsolve_state, values *C.backsolve_value, images *C.uint32_t, capacity C.size_t, count *C.size_t, total *C.uint64_t, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		masks, found := array[bridge.State]("states", states, uint64(capacity)), array[bridge.Value]("values", values, uint64(capacity))
		times := array[uint32]("images", images, uint64(capacity))
		notNull("count total", unsafe.Pointer(count), unsafe.Pointer(total))
		n, err := bridge.Read(t, uint64(first), masks, found, times)
		if err == nil {
			*count, *total = C.size_t(n), C.uint64_t(t.Board().States)
		}
		return err
	})
}

//export backsolve_games_new
func backsolve_games_new(api C.uint32_t, board *C.backsolve_text, count C.size_t, into *C.backsolve_games, message *C.char, size C.size_t) C.int {
	return call(message, size, func() error {
		notNull("board games", unsafe.Pointer(board), unsafe.Pointer(into))
		handle, err := games.Open(uint32(api), func() (*bridge.Games, error) { return bridge.NewGames(text(board), uint64(count)) })
		if err == nil {
			*into = C.backsolve_games(handle)
		}
		return err
	})
}

//export backsolve_games_free
func backsolve_games_free(handle C.backsolve_games, message *C.char, size C.size_t) C.int {
	return call(message, size, func() error { return games.Close(uint64(handle)) })
}

func play(handle C.backsolve_games, message *C.char, size C.size_t, work func(g *bridge.Games) error) C.int {
	return call(message, size, func() error { return games.Use(uint64(handle), work) })
}

//export backsolve_games_describe
func backsolve_games_describe(handle C.backsolve_games, form *C.backsolve_form, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		notNull("form", unsafe.Pointer(form))
		info := g.Rules.Info()
		put(form.game[:], info.Name)
		put(form.title[:], info.String())
		put(form.board[:], string(info.Board))
		form.marks, form.actions, form.numbered = C.int32_t(info.Marks), C.int32_t(g.ActionCount()), flag(g.Actions == nil)
		return nil
	})
}

//export backsolve_games_set
func backsolve_games_set(handle C.backsolve_games, texts *C.backsolve_text, width C.size_t, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		return g.Set(fields((*C.char)(unsafe.Pointer(texts)), width, g.Count()))
	})
}

//export backsolve_games_draw
func backsolve_games_draw(handle C.backsolve_games, seed C.uint64_t, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error { return g.Draw(uint64(seed)) })
}

//export backsolve_games_step
func backsolve_games_step(handle C.backsolve_games, actions *C.backsolve_actions, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		return g.Step(array[int32]("actions", actions, uint64(g.Count())))
	})
}

//export backsolve_games_observe
func backsolve_games_observe(handle C.backsolve_games, texts *C.char, width C.size_t, legal, turns *C.uint8_t, results *C.int8_t, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		n := uint64(g.Count())
		return g.Observe(fields(texts, width, g.Count()), array[byte]("legal", legal, n*uint64(g.ActionCount())),
			array[byte]("turns", turns, n), array[int8]("results", results, n))
	})
}

//export backsolve_games_moves
func backsolve_games_moves(handle C.backsolve_games, number C.size_t, texts *C.char, width C.size_t, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		return g.Moves(uint64(number), fields(texts, width, g.ActionCount()))
	})
}

//export backsolve_games_rate
func backsolve_games_rate(handle C.backsolve_games, dir *C.backsolve_text, values, actions *C.backsolve_value, message *C.char, size C.size_t) C.int {
	return play(handle, message, size, func(g *bridge.Games) error {
		notNull("dir", unsafe.Pointer(dir))
		n := uint64(g.Count())
		var moves []bridge.Value
		if actions != nil {
			moves = array[bridge.Value]("actions", actions, n*uint64(g.ActionCount()))
		}
		return g.Rate(text(dir), array[bridge.Value]("values", values, n), moves)
	})
}
