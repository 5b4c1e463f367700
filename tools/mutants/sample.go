package main

import (
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

// target is a package that is changed, with the packages below it.
type target struct {
	pkg   string
	tests []string // patterns of packages whose tests judge; none: those of the changed file's own package
}

// usual are the packages that are taken where none is named: all results depend on them.
var usual = []string{"bitboard", "bitslice", "game", "partition", "probe", "retro", "search", "tablebase"}

// parseTargets reads arguments like bitslice or bitslice=./bitslice,./retro; where
// there are none, the usual packages are meant.
func parseTargets(args []string) ([]target, error) {
	if len(args) == 0 {
		args = usual
	}
	var all []target
	for _, arg := range args {
		pkg, tests, given := strings.Cut(arg, "=")
		t := target{pkg: filepath.ToSlash(filepath.Clean(pkg))}
		if given {
			t.tests = strings.Split(tests, ",")
		}
		if t.pkg == "." || strings.HasPrefix(t.pkg, "..") || slices.Contains(t.tests, "") {
			return nil, fmt.Errorf("%q names no package and its tests; write it like bitslice or bitslice=./bitslice,./retro", arg)
		}
		all = append(all, t)
	}
	return all, nil
}

// sample draws n mutants of the packages. It divides their list, in the order of the files,
// into n equal intervals and draws one from each, so every package and file has its share.
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
	n = min(n, len(all))
	drawn := make([]mutant, n)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range drawn {
		from, to := i*len(all)/n, (i+1)*len(all)/n
		drawn[i] = all[from+r.IntN(to-from)]
	}
	return drawn, nil
}

// filesOf returns the files of a package that are built here, and those of the
// packages below it, without tests.
func filesOf(root, pkg string) (files []string, err error) {
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(pkg)), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
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

// key identifies a mutant, also among those of other versions of the code.
func (m *mutant) key(source []byte) string {
	sum := sha256.Sum256(source)
	return fmt.Sprintf("%s@%s:%d-%d %s", m.File, hex.EncodeToString(sum[:6]), m.from, m.to, m.Change)
}
