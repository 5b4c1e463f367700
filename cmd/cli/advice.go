package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/sparse"
)

// machineLimits is the memory and disk space of this machine, in bytes or machine.Unknown; tests replace it.
type machineLimits struct {
	memory func() int64
	disk   func(dir string) int64
}

var here = machineLimits{machine.AvailableMemory, machine.FreeDisk}

// Solve is a command line that solves a board.
type Solve struct {
	Board      game.Info
	After, Dir string
	Outcomes   bool // of a game that is defined by its positions
	// Options are those that have flags, with 0 for a number of bytes that is not given.
	solve.Options
}

// newSolve returns the solve of a board, with these cells marked, that makes a table for a directory, possibly on a web server.
func newSolve(board game.Info, taken uint64, dir string) Solve {
	s := Solve{Board: board, After: strings.Join(probe.CellNames(board, taken), ","), Dir: dir}
	if remote.IsURL(dir) {
		s.Dir, s.Packed = probe.DefaultDir(), true
	}
	if taken != 0 {
		s.Keep = solve.KeepTable
	}
	return s
}

func (s Solve) sparse() bool { return s.Board.Variant == "" }

// holding returns the solve of a table of a shape with a number of classes, 0 if that is not known.
func (s Solve) holding(shape tablebase.Shape, classes int) Solve {
	s.Engine.Steps, s.Engine.Nimbers, s.Archive = shape.Steps, shape.Nimbers, shape.Archive
	if !shape.Opening {
		return s
	}
	s.Keep = solve.KeepOpening
	if space, err := s.space(); err == nil && 0 < classes && classes <= space.MaskBits+1 {
		s.OpeningBytes = plan.OpeningBytes(space, classes)
	}
	return s
}

// look adds to the solve what the file of its table says, and reports whether that can be read.
func (s *Solve) look(path string) (known bool) {
	if s.sparse() {
		s.Outcomes, known = sparse.LacksSteps(path)
		return known
	}
	shape, classes, known := reader.Head(path)
	if known {
		*s = s.holding(shape, classes)
	}
	return known
}

// SolveCommand returns the command that makes the table of a file, unpacked.
func SolveCommand(path string) string {
	s, _ := solveOf(path)
	s.look(path)
	s.Dir, s.Packed, s.Archive = probe.DefaultDir(), false, false
	return s.String()
}

// String returns the command line.
func (s Solve) String() string {
	words := []string{Solver, games.Word(s.Board.Name)}
	add := func(given bool, flags ...string) {
		if given {
			words = append(words, flags...)
		}
	}
	keep := string(s.Keep)
	if s.OpeningBytes > 0 && s.OpeningBytes != StandardOpening {
		keep += fmt.Sprintf("=%d", s.OpeningBytes)
	}
	add(!s.sparse(), game.Size(s.Board.Size).String())
	add(s.Engine.Steps, "--steps")
	add(s.Engine.Nimbers, "--grundy")
	add(s.Outcomes, "--outcomes")
	add(s.After != "", "--after", s.After)
	add(s.Packed && !s.Archive && !s.sparse(), "--packed") // another command packs a sparse table
	add(s.Archive, "--packed=archive")
	add(s.Keep != "", "--keep", keep)
	add(s.Engine.DownTo > 0, "--down-to-class", strconv.Itoa(s.Engine.DownTo))
	add(s.Limit.Bytes > 0, MemoryFlag(s.Limit.Bytes))
	add(filepath.Clean(s.Dir) != filepath.Clean(probe.DefaultDir()), "--dir", ShellWord(s.Dir))
	add(s.Force, "--force")
	return strings.Join(words, " ")
}

func (s Solve) space() (*partition.Space, error) {
	rules, err := games.NewGrid(s.Board.Name, s.Board.Size)
	if err != nil {
		return nil, err
	}
	taken := uint64(0)
	if s.After != "" {
		if taken, _, err = game.ParseAfter(rules, s.After); err != nil {
			return nil, err
		}
	}
	return partition.NewAfter(rules, taken)
}

func (r machineLimits) advice(s Solve) (command, obstacle string) {
	if s.sparse() {
		return s.String(), ""
	}
	if s.OpeningBytes > 0 {
		if command = r.openingCommand(s); command == "" {
			obstacle = "it needs more memory or disk than there is"
		}
		return command, obstacle
	}
	space, err := s.space()
	if err != nil {
		return "", err.Error()
	}
	available, free := r.memory(), r.disk(s.Dir)
	o, limit := plan.Options{Steps: s.Engine.Steps, Nimbers: s.Engine.Nimbers, Packed: s.Packed, Archive: s.Archive}, machine.StandardMemory(available)
	p := plan.New(space, o)
	if available != machine.Unknown && p.Memory() > available {
		o.Limit = limit // in shards
		p = plan.New(space, o)
	}
	need, bytes := p.Memory(), p.Disk()
	switch {
	case available != machine.Unknown && need > available:
		return "", fmt.Sprintf("it needs %s of memory, and %s are available", BytesText(need), BytesText(available))
	case free != machine.Unknown && bytes > free:
		return "", fmt.Sprintf("it needs %s, and %s are free in %s", BytesText(bytes), BytesText(free), s.Dir)
	case limit != 0 && need > limit:
		s.Limit.Bytes = need
	}
	return s.String(), ""
}

// openingCommand is the command for a table of the emptiest classes, "" if this machine cannot make one.
func (r machineLimits) openingCommand(s Solve) string {
	s.Keep, s.Packed = solve.KeepOpening, false
	space, err := s.space()
	if err != nil || !partition.GoesOn(s.Board.Name) || s.Engine.Steps || s.Engine.Nimbers {
		return ""
	}
	classes := plan.OpeningClasses(space, s.OpeningBytes)
	if classes == 0 {
		return ""
	}
	p, memory := plan.NewOutOfCore(space, 0, false, classes), machine.StandardMemory(r.memory())
	if memory != 0 && p.Least() > memory {
		return ""
	}
	if free := r.disk(s.Dir); free != machine.Unknown && p.Work(memory).Disk > free {
		p.WorkPacked = true
		if p.Work(memory).Disk > free {
			return ""
		}
	}
	return s.String()
}

// StandardOpening is the default limit, in bytes, of a table of the emptiest classes.
const StandardOpening = 6 << 30

// MemoryFlag returns the --memory flag that allows the given bytes, rounded up to MiB or GiB.
func MemoryFlag(bytes int64) string {
	unit, name := int64(1<<20), "MiB"
	if bytes >= 10<<30 {
		unit, name = 1<<30, "GiB"
	}
	return fmt.Sprintf("--memory %d%s", (bytes+unit-1)/unit, name)
}

// solveOf returns the solve that makes a table file, false if the name does not belong to a table.
func solveOf(path string) (s Solve, ok bool) {
	dir, name := probe.DirOf(path), filepath.Base(path)
	plain, packed := strings.CutSuffix(name, tablebase.PackedSuffix)
	if probe.ParseSparseName(plain) != nil {
		s = newSolve(game.Info{Name: strings.TrimSuffix(plain, probe.FileSuffix)}, 0, dir)
	} else if board, ok := probe.ParseFileName(name); ok {
		s = newSolve(board.Info(), board.Taken(), dir)
		_, s.Engine.Nimbers = probe.NimbersBeside(plain)
	}
	s.Packed = s.Packed || packed
	return s, s.Board.Name != ""
}

// ShellWord quotes a word for a shell if needed.
func ShellWord(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == filepath.Separator || strings.ContainsRune("/.:_-+", r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
