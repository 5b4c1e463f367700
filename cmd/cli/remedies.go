package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
	"backsolve/internal/probe/survey"
	"backsolve/internal/server/catalog"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// Sentence returns the text of an error with a hint for the user of a command line.
func Sentence(err error) string {
	text := err.Error()
	if remedy := Remedy(err); remedy != "" {
		text += "; " + remedy
	}
	return text
}

// Remedy returns what the user of a command line can do about an error, "" if that is not known.
func Remedy(err error) string { return here.remedy(err) }

func (r machineLimits) remedy(err error) (text string) {
	for _, says := range remedies {
		if text = says(r, err); text != "" {
			break
		}
	}
	search := onType(allowSearch)(r, err)
	if text != "" && search != "" {
		text += "; or "
	}
	return text + search
}

// rule returns what the user can do about an error on this machine, "" if it does not apply.
type rule func(r machineLimits, err error) string

// remedies are for errors of the libraries, which know no command lines. None suggests a solve that would be refused.
var remedies = []rule{
	onType(func(_ machineLimits, e *RefusedError) string {
		if len(e.Others) == 0 {
			return ""
		}
		return "this machine can do: " + strings.Join(e.Others, "; or: ")
	}),
	onType(nameDir),
	onType(makeWhole),
	onType(makeTable),
	onType(addSteps),
	onType(allowMemory),
	onType(allowSolve),
	onType(func(machineLimits, *solve.DiskError) string {
		return "free some space, or choose another directory with --dir"
	}),
	onType(func(_ machineLimits, e *solve.DirError) string {
		if e.Remedy == "" {
			return "choose another directory with --dir"
		}
		return e.Remedy + ", or choose another directory with --dir"
	}),
	onType(func(machineLimits, *solve.OpeningError) string { return "give more with --keep opening=SIZE" }),
	onValue(solve.ErrResult, "remove it, or solve it again with --force"),
	onValue(solve.ErrInTheWay, "remove it, or overwrite it with --force"),
	onTableAt(solve.ErrUnpacked, func(_ machineLimits, path string) string { return "pack it with: tbsolve pack " + ShellWord(path) }),
	onTableAt(solve.ErrUnarchived, func(_ machineLimits, path string) string {
		return "pack it with: tbsolve pack " + ShellWord(path) + " --archive"
	}),
	onValue(solve.ErrLeftInCluster, "run the same command again"),
	onType(func(machineLimits, *catalog.DirError) string {
		return "make it readable, or give another directory with --dir"
	}),
	onValue(catalog.ErrLink, "name the directory that it leads to with another --dir"),

	onValue(probe.ErrSearchDisabled, "near the end of the game a search finds the answer: allow it with --think"),
	onValue(probe.ErrNoTableNeeded, "use tbquery or tbplay"),
	func(_ machineLimits, err error) string {
		if !errors.Is(err, partition.ErrNoTables) || errors.Is(err, probe.ErrUnknown) { // a search was made
			return ""
		}
		return "tbquery and tbplay can solve positions near the end of the game"
	},

	onTableAt(tablebase.ErrUnfinished, func(_ machineLimits, path string) string {
		return resume(path, "resume it with: %s", "run the same tbsolve command again to resume it")
	}),
	onTable(tablebase.ErrSparse, "use tbsolve and tbquery, or the program that made it"),
	onTable(tablebase.ErrForeign, "give the path of a .tb file that tbsolve wrote"),
	onTable(tablebase.ErrExists, "use it, or overwrite it with --force"),
	onTableAt(tablebase.ErrOtherSolve, func(_ machineLimits, path string) string {
		return resume(path, "finish that one with: %s", "finish that one") + ", or start over with --force"
	}),
	onUnusable(tablebase.ErrNewer, "use a newer backsolve, or "),
	onUnusable(tablebase.ErrTruncated, ""),
	onUnusable(tablebase.ErrDamaged, ""),
	onUnusable(survey.ErrDiffers, ""),

	onValue(retro.ErrUnusable, "start over with --force"),
	onValue(outofcore.ErrDamaged, "start over with --force"),
	onValue(outofcore.ErrOtherSolve, "finish that one, or start over with --force"),
	onValue(outofcore.ErrGone, "give the same --keep as before, or --keep result to finish without the opening table, or --force to start over"),
}

// AddRemedy adds a rule for errors that wrap a value. Call it before Main.
func AddRemedy(kind error, text string) { remedies = append(remedies, onValue(kind, text)) }

func onValue(kind error, text string) rule {
	return func(_ machineLimits, err error) string {
		if errors.Is(err, kind) {
			return text
		}
		return ""
	}
}

func onType[E error](words func(machineLimits, E) string) rule {
	return func(r machineLimits, err error) string {
		if e, ok := errors.AsType[E](err); ok {
			return words(r, e)
		}
		return ""
	}
}

// onTable is the rule for errors of a file that wrap a value and have no remedy.
func onTable(kind error, text string) rule {
	return onTableAt(kind, func(machineLimits, string) string { return text })
}

func onUnusable(kind error, before string) rule {
	return onTableAt(kind, func(r machineLimits, path string) string { return before + r.makeAgain(path) })
}

func onTableAt(kind error, words func(r machineLimits, path string) string) rule {
	return onType(func(r machineLimits, e *tablebase.Error) string {
		if e.Remedy != "" || !errors.Is(e, kind) {
			return ""
		}
		return words(r, e.Path)
	})
}

func (r machineLimits) makeAgain(path string) string {
	s, ok := solveOf(path)
	if plain, packed := strings.CutSuffix(path, tablebase.PackedSuffix); packed && isFile(plain) {
		held, _, known := reader.Head(path)
		held.Archive = false
		if unpacked, _, whole := reader.Head(plain); ok && s.sparse() || whole && (!known || unpacked == held) {
			return PackCommand(plain)
		}
	}
	if !ok {
		return "download it again, or solve it again with tbsolve"
	}
	known := s.look(path)
	if _, obstacle := r.advice(s); obstacle != "" {
		return "download it again; this machine cannot solve it: " + obstacle
	}
	text := r.byForce(s, "solve it again with: ", "")
	switch {
	case known || s.Engine.Nimbers:
	case s.sparse():
		text += " (with --outcomes, if it had no steps)"
	case s.Packed:
		text += " (with --steps, or --steps --packed=archive, if it had them)"
	default:
		text += " (with --steps, if it had them)"
	}
	if s.sparse() && s.Packed {
		text += ", and pack it again"
	}
	return text
}

// PackCommand says how to pack a table again beside it.
func PackCommand(plain string) string {
	flags := " --force"
	if held, _, _ := reader.Head(plain + tablebase.PackedSuffix); held.Archive {
		flags = " --archive --force"
	}
	return "pack the table again with: " + Solver + " pack " + ShellWord(plain) + flags
}

// resume formats the command line that resumes the solve that left a file, and returns other if it is not known.
func resume(path, format, other string) string {
	path = strings.TrimSuffix(strings.TrimSuffix(path, tablebase.PartialSuffix), tablebase.ManifestSuffix)
	s, ok := solveOf(path)
	left, err := writer.FindUnfinished(path)
	if !ok || err != nil {
		return other
	}
	s = s.holding(left.Shape, 0)
	if format = fmt.Sprintf(format, s); s.Keep == solve.KeepOpening {
		format += " (and its size, if it had one)"
	}
	return format
}

// ResumeByForce says how to resume, beside a finished table, the interrupted solve that left a file.
func ResumeByForce(path string) string {
	return resume(path, "resume it with: %s --force", "the same command with --force resumes it")
}

func nameDir(_ machineLimits, e *probe.DirError) string {
	if e.Dir == os.Getenv(probe.DirVariable) {
		return fmt.Sprintf("correct $%s, or give the directory of the tables with --dir", probe.DirVariable)
	}
	return "give the directory of the tables with --dir"
}

// Solver is the program whose commands hints name.
var Solver = "tbsolve"

func makeTable(r machineLimits, e *probe.MissingError) string {
	s := newSolve(e.Board, e.Taken, e.Dir)
	if s.Engine.Nimbers = e.Nimbers; s.sparse() {
		return "make it with: " + s.String()
	}
	text := r.howToMake(s)
	if e.Unfinished {
		text = "resume the solve with: " + unfinished(e, s.String()+" and its other flags")
	}
	if e.After != nil {
		text += "; there are tables after given moves: --after " + strings.Join(e.After, " or --after ")
	}
	return text
}

func unfinished(e *probe.MissingError, other string) string {
	path := filepath.Join(e.Dir, probe.FileNameAfter(e.Board, e.Taken))
	if e.Nimbers {
		path = filepath.Join(e.Dir, probe.NimbersFileName(e.Board))
	}
	if _, err := writer.FindUnfinished(path); err != nil {
		path += tablebase.PackedSuffix
	}
	return resume(path, "%s", other)
}

func (r machineLimits) howToMake(s Solve) string {
	command, obstacle := r.advice(s)
	if obstacle != "" {
		s.OpeningBytes = StandardOpening
		if opening := r.openingCommand(s); opening != "" {
			return fmt.Sprintf("this machine cannot make the whole table (%s); make a table of the emptiest classes with: %s", obstacle, opening)
		}
		return "this machine cannot make it: " + obstacle
	}
	text := "make it with: " + command
	if s.Engine.Steps = true; !s.Engine.Nimbers {
		if _, obstacle := r.advice(s); obstacle == "" {
			text += " (add --steps for the steps to the end)"
		}
	}
	return text
}

func makeWhole(r machineLimits, e *probe.OutOfTableError) string {
	return r.byForce(newSolve(e.Missing.Board, e.Missing.Taken, e.Missing.Dir), "make the whole table with: ", "this machine cannot make the whole table: ")
}

func addSteps(r machineLimits, e *probe.StepsError) string {
	s := newSolve(e.Board, e.Taken, e.Dir)
	s.Engine.Steps = !s.sparse() // which has them by default
	plain := filepath.Join(e.Dir, probe.FileNameAfter(e.Board, e.Taken))
	s.Packed = s.Packed || !isFile(plain) && isFile(plain+tablebase.PackedSuffix)
	return r.byForce(s, "solve it again with: ", "this machine cannot solve it with steps: ")
}

// byForce returns the command line that replaces a table, or why this machine cannot.
func (r machineLimits) byForce(s Solve, do, cannot string) string {
	s.Force = true
	command, obstacle := r.advice(s)
	if obstacle != "" {
		return cannot + obstacle
	}
	return do + command
}

func allowMemory(r machineLimits, e *retro.MemoryError) string {
	if available := r.memory(); available != machine.Unknown && e.Need > available {
		return "this machine has less available: stop other programs, or use a larger machine"
	}
	return "allow it with " + MemoryFlag(e.Need)
}

func allowSolve(_ machineLimits, e *solve.MemoryError) string {
	text := MemoryFlag(e.Need) + " would suffice"
	if e.Limit.Available != machine.Unknown && e.Need > e.Limit.Available {
		text = "this machine has less available: stop other programs, raise the limit of the control group or ulimit -v, or use a larger machine, and give " + MemoryFlag(e.Need)
	}
	if e.WithoutSteps > 0 {
		text += ", and without --steps it takes about " + BytesText(e.WithoutSteps)
	}
	return text
}

const longestThink = 24 * time.Hour

// allowSearch is about a search that exceeds its limits, "" if it exceeds this machine.
func allowSearch(r machineLimits, e *endgame.LimitError) string {
	atOnce := int64(max(e.Limits.Concurrency, 1))
	available := r.memory()
	switch {
	case e.Seconds > longestThink.Seconds(), e.Disk > e.Limits.Disk:
		return ""
	case e.ExceedsMemory() && (e.Bytes > math.MaxInt64/atOnce || available != machine.Unknown && e.Bytes*atOnce > available):
		return ""
	}
	var flags []string
	if e.ExceedsTime() {
		flags = append(flags, "--think "+(time.Duration(math.Ceil(e.Seconds))*time.Second).String())
	}
	if e.ExceedsMemory() {
		flags = append(flags, MemoryFlag(e.Bytes*atOnce))
	}
	return "allow the search more with " + strings.Join(flags, " ")
}
