package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
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

// partsOf returns what is in all programs, for whatever platform, and in the C library, in the
// order of their names. What counts is what the compiler has written into them.
func partsOf(ctx context.Context, goTool, work string, inWheels map[platform]string) ([]part, error) {
	found := map[string]*part{}
	for _, library := range inWheels {
		info, err := buildinfo.ReadFile(library)
		if err != nil {
			return nil, err
		}
		collect(found, cLibrary, info)
	}
	for _, p := range platforms {
		for _, name := range programNames() {
			info, err := buildinfo.ReadFile(filepath.Join(work, p.String(), p.program(name)))
			if err != nil {
				return nil, err
			}
			collect(found, name, info)
		}
	}
	goRoot, modules, err := goDirs(ctx, goTool)
	if err != nil {
		return nil, err
	}
	parts := make([]part, 0, len(found))
	var unknown error
	for _, p := range found {
		dir := goRoot
		if p.path != library {
			escaped, err := module.EscapePath(p.path)
			if err != nil {
				return nil, err
			}
			number, err := module.EscapeVersion(p.version)
			if err != nil {
				return nil, err
			}
			dir = filepath.Join(modules, filepath.FromSlash(escaped)+"@"+number)
		}
		unknown = errors.Join(unknown, p.readLicenses(dir))
		slices.Sort(p.programs)
		parts = append(parts, *p)
	}
	if unknown != nil {
		return nil, unknown
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.version, b.version))
	})
	return parts, nil
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
func goDirs(ctx context.Context, goTool string) (goRoot, modules string, err error) {
	out, err := exec.CommandContext(ctx, goTool, "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("%s env: %w", goTool, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("%s env says %q", goTool, out)
	}
	return strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1]), nil
}

// licenseName is what files with licenses, and notices that must go along, are called.
var licenseName = regexp.MustCompile(`(?i)^((?:un)?licen[cs]e|copying|notice|patents)([.-].*)?$`)

// chosen are the licenses of modules that leave a choice, with the file that has the
// text.
var chosen = map[string]struct{ id, file string }{
	"github.com/golang/freetype": {"FTL", "licenses/ftl.txt"}, // or the GPL
}

// readLicenses reads the files of a module that say under which licenses it stands.
func (p *part) readLicenses(dir string) error {
	if choice, ok := chosen[p.path]; ok {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(choice.file)))
		p.licenses, p.texts = []string{choice.id}, [][]byte{text}
		return err
	}
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
