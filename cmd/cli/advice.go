package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// room is what this machine has for a solve, in bytes or machine.Unknown. Tests put
// another machine in its place.
type room struct {
	memory func() int64
	disk   func(dir string) int64
}

var here = room{machine.AvailableMemory, machine.FreeDisk}

// advised is a solve that a message may advise.
type advised struct {
	board          game.Info
	taken          uint64 // the cells that are marked from the start
	dir            string // of the table, or its address
	steps, nimbers bool
	packed         bool
}

// writeDir is the directory that the solve writes to: what is on a web server is made
// here and put there.
func (s advised) writeDir() string {
	if remote.IsURL(s.dir) {
		return probe.DefaultDir()
	}
	return s.dir
}

// command returns the command line of the solve with flags before its directory.
func (s advised) command(flags ...string) string {
	words := append([]string{"tbsolve", s.board.Name, fmt.Sprint(s.board.Size)}, flags...)
	if s.taken != 0 {
		words = append(words, "--after", strings.Join(probe.CellNames(s.board, s.taken), ","))
	}
	if s.nimbers {
		words = append(words, "--grundy")
	}
	if s.packed || remote.IsURL(s.dir) {
		words = append(words, "--packed")
	}
	if dir := s.writeDir(); filepath.Clean(dir) != filepath.Clean(probe.DefaultDir()) {
		words = append(words, "--dir", shellWord(dir))
	}
	if s.steps {
		words = append(words, "--steps")
	}
	return strings.Join(words, " ")
}

// tableFlags are the flags without which a game after given moves may keep no table.
func (s advised) tableFlags() []string {
	if s.taken != 0 {
		return []string{"--keep", "table"}
	}
	return nil
}

// advice returns the command line that makes the table of a solve on this machine, or
// where there is none, "" and what stands in the way.
func (r room) advice(s advised) (command, obstacle string) {
	rules, err := games.NewGrid(s.board.Name, s.board.Size)
	if err != nil {
		return "", err.Error()
	}
	space, err := partition.NewAfter(rules, s.taken)
	if err != nil {
		return "", err.Error()
	}
	flags := s.tableFlags()
	available, free := r.memory(), r.disk(s.writeDir())
	o := retro.Options{Steps: s.steps, Nimbers: s.nimbers, Threads: runtime.GOMAXPROCS(0), Memory: machine.StandardMemory(available)}
	p := o.Plan(space)
	need, bytes := p.Memory(), p.Disk(s.packed || remote.IsURL(s.dir))
	switch {
	case available != machine.Unknown && need > available:
		obstacle = fmt.Sprintf("it needs %s of memory, and %s are available", humanize.IBytes(uint64(need)), humanize.IBytes(uint64(available)))
	case free != machine.Unknown && bytes > free:
		obstacle = fmt.Sprintf("it needs %s, and %s are free in %s", humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(free)), s.writeDir())
	case o.Memory != 0 && need > o.Memory:
		flags = append(flags, MemoryFlag(need))
	}
	if obstacle != "" {
		return "", obstacle
	}
	return s.command(flags...), ""
}

// opening is advice for the table of the emptiest classes alone, "" where this machine
// cannot make one either.
func (r room) opening(s advised) string {
	rules, err := games.NewGrid(s.board.Name, s.board.Size)
	if err != nil || !partition.GoesOn(s.board.Name) || s.steps || s.nimbers {
		return ""
	}
	space, err := partition.NewAfter(rules, s.taken)
	if err != nil {
		return ""
	}
	classes := plan.OpeningClasses(space, StandardOpening)
	if classes == 0 {
		return ""
	}
	p, memory := plan.NewOutOfCore(space, 0, false, classes), machine.StandardMemory(r.memory())
	if memory != 0 && p.Least() > memory {
		return ""
	}
	if free := r.disk(s.writeDir()); free != machine.Unknown && p.Work(memory).Disk > free {
		p.Packed = true
		if p.Work(memory).Disk > free {
			return ""
		}
	}
	s.packed = false
	return s.command("--keep", "opening")
}

// StandardOpening is how many bytes the table of the emptiest classes has at most, unless
// another size is asked for.
const StandardOpening = 6 << 30

// MemoryFlag writes the --memory flag that allows so many bytes, rounded up to
// whole MiB or GiB.
func MemoryFlag(bytes int64) string {
	unit, name := int64(1<<20), "MiB"
	if bytes >= 10<<30 {
		unit, name = 1<<30, "GiB"
	}
	return fmt.Sprintf("--memory %d%s", (bytes+unit-1)/unit, name)
}

// solveOf returns the solve that makes the table with the name of a file; false where the
// name is none of a table's.
func solveOf(path string) (s advised, ok bool) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if remote.IsURL(path) {
		dir = path[:strings.LastIndexByte(path, '/')] // an address is not cleaned
	}
	board, ok := probe.ParseFileName(name)
	if !ok {
		return s, false
	}
	plain, packed := strings.CutSuffix(name, tablebase.PackedSuffix)
	_, nimbers := probe.NimbersBeside(plain)
	return advised{board: board.Info(), taken: board.Taken(), dir: dir, nimbers: nimbers, packed: packed}, true
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == filepath.Separator || strings.ContainsRune("/.:_-+", r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
