package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
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

// advised is a solve that a hint may suggest.
type advised struct {
	board           game.Info
	taken           uint64 // the cells marked at the start
	dir             string // of the table, possibly on a web server
	steps, nimbers  bool
	packed, archive bool
	opening         int64 // bytes of a table of the emptiest classes, −1 if not known; 0 for a whole one
	sparse          bool
	outcomes        bool // of a game by its positions: without steps
}

// holding returns the solve of a table of a shape with a number of classes, 0 if that is not known.
func (s advised) holding(shape tablebase.Shape, classes int) advised {
	s.steps, s.nimbers, s.archive = shape.Steps, shape.Nimbers, shape.Archive
	if !shape.Opening {
		return s
	}
	s.opening = -1
	if space, err := s.space(); err == nil && 0 < classes && classes <= space.MaskBits+1 {
		s.opening = plan.OpeningBytes(space, classes)
	}
	return s
}

// look completes the solve by the file of its table, and reports whether that can be read.
func (s *advised) look(path string) (known bool) {
	if s.sparse {
		s.outcomes, known = sparse.LacksSteps(path)
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
	s.dir, s.packed, s.archive = probe.DefaultDir(), false, false
	return s.command(s.tableFlags()...)
}

func (s advised) writeDir() string {
	if remote.IsURL(s.dir) {
		return probe.DefaultDir()
	}
	return s.dir
}

func (s advised) command(flags ...string) string {
	words := append([]string{"tbsolve", s.board.Name, game.Size(s.board.Size).String()}, flags...)
	if s.sparse {
		words = []string{Solver, games.Word(s.board.Name)}
	}
	if s.taken != 0 {
		words = append(words, "--after", strings.Join(probe.CellNames(s.board, s.taken), ","))
	}
	if s.nimbers {
		words = append(words, "--grundy")
	}
	switch {
	case s.sparse: // a command of its own packs it
	case s.archive:
		words = append(words, "--packed=archive")
	case s.packed || remote.IsURL(s.dir):
		words = append(words, "--packed")
	}
	if dir := s.writeDir(); filepath.Clean(dir) != filepath.Clean(probe.DefaultDir()) {
		words = append(words, "--dir", ShellWord(dir))
	}
	if s.steps {
		words = append(words, "--steps")
	}
	if s.outcomes {
		words = append(words, "--outcomes")
	}
	return strings.Join(words, " ")
}

func (s advised) tableFlags() []string {
	switch {
	case s.opening > 0 && s.opening != StandardOpening:
		return []string{"--keep", fmt.Sprintf("opening=%d", s.opening)}
	case s.opening != 0:
		return []string{"--keep", "opening"}
	case s.taken != 0:
		return []string{"--keep", "table"}
	}
	return nil
}

func (s advised) space() (*partition.Space, error) {
	rules, err := games.NewGrid(s.board.Name, s.board.Size)
	if err != nil {
		return nil, err
	}
	return partition.NewAfter(rules, s.taken)
}

func (r machineLimits) advice(s advised) (command, obstacle string) {
	if s.sparse {
		return s.command(), ""
	}
	if s.opening > 0 {
		if command = r.openingCommand(s); command == "" {
			obstacle = "it needs more memory or disk than there is"
		}
		return command, obstacle
	}
	space, err := s.space()
	if err != nil {
		return "", err.Error()
	}
	flags := s.tableFlags()
	available, free := r.memory(), r.disk(s.writeDir())
	o, limit := plan.Options{Steps: s.steps, Nimbers: s.nimbers, Packed: s.packed || remote.IsURL(s.dir), Archive: s.archive}, machine.StandardMemory(available)
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
		return "", fmt.Sprintf("it needs %s, and %s are free in %s", BytesText(bytes), BytesText(free), s.writeDir())
	case limit != 0 && need > limit:
		flags = append(flags, MemoryFlag(need))
	}
	return s.command(flags...), ""
}

// openingCommand is command for a table of the emptiest classes, "" if this machine cannot make one.
func (r machineLimits) openingCommand(s advised) string {
	space, err := s.space()
	if err != nil || !partition.GoesOn(s.board.Name) || s.steps || s.nimbers {
		return ""
	}
	classes := plan.OpeningClasses(space, s.opening)
	if classes == 0 {
		return ""
	}
	p, memory := plan.NewOutOfCore(space, 0, false, classes), machine.StandardMemory(r.memory())
	if memory != 0 && p.Least() > memory {
		return ""
	}
	if free := r.disk(s.writeDir()); free != machine.Unknown && p.Work(memory).Disk > free {
		p.WorkPacked = true
		if p.Work(memory).Disk > free {
			return ""
		}
	}
	s.packed = false
	return s.command(s.tableFlags()...)
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
func solveOf(path string) (s advised, ok bool) {
	dir, name := probe.DirOf(path), filepath.Base(path)
	plain, packed := strings.CutSuffix(name, tablebase.PackedSuffix)
	if own := strings.TrimSuffix(plain, probe.FileSuffix); probe.ParseSparseName(plain) != nil {
		return advised{board: game.Info{Name: own}, dir: dir, sparse: true, packed: packed}, true
	}
	board, ok := probe.ParseFileName(name)
	if !ok {
		return s, false
	}
	_, nimbers := probe.NimbersBeside(plain)
	return advised{board: board.Info(), taken: board.Taken(), dir: dir, nimbers: nimbers, packed: packed}, true
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
