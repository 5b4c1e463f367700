package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"backsolve/cmd/cli"
	"backsolve/game/games"
	"backsolve/internal/player/arena"
)

func readGames(paths []string, keep bool) (*outcome, error) {
	r := &gameReader{outcome: &outcome{Version: cli.Version()}, keep: keep, seen: map[gameID]bool{}}
	for _, path := range paths {
		if err := r.readFile(path); err != nil {
			return nil, cli.Usagef("%s: %w", path, err)
		}
	}
	if r.summary == nil {
		return nil, cli.Usagef("there is no game in %s", paths[0])
	}
	r.outcome.sum(r.summary)
	return r.outcome, nil
}

// gameID tells games apart by the first player and the seeds: none must count twice.
type gameID struct {
	first string
	seeds [2]uint64
}

// gameReader summarizes saved games.
type gameReader struct {
	outcome *outcome
	summary *arena.Summary
	keep    bool
	seen    map[gameID]bool
}

func (r *gameReader) readFile(path string) error {
	f, err := os.Open(path)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return fmt.Errorf("it cannot be read: %w; name a file that lab match --save has written", at.Err)
	}
	defer f.Close()
	line := 0
	for record, err := range arena.ReadRecords(f) {
		if err != nil {
			return err // which names the line
		}
		line++
		if err := r.add(record); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

func (r *gameReader) add(g *arena.Record) error {
	rules, err := games.New(g.Game, g.Size)
	if err != nil {
		return err
	}
	if err := g.Check(rules); err != nil {
		return fmt.Errorf("the game is not one by the rules: %w", err)
	}
	o := r.outcome
	if r.summary == nil {
		o.Game, o.Size, o.TurnLimit = g.Game, g.Size, g.Turns
		r.summary = &arena.Summary{Agents: [2]string{g.First, g.Second}}
	}
	if g.Game != o.Game || g.Size != o.Size || g.Turns != o.TurnLimit {
		return fmt.Errorf("the game is one of %s with a limit of %d turns, the ones before are of %s with %d",
			boardWord(g.Game, g.Size), g.Turns, boardWord(o.Game, o.Size), o.TurnLimit)
	}
	id := gameID{g.First, g.Seeds}
	if r.seen[id] {
		return fmt.Errorf("the game with the seeds %d and %d was there before", g.Seeds[0], g.Seeds[1])
	}
	r.seen[id] = true
	o.keep(g, r.keep)
	return r.summary.Add(g)
}
