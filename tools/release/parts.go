package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// part is a module that is compiled into programs.
type part struct {
	path, version, sum string
	programs           []string
	licenses           []string // by the names of SPDX
	texts              [][]byte
}

// library is the part that is Go's own library.
const library = "std"

// partsOf returns the names of all programs below a directory, for whatever platform, and of the C
// library, and what is in them, in the order of the names. What counts is what the compiler has
// written into them.
func partsOf(work string) (names []string, parts []part, err error) {
	found := map[string]*part{}
	programs, _ := fs.Glob(os.DirFS(work), "tree/*/bin/*") // the patterns are right
	libraries, _ := fs.Glob(os.DirFS(work), "library/*/*")
	for _, path := range append(programs, libraries...) {
		info, err := buildinfo.ReadFile(filepath.Join(work, path))
		if err != nil {
			return nil, nil, err
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		collect(found, name, info)
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	goRoot, modules, err := goDirs()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range found {
		dir := goRoot
		if p.path != library {
			escaped, err1 := module.EscapePath(p.path)
			number, err2 := module.EscapeVersion(p.version)
			err = errors.Join(err, err1, err2)
			dir = filepath.Join(modules, filepath.FromSlash(escaped)+"@"+number)
		}
		err = errors.Join(err, p.readLicenses(dir))
		slices.Sort(p.programs)
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.version, b.version))
	})
	return names, parts, err
}

// collect adds what a program is made of, other than modules of this repository.
func collect(found map[string]*part, program string, info *debug.BuildInfo) {
	add := func(path, version, sum string) {
		p := found[path+"@"+version]
		if p == nil {
			p = &part{path: path, version: version, sum: sum}
			found[path+"@"+version] = p
		}
		if !slices.Contains(p.programs, program) {
			p.programs = append(p.programs, program)
		}
	}
	add(library, strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if modfile.IsDirectoryPath(m.Path) {
			continue // it is of this repository
		}
		add(m.Path, m.Version, m.Sum)
	}
}

// goDirs returns where Go itself and the modules lie.
func goDirs() (goRoot, modules string, err error) {
	out, err := exec.Command(cmp.Or(os.Getenv("GO"), "go"), "env", "GOROOT", "GOMODCACHE").Output()
	goRoot, modules, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(goRoot), strings.TrimSpace(modules), err
}

// licenseName is what files with licenses, and notices that must go along, are called.
var licenseName = regexp.MustCompile(`(?i)^((?:un)?licen[cs]e|copying|notice|patents)([.-].*)?$`)

// readLicenses reads the files of a module that say under which licenses it stands.
func (p *part) readLicenses(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the licenses of %s: %w", p.path, err)
	}
	known := map[string]bool{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		p.texts = append(p.texts, text)
		for _, m := range licensecheck.Scan(text).Match {
			// What Google grants of its patents goes along, but is no license of SPDX.
			if !m.IsURL && !strings.HasPrefix(m.ID, "GooglePatent") {
				known[m.ID] = true
			}
		}
	}
	if len(known) == 0 {
		return fmt.Errorf("%s %s has no license that is known; look into %s", p.path, p.version, dir)
	}
	p.licenses = slices.Sorted(maps.Keys(known))
	return nil
}

// font is that of the page, which is no module.
var font = part{path: "the page's font,", version: "Young Serif", licenses: []string{"OFL-1.1"}}

// licenseTexts returns the notices that must accompany the programs, with that of the page's
// font. root is the directory of the repository.
func licenseTexts(root string, parts []part) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, "internal", "server", "page", "src", "display.LICENSE.txt"))
	if err != nil {
		return nil, err
	}
	withFont := font
	withFont.texts = [][]byte{text}
	parts = append(parts, withFont)
	var b bytes.Buffer
	b.WriteString("The programs contain the following, each under the license that is printed below it.\n")
	for _, p := range parts {
		name := p.path
		if name == library {
			name = "the standard library of Go"
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n\n", strings.Repeat("=", 80), name, p.version, strings.Join(p.licenses, ", "))
		for i, text := range p.texts {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.Write(bytes.TrimSpace(text))
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}
