package cli

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
	"backsolve/internal/server/catalog"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
)

// sized is a machine with the given memory and disk.
func sized(memory, disk int64) machineLimits {
	return machineLimits{func() int64 { return memory }, func(string) int64 { return disk }}
}

// neededMemory depends on the number of threads.
var neededMemory = regexp.MustCompile(`needs [0-9.]+ [MGT]iB of memory`)

// Each remedy stands on a large machine, and none advises on a small one what would be
// refused there.
func TestRemedies(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(probe.DirVariable, "")
	large, small := sized(1<<34, 1<<38), sized(1<<20, 1<<20)
	info := func(name string, size int) game.Info {
		rules, err := games.New(name, size)
		if err != nil {
			t.Fatal(err)
		}
		return rules.Info()
	}
	missing := func(name string, size int) *probe.MissingError {
		return &probe.MissingError{Board: info(name, size), Dir: "tables"}
	}
	rules, err := games.NewGrid("notakto", 6)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	withoutSteps := sized(1<<34, plan.New(space, plan.Options{}).Disk())
	damaged := func(path string, kind error) error { return &tablebase.Error{Path: path, Err: kind} }
	probetest.Solve(t, ".", probetest.Rules(t, "quixo", 3), 0, true)
	if err := os.Rename("quixo-3x3.tb", "kept-3x3.tb"); err != nil {
		t.Fatal(err)
	}
	tooMuch := &endgame.LimitError{Seconds: 90.5, Bytes: 3 << 30, Limits: endgame.Limits{Timeout: time.Second, Memory: 1 << 30, Concurrency: 2}}
	for _, c := range []struct {
		err  error
		on   machineLimits
		want string
	}{
		{missing("quixo", 4), large, "make it with: tbsolve quixo 4 (add --steps for the steps to the end)"},
		{missing("quixo", 4), small, "this machine cannot make it: it needs N of memory, and 1.0 MiB are available"},
		{missing("quixo", 4), sized(1<<34, 1<<20), "this machine cannot make it: it needs 1.7 MiB, and 1.0 MiB are free in tables"},
		{missing("quixo", 4), sized(machine.Unknown, machine.Unknown), "make it with: tbsolve quixo 4 (add --steps for the steps to the end)"},
		{missing("notakto", 6), withoutSteps, "make it with: tbsolve notakto 6"},
		{missing("notakto", 7), large, "this machine cannot make the whole table (it needs N of memory, and 16 GiB are available); " +
			"make a table of the emptiest classes with: tbsolve notakto 7 --keep opening"},
		{missing("notakto", 7), small, "this machine cannot make it: it needs N of memory, and 1.0 MiB are available"},
		{&probe.MissingError{Board: info("notakto", 3), Dir: "tables", Unfinished: true}, large,
			"resume the solve with: tbsolve notakto 3 and its other flags"},
		{&probe.MissingError{Board: info("notakto", 3), Dir: "tables", After: []string{"a1", "b2,c3"}}, large,
			"make it with: tbsolve notakto 3 (add --steps for the steps to the end); there are tables after given moves: --after a1 or --after b2,c3"},
		{&probe.MissingError{Board: info("notakto", 3), Dir: "my tables", Nimbers: true}, large,
			"make it with: tbsolve notakto 3 --grundy --dir 'my tables'"},
		{&probe.DirError{Dir: "nowhere", Cause: "which does not exist"}, large, "give the directory of the tables with --dir"},
		{&probe.StepsError{Board: info("quixo", 4), Dir: "tables"}, large, "solve it again with: tbsolve quixo 4 --steps --force"},
		{&probe.StepsError{Board: info("quixo", 4), Dir: "tables"}, small,
			"this machine cannot solve it with steps: it needs N of memory, and 1.0 MiB are available"},
		{damaged("tables/quixo-4x4.tb", tablebase.ErrDamaged), large, "solve it again with: tbsolve quixo 4 --force (with --steps, if it had them)"},
		{damaged("tables/quixo-4x4.tb", tablebase.ErrTruncated), small,
			"download it again; this machine cannot solve it: it needs N of memory, and 1.0 MiB are available"},
		{damaged("far/notakto-4x4-grundy.tb.zst", survey.ErrDiffers), large, "solve it again with: tbsolve notakto 4 --grundy --packed --dir far --force"},
		{damaged("kept-3x3.tb.zst", tablebase.ErrDamaged), large, "pack the table again with: tbsolve pack kept-3x3.tb --force"},
		{damaged("copy.tb", tablebase.ErrDamaged), large, "download it again, or solve it again with tbsolve"},
		{damaged("tables/quixo-4x4.tb", tablebase.ErrNewer), large, "use a newer backsolve, or solve it again with: tbsolve quixo 4 --force (with --steps, if it had them)"},
		{damaged("https://example.org/tables/quixo-4x4.tb.zst", tablebase.ErrNewer), large, "use a newer backsolve, or solve it again with: tbsolve quixo 4 --packed --force (with --steps, or --steps --packed=archive, if it had them)"},
		{&tablebase.Error{Path: "tables/quixo-4x4.tb", Err: tablebase.ErrDamaged, Remedy: "put it there again"}, large, ""},
		{damaged("notes.txt", tablebase.ErrForeign), large, "give the path of a .tb file that tbsolve wrote"},
		{damaged("a.tb.partial", tablebase.ErrUnfinished), large, "run the same tbsolve command again to resume it"},
		{damaged("a.tb", tablebase.ErrExists), large, "use it, or overwrite it with --force"},
		{damaged("a.tb.partial", tablebase.ErrOtherSolve), large, "finish that one, or start over with --force"},
		{&retro.MemoryError{Limit: 1 << 20, Need: 1 << 30}, large, "allow it with --memory 1024MiB"},
		{&retro.MemoryError{Limit: 1 << 20, Need: 1 << 30}, small, "this machine has less available: stop other programs, or use a larger machine"},
		{&solve.MemoryError{Need: 16 << 30, Limit: solve.Limit{Available: machine.Unknown}}, large, "--memory 16GiB would suffice"},
		{&solve.MemoryError{Need: 16 << 30, Limit: solve.Limit{Available: 16 << 30}, WithoutSteps: 1 << 30}, large,
			"--memory 16GiB would suffice, and without --steps it takes about 1.0 GiB"},
		{&solve.MemoryError{Need: 16 << 30, Limit: solve.Limit{Available: 16<<30 - 1}}, large,
			"this machine has less available: stop other programs, raise the limit of the control group or ulimit -v, or use a larger machine, and give --memory 16GiB"},
		{&solve.DiskError{}, large, "free some space, or choose another directory with --dir"},
		{&solve.DirError{}, large, "choose another directory with --dir"},
		{&solve.DirError{Remedy: "make that first"}, large, "make that first, or choose another directory with --dir"},
		{&solve.OpeningError{}, large, "give more with --keep opening=SIZE"},
		{solve.ErrResult, large, "remove it, or solve it again with --force"},
		{solve.ErrLeftInCluster, large, "run the same command again"},
		{retro.ErrUnusable, large, "start over with --force"},
		{outofcore.ErrDamaged, large, "start over with --force"},
		{outofcore.ErrOtherSolve, large, "finish that one, or start over with --force"},
		{outofcore.ErrGone, large, "give the same --keep as before, or --keep result to finish without the opening table, or --force to start over"},
		{&catalog.DirError{Dir: "tables", Err: fs.ErrPermission}, large, "make it readable, or give another directory with --dir"},
		{catalog.ErrLink, large, "name the directory that it leads to with another --dir"},
		{fmt.Errorf("nim has %w: %w", partition.ErrNoTables, probe.ErrNoTableNeeded), large, "use tbquery or tbplay"},
		{fmt.Errorf("othello has %w", partition.ErrNoTables), large,
			"tbquery and tbplay can solve positions near the end of the game"},
		{tablebase.OfKind(fmt.Errorf("othello has %w", partition.ErrNoTables), probe.ErrSearchDisabled), large,
			"near the end of the game a search finds the answer: allow it with --think"},
		{tooMuch, large, "allow the search more with --think 1m31s --memory 6144MiB"},
		{tooMuch, small, ""},
		{fmt.Errorf("%w; %w", missing("quixo", 4), tooMuch), large,
			"make it with: tbsolve quixo 4 (add --steps for the steps to the end); or allow the search more with --think 1m31s --memory 6144MiB"},
		{fmt.Errorf("othello has %w; %w", partition.ErrNoTables, tooMuch), small, ""},
		{context.Canceled, large, ""},
	} {
		got := neededMemory.ReplaceAllString(c.on.remedy(fmt.Errorf("line 3: %w", c.err)), "needs N of memory")
		if got != c.want {
			t.Errorf("%v\ngot  %q\nwant %q", c.err, got, c.want)
		}
	}
}

// What is advised stays within what there is, whatever that is: the boundary of memory
// and of disk is that of the solve itself.
func TestAdviceFits(t *testing.T) {
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			rules, ok := game.GridOf(g.New(n))
			if !ok || partition.Solvable(rules.Info()) != nil {
				continue
			}
			space, err := partition.New(rules)
			if err != nil {
				t.Fatal(err)
			}
			for _, steps := range []bool{false, true} {
				o := retro.Options{Steps: steps}
				s := Solve{Board: rules.Info(), Dir: "tables", Options: solve.Options{Engine: o}}
				need, bytes := o.Plan(space).Memory(), o.Plan(space).Disk()
				if _, obstacle := sized(need, bytes).advice(s); obstacle != "" {
					t.Errorf("%v fits and is refused: %s", s, obstacle)
				}
				for _, less := range [][2]int64{{need - 1, bytes}, {need, bytes - 1}} {
					// Where memory is short, classes are solved in parts or in shards.
					o.Memory, o.LogPath = less[0], "log"
					p := o.Plan(space)
					fits := p.Memory() <= less[0] && p.Disk() <= less[1]
					if command, _ := sized(less[0], less[1]).advice(s); (command != "") != fits {
						t.Errorf("%v in %v: fits is %v, advised is %q", s, less, fits, command)
					}
				}
			}
		}
	}
}

// A board that exceeds memory as a whole, but not in shards, is advised.
func TestAdviceInShards(t *testing.T) {
	s := Solve{Board: probetest.Rules(t, "quixo", 5).Info(), Dir: "tables"}
	command, obstacle := sized(7<<30, 60<<30).advice(s)
	if memory.Releases != (obstacle == "") || memory.Releases && command != "tbsolve quixo 5" {
		t.Errorf("%s, %s", command, obstacle)
	}
	if command, _ := sized(1<<30, 60<<30).advice(s); command != "" {
		t.Errorf("too little memory even in shards: %s", command)
	}
}

// saysAll are the errors whose text alone says what to do, or after which nothing can be
// done: for mistakes of callers, or told to other programs.
var saysAll = map[string]string{
	"backsolve.ErrBoard":     "is for users of the library",
	"backsolve.ErrPosition":  "is for users of the library",
	"backsolve.ErrBadTable":  "is for users of the library",
	"jobs.ErrFull":           "says when to try again",
	"jobs.ErrRecord":         "says that the log has the cause",
	"jobs.ErrUnknown":        "says where the jobs are listed",
	"jobs.LimitError":        "says how much the server allows",
	"game.SyntaxError":       "points at what is wrong",
	"game.IllegalMoveError":  "names the move",
	"partition.ErrTooLarge":  "says which sizes can be solved",
	"player.ErrOver":         "the game is over",
	"player.ErrNoSteps":      "comes with a probe.StepsError, or with the policy to choose",
	"arena.UnableError":      "names the agent",
	"ugi.ErrEngine":          "says what the engine did",
	"probe.ErrOutOfTable":    "is a probe.OutOfTableError",
	"probe.ErrNoBoard":       "says which boards there are",
	"probe.ErrAfter":         "says what is wrong with the moves",
	"probe.ErrOtherBoard":    "brings its own remedy",
	"probe.ErrUnknown":       "says what it would take",
	"probe.ErrPosition":      "says what is wrong with the position",
	"probe.ErrBusy":          "says when to try again",
	"survey.ErrNoSuchState":  "there is none",
	"survey.ErrNoSteps":      "is a probe.StepsError",
	"outofcore.ErrBusy":      "says to wait",
	"bitslice.ErrSqueezed":   "is between the work files and their reader",
	"tablebase.Error":        "is about what it wraps",
	"tablebase.ErrBusy":      "brings its own remedy",
	"tablebase.ErrClosed":    "is a mistake of the caller",
	"tablebase.ErrInput":     "says what is not possible",
	"retro.ErrMiscounted":    "a part is settled again",
	"cluster.ErrFaulty":      "says what to check",
	"cluster.ErrWorkersLost": "says what to check",
	"cluster.ErrStopped":     "was asked for",
	"cluster.ErrUnfinished":  "is told in a note with its remedy",
	"cluster.ErrReplaced":    "the other one goes on",
	"outofcore.RemakeError":  "is handled by SolveBy",
	"cluster.ErrIdle":        "there is nothing to do",
	"cluster.ErrVersion":     "says to install the same version",
	"cluster.ErrByteOrder":   "that machine cannot help",
	"store.ErrNotFound":      "names what is not there",
	"store.ErrDamaged":       "what is damaged is made again",
	"store.ErrName":          "is a mistake of the caller",
	"store.ErrFull":          "says to make room",
	"backsolve.ErrUnreached": "is for users of the library",
	"generic.ErrMemory":      "is for users of the library",
	"generic.ErrRules":       "is for users of the library",
	"generic.ErrTooLong":     "is for users of the library",
	"generic.ErrExists":      "is for users of the library",
	"generic.ErrWork":        "is for users of the library",
	"sparse.ErrState":        "is for users of the library",
	"format.ErrHeader":       "becomes a tablebase.Error",
	"format.ErrDirectory":    "becomes a tablebase.Error",
	"format.ErrSeekTable":    "becomes a tablebase.Error",
	"format.ErrPadding":      "becomes a tablebase.Error",
	"format.ErrUnderivable":  "becomes a tablebase.Error",
	"format.PartError":       "becomes a tablebase.Error",
	"remote.ErrNoRanges":     "brings its own remedy",
	"remote.ErrChanged":      "brings its own remedy",
	"remote.ErrAnswer":       "brings its own remedy",
	"remote.ErrSum":          "brings its own remedy",
}

// Each error of the libraries with a type or a value of its own has a remedy, or a reason
// why it needs none.
func TestEveryErrorHasRemedy(t *testing.T) {
	has := map[string]bool{}
	for _, table := range []string{"remedies.go", filepath.Join("..", "..", "cluster", "cmd", "tbcluster", "main.go")} {
		remedies, err := parser.ParseFile(token.NewFileSet(), table, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(remedies, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok {
					has[of.Name+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	found := map[string]bool{}
	eachLibraryFile(t, func(path string, file *ast.File) {
		for _, name := range exportedErrors(file) {
			name = file.Name.Name + "." + name
			found[name] = true
			if !has[name] && saysAll[name] == "" && !strings.Contains(path, "internal") {
				t.Errorf("%s: %s has no remedy", path, name)
			}
		}
	})
	for name := range saysAll {
		if !found[name] {
			t.Errorf("there is no %s any more", name)
		}
	}
}

// exportedErrors returns the names of the errors that a file declares for other packages.
func exportedErrors(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && strings.HasSuffix(s.Name.Name, "Error") {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if g.Tok == token.VAR && strings.HasPrefix(n.Name, "Err") {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// commandLine is what only programs may say: the name of one of ours, or a flag.
var commandLine = regexp.MustCompile(`\btb(solve|query|serve|play|cluster)\b|(^|[^\w-])--[a-z]`)

// No text of the libraries names a command or a flag of ours: who uses them may have
// neither.
func TestLibrariesSpeakNoCommandLines(t *testing.T) {
	for text, names := range map[string]bool{
		"solve it again with tbsolve": true, "give --dir": true, "--force": true, "(--force)": true, "by --keep result": true,
		"notakto-3x3-grundy": false, "a--b": false, "tables": false, "a -- b": false,
	} {
		if commandLine.MatchString(text) != names {
			t.Errorf("%q: %v", text, !names)
		}
	}
	files := 0
	eachLibraryFile(t, func(path string, file *ast.File) {
		files++
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if ok && strings.HasPrefix(path, "internal/server/jobs/") && strings.HasPrefix(text.Value, `"--`) {
				return true // an argument of the solver that it runs
			}
			if ok && text.Kind == token.STRING && commandLine.MatchString(text.Value) {
				t.Errorf("%s names a command or a flag: %s", path, text.Value)
			}
			return true
		})
	})
	if files < 200 {
		t.Errorf("only %d files were read", files)
	}
}

// eachLibraryFile parses the files of the packages that are no programs.
func eachLibraryFile(t *testing.T, do func(path string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			switch name {
			case "cmd", "tools", "research", "mcp", filepath.Join("cluster", "cmd"), filepath.Join("internal", "server", "api"):
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			do(name, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The sentence is the error and its remedy.
func TestSentence(t *testing.T) {
	err := &tablebase.Error{Path: "a.tb", Err: tablebase.ErrExists}
	if got, want := Sentence(err), "a.tb: the table exists already; use it, or overwrite it with --force"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Sentence(errors.New("it failed")); got != "it failed" {
		t.Errorf("%q", got)
	}
}
