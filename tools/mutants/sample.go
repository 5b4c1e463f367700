package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// target is a package that is changed, with those whose tests should find that.
type target struct {
	pkg   string
	tests []string // patterns of packages, in the order in which they are run
}

// usual are the packages whose results everything depends on.
var usual = []target{
	{"bitboard", []string{"./bitboard", "./game/...", "./partition"}},
	{"bitslice", []string{"./bitslice", "./partition", "./retro"}},
	{"partition", []string{"./partition", "./retro", "./probe/..."}},
	{"game", []string{"./game/...", "./probe/..."}},
	{"tablebase", []string{"./tablebase", "./retro", "./probe/..."}},
	{"probe", []string{"./probe/..."}},
	{"retro", []string{"./retro/..."}},
}

// parseTargets reads arguments like bitslice or bitslice=./bitslice,./retro; where
// there are none, the usual targets are meant.
func parseTargets(args []string) ([]target, error) {
	if len(args) == 0 {
		return usual, nil
	}
	var all []target
	for _, arg := range args {
		pkg, tests, given := strings.Cut(arg, "=")
		pkg = filepath.ToSlash(filepath.Clean(pkg))
		t := target{pkg, []string{"./" + pkg}}
		if i := slices.IndexFunc(usual, func(u target) bool { return u.pkg == pkg }); i >= 0 {
			t = usual[i]
		}
		if given {
			t.tests = strings.Split(tests, ",")
		}
		if pkg == "." || strings.HasPrefix(pkg, "..") || slices.Contains(t.tests, "") {
			return nil, fmt.Errorf("%q names no package and its tests; write it like bitslice or bitslice=./bitslice,./retro", arg)
		}
		all = append(all, t)
	}
	return all, nil
}

// sample draws so many mutants of the packages, each place as likely as any other.
// The same seed and code give the same mutants.
func sample(root string, targets []target, seed uint64, n int) ([]mutant, error) {
	var all []mutant
	for _, t := range targets {
		files, err := filesOf(root, t.pkg)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			ms, err := mutantsOf(t.pkg, f, filepath.Join(root, filepath.FromSlash(f)))
			if err != nil {
				return nil, err
			}
			all = append(all, ms...)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	drawn := all[:min(n, len(all))]
	slices.SortStableFunc(drawn, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.from, b.from))
	})
	return drawn, nil
}

// filesOf returns the files of a package that are built here, and those of the
// packages below it, without tests.
func filesOf(root, pkg string) (files []string, err error) {
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(pkg)), func(path string, d os.DirEntry, err error) error {
		switch name := d; {
		case err != nil:
			return err
		case name.IsDir():
			if name.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		if built, err := build.Default.MatchFile(filepath.Dir(path), filepath.Base(path)); err != nil || !built {
			return err
		}
		below, err := filepath.Rel(root, path)
		files = append(files, filepath.ToSlash(below))
		return err
	})
	return files, err
}

// key tells a mutant from all others, of other states of the code as well.
func (m *mutant) key(source []byte) string {
	sum := sha256.Sum256(source)
	return fmt.Sprintf("%s@%s:%d-%d %s", m.File, hex.EncodeToString(sum[:6]), m.from, m.to, m.Change)
}
