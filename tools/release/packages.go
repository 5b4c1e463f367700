package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

//go:embed scripts
var scripts embed.FS

// tablesDir is where the units look for tables.
const tablesDir = "/var/lib/backsolve"

const description = `Two-player board games, solved completely
 tbsolve finds out for every state of a board, by backward induction, who wins
 under best play and in how many steps; tbquery answers from its tables, tbplay
 plays by them, and tbserve serves them over HTTP and in the browser. There are
 tables of Notakto, Quixo and tic-tac-toe; Nim, Dawson's chess, Othello and Ultimate
 Tic-Tac-Toe need none.`

// kernels says by architecture which processors have which kernels.
var kernels = map[string]string{
	"amd64": `

 On Intel servers since Ice Lake and AMD since Zen 4 it uses AVX-512, on other Intel since
 Haswell and AMD since Zen AVX2 with BMI2. Older processors take up to three times as long.`,
	"arm64": `

 It uses NEON, which every 64-bit ARM processor has.`,
}

// writePackages writes the packages for a platform.
func (r *release) writePackages(p platform, tree []file) error {
	for _, format := range []string{"deb", "rpm"} {
		if err := r.writePackage(p, format, tree); err != nil {
			return fmt.Errorf("the %s package: %w", format, err)
		}
	}
	return nil
}

func (r *release) writePackage(p platform, format string, tree []file) error {
	dir, err := os.MkdirTemp("", "backsolve-package-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	info := &nfpm.Info{
		Name: "backsolve", Arch: p.arch, Platform: p.os, Version: r.version.pkg, VersionSchema: "none", Release: "1",
		Section: "games", Priority: "optional", Maintainer: "The backsolve authors", Description: description + kernels[p.arch], License: "MIT",
		MTime: r.date, DisableGlobbing: true,
	}
	info.RPM.BuildHost = "localhost" // else its name would be in the package
	info.Contents = files.Contents{{Destination: tablesDir, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.date}}}
	contents, err := packageTree(format, tree)
	if err != nil {
		return err
	}
	for _, f := range contents {
		source, err := file{"root/" + f.path, f.mode, f.content}.writeBelow(dir)
		if err != nil {
			return err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: source, Destination: "/usr/" + f.path, FileInfo: &files.ContentFileInfo{Mode: f.mode, MTime: r.date},
		})
	}
	for name, to := range map[string]*string{"postinst": &info.Scripts.PostInstall, "prerm": &info.Scripts.PreRemove, "postrm": &info.Scripts.PostRemove} {
		text, err := scripts.ReadFile("scripts/" + name)
		if err != nil {
			return err
		}
		if *to, err = (file{"scripts/" + name, 0o755, text}).writeBelow(dir); err != nil {
			return err
		}
	}
	return r.pack(format, nfpm.WithDefaults(info))
}

// pack writes a package under the name that is usual for it.
func (r *release) pack(format string, info *nfpm.Info) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	if err := nfpm.Validate(info); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, packager.ConventionalFileName(info)), b.Bytes(), 0o644)
}

// packageTree returns the files of a package below /usr: those of an archive without
// the programs for research, whose names are too plain for all to see, man pages
// compressed, and each where systems of that kind look for it.
func packageTree(format string, tree []file) (all []file, err error) {
	for _, f := range tree {
		if forResearch(f.path) {
			continue
		}
		f = f.at("/usr/")
		if strings.HasPrefix(f.path, "share/man/") {
			f.path += ".gz"
			if f.content, err = compressed(f.content); err != nil {
				return nil, err
			}
		}
		if format == "deb" {
			f.path = strings.Replace(f.path, "share/zsh/site-functions/", "share/zsh/vendor-completions/", 1)
			if f.path == docDir+"LICENSE" {
				all = append(all, file{docDir + "copyright", f.mode, f.content})
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// forResearch says whether a file belongs to one of the programs for research, which
// are those of research and tools.
func forResearch(name string) bool {
	if strings.HasPrefix(name, docDir) {
		return false
	}
	program, _, _ := strings.Cut(strings.TrimPrefix(path.Base(name), "_"), ".")
	program, _, _ = strings.Cut(program, "-")
	for module, packages := range programs {
		if (module == "research" || module == "tools") && slices.ContainsFunc(packages, func(path string) bool { return baseName(path) == program }) {
			return true
		}
	}
	return false
}

func compressed(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(content)
	err = errors.Join(err, w.Close()) // before the bytes are taken
	return b.Bytes(), err
}
