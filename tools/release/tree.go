package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file to publish, by its path below the prefix, such as /usr/local.
type file struct {
	path    string
	mode    fs.FileMode
	content []byte
}

const (
	docDir   = "share/doc/backsolve/"
	unitDir  = "lib/systemd/system/"
	unitsAre = "cmd/tbserve/systemd"
	// unitPrefix is where the units say that the programs are.
	unitPrefix = "/usr/local/"
)

// treeOf returns the files for a platform, in order: programs, man pages, completions,
// documents, licenses, and for Linux the units of systemd.
func treeOf(p platform, bin, share, notices string) (files []file, err error) {
	add := func(to, from string, mode fs.FileMode) {
		content, readErr := os.ReadFile(from)
		if err == nil {
			err = readErr
		}
		files = append(files, file{to, mode, content})
	}
	for _, name := range programNames() {
		add("bin/"+p.program(name), filepath.Join(bin, p.program(name)), 0o755)
	}
	shared, walkErr := filesBelow(share)
	if walkErr != nil {
		return nil, fmt.Errorf("man pages and completions: %w; make them with make man completions", walkErr)
	}
	for _, path := range shared {
		if p.os == "windows" || !strings.HasPrefix(path, "powershell/") {
			add("share/"+path, filepath.Join(share, filepath.FromSlash(path)), 0o644)
		}
	}
	if p.os == "linux" {
		for _, unit := range []string{"tbserve.service", "tbserve.socket"} {
			add(unitDir+unit, filepath.Join(unitsAre, unit), 0o644)
		}
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"} {
		add(docDir+name, name, 0o644)
	}
	add(docDir+filepath.Base(notices), notices, 0o644)
	pages, walkErr := filesBelow("docs")
	if walkErr != nil {
		return nil, walkErr
	}
	for _, page := range pages {
		add(docDir+"docs/"+page, filepath.Join("docs", filepath.FromSlash(page)), 0o644)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, err
}

// filesBelow returns the files below a directory by their paths with slashes.
func filesBelow(dir string) (paths []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s is empty", dir)
	}
	return paths, err
}

// writeBelow writes the file below a directory, and returns where.
func (f file) writeBelow(dir string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, f.content, f.mode)
}

// at returns a unit for programs below another prefix than /usr/local.
func (f file) at(prefix string) file {
	if path.Dir(f.path)+"/" == unitDir {
		f.content = bytes.ReplaceAll(f.content, []byte(unitPrefix), []byte(prefix))
	}
	return f
}
