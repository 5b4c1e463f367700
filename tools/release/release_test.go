package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var date = time.Date(2026, 11, 22, 1, 2, 4, 0, time.UTC)

// some is a tree such as that of a release.
var some = []file{
	{"bin/ladder", 0o755, []byte("#!/bin/sh\n")},
	{"bin/learn", 0o755, []byte("#!/bin/sh\n")},
	{"bin/tbcluster", 0o755, []byte("#!/bin/sh\n")},
	{"bin/tbquery", 0o755, []byte("#!/bin/sh\n")},
	{"bin/tbserve", 0o755, []byte("#!/bin/sh\necho here\n")},
	{"bin/tbsolve", 0o755, []byte("#!/bin/sh\n")},
	{"lib/systemd/system/tbserve.service", 0o644, []byte("ExecStart=/usr/local/bin/tbserve\n")},
	{"share/bash-completion/completions/ladder", 0o644, []byte("x")},
	{"share/doc/backsolve/LICENSE", 0o644, []byte("do what you like\n")},
	{"share/doc/backsolve/docs/reports/ladder.md", 0o644, []byte("agents\n")},
	{"share/man/man1/ladder-match.1", 0o644, []byte(".TH LADDER\n")},
	{"share/man/man1/learn-train.1", 0o644, []byte(".TH LEARN\n")},
	{"share/man/man1/tbserve.1", 0o644, []byte(".TH TBSERVE\n")},
	{"share/zsh/site-functions/_ladder", 0o644, []byte("x")},
	{"share/zsh/site-functions/_tbserve", 0o644, []byte("y")},
}

func TestVersions(t *testing.T) {
	for name, want := range map[string]version{
		"v0.1.0":                    {"0.1.0", "0.1.0", true},
		"v1.22.3-rc.1":              {"1.22.3-rc.1", "1.22.3~rc.1", true},
		"v0.1.0-3-gabcdef0":         {"0.1.0-3-gabcdef0", "0.1.0+3.gabcdef0", false},
		"v0.1.0-dirty":              {"0.1.0-dirty", "0.1.0.dirty", false},
		"v0.1.0-rc1-2-g1234567":     {"0.1.0-rc1-2-g1234567", "0.1.0~rc1+2.g1234567", false},
		"48d2fcd":                   {"48d2fcd", "0~git.48d2fcd", false},
		"48d2fcd-dirty":             {"48d2fcd-dirty", "0~git.48d2fcd.dirty", false},
		"v0.1.0-10-gabcdef01-dirty": {"0.1.0-10-gabcdef01-dirty", "0.1.0+10.gabcdef01.dirty", false},
	} {
		if got, err := parseVersion(name); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "v1", "0.1.0", "v0.1.0/../x", "v0.1.0-final", "master", "v0.1.0 "} {
		if got, err := parseVersion(name); err == nil {
			t.Errorf("%q is taken for %+v", name, got)
		}
	}
}

// Packages of later commits come after the version, and those of a candidate before.
func TestVersionsAreInOrder(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg")
	if err != nil {
		t.Skip("no dpkg is there")
	}
	names := []string{"48d2fcd", "v0.1.0-rc1", "v0.1.0-rc1-2-g1234567", "v0.1.0-rc2", "v0.1.0", "v0.1.0-3-gabcdef0", "v0.1.0-11-gabcdef0", "v0.1.1"}
	for i := 1; i < len(names); i++ {
		a, errA := parseVersion(names[i-1])
		b, errB := parseVersion(names[i])
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if err := exec.Command(dpkg, "--compare-versions", a.pkg, "lt", b.pkg).Run(); err != nil {
			t.Errorf("%s is not before %s", a.pkg, b.pkg)
		}
	}
}

func TestChangelogHasTheVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("CHANGELOG.md", []byte("# Changes\n\n## 0.1.0 (today)\n\n## 0.0.9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"v0.1.0": true, "v0.0.9": true, "v0.1.1": false, "v0.1.0-rc1": false, "v0.1.1-2-gabcdef0": true, "48d2fcd": true} {
		v, err := parseVersion(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkChangelog(v); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The wheel has the version, the library and the licenses.
func TestWheel(t *testing.T) {
	const library = "/bin/sh" // any program for glibc
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no Python is there")
	}
	notices := filepath.Join(t.TempDir(), "THIRD-PARTY-LICENSES.txt")
	if err := os.WriteFile(notices, []byte("all of them\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range written(t, func(r *release) error {
		return r.packWheel(t.Context(), platform{"windows", "amd64"}, library, "../../python", notices)
	}) {
		z, err := zip.NewReader(bytes.NewReader(f), int64(len(f)))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, entry := range z.File {
			found[entry.Name] = true
			if entry.Modified.UTC().Year() != date.Year() {
				t.Errorf("%s is of %v", entry.Name, entry.Modified)
			}
		}
		for _, name := range []string{"backsolve/sh", "backsolve/__init__.py", "backsolve-0.1.0.dist-info/THIRD-PARTY-LICENSES.txt", "backsolve-0.1.0.dist-info/RECORD"} {
			if !found[name] {
				t.Errorf("%s is not in the wheel: %v", name, found)
			}
		}
	}
}

// What is published is what make install installs, and has man pages.
func TestProgramsAreTheSameEverywhere(t *testing.T) {
	names := func(file, line, name string) (all []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(line).FindAllStringSubmatch(string(text), -1) {
			all = append(all, regexp.MustCompile(name).FindAllString(found[1], -1)...)
		}
		slices.Sort(all)
		return all
	}
	if got, want := names("../../Makefile", `(?m)^(?:MAIN|PROGRAMS) +:= (.*)$`, `[a-z]+`), programNames(); !slices.Equal(got, want) {
		t.Errorf("the Makefile has the programs %q, releases are of %q", got, want)
	}
	if got, want := names("../manual/main.go", `(?m)^\t\{"(\w+)", ".*"\},$`, `\S+`), programNames(); !slices.Equal(got, want) {
		t.Errorf("there are man pages of %q, releases are of %q", got, want)
	}
}

// written returns the files of a directory that something writes twice, which must be
// the same.
func written(t *testing.T, write func(*release) error) map[string][]byte {
	t.Helper()
	t.Parallel()
	var before map[string][]byte
	for range 2 {
		if before != nil {
			time.Sleep(1100 * time.Millisecond) // what bears the time of the day shows
		}
		r := &release{name: "v0.1.0", out: t.TempDir(), date: date, log: io.Discard, version: version{"0.1.0", "0.1.0", true}}
		if err := write(r); err != nil {
			t.Fatal(err)
		}
		paths, err := filesBelow(r.out)
		if err != nil {
			t.Fatal(err)
		}
		now := map[string][]byte{}
		for _, path := range paths {
			if now[path], err = os.ReadFile(filepath.Join(r.out, filepath.FromSlash(path))); err != nil {
				t.Fatal(err)
			}
		}
		if before != nil && !reflect.DeepEqual(before, now) {
			t.Error("the second time it is another file")
		}
		before = now
	}
	return before
}

func TestTar(t *testing.T) {
	out := written(t, func(r *release) error { return r.writeArchive(platform{"linux", "amd64"}, some) })
	text, err := gzip.NewReader(bytes.NewReader(out["backsolve-0.1.0-linux-amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(text)
	for _, want := range some {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || h.Name != "backsolve-0.1.0-linux-amd64/"+want.path || h.FileInfo().Mode() != want.mode || !h.ModTime.Equal(date) || !bytes.Equal(content, want.content) {
			t.Errorf("%+v: %s, %v; want %+v", h, content, err, want)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

func TestZip(t *testing.T) {
	out := written(t, func(r *release) error { return r.writeArchive(platform{"windows", "arm64"}, some) })
	text := out["backsolve-0.1.0-windows-arm64.zip"]
	r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != len(some) {
		t.Fatalf("%d files", len(r.File))
	}
	for i, want := range some {
		f := r.File[i]
		content, err := fs.ReadFile(r, f.Name)
		if err != nil || f.Name != "backsolve-0.1.0-windows-arm64/"+want.path || f.Mode() != want.mode || !f.Modified.Equal(date) || !bytes.Equal(content, want.content) {
			t.Errorf("%s: %s, %v; want %+v", f.Name, content, err, want)
		}
	}
}

// A release lacks no file in silence.
func TestTreeNamesTheMissing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"share/man/man1/tbsolve.1", "docs/README.md"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := treeOf(platform{"darwin", "arm64"}, "bin", "share", "notices.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without programs and licenses: %v", err)
	}
}

// The packages have the programs that people use, and the units know where.
func TestPackageTree(t *testing.T) {
	for format, want := range map[string][]string{
		"deb": {"bin/tbcluster", "bin/tbquery", "bin/tbserve", "bin/tbsolve", "lib/systemd/system/tbserve.service", "share/doc/backsolve/copyright",
			"share/doc/backsolve/LICENSE", "share/doc/backsolve/docs/reports/ladder.md", "share/man/man1/tbserve.1.gz", "share/zsh/vendor-completions/_tbserve"},
		"rpm": {"bin/tbcluster", "bin/tbquery", "bin/tbserve", "bin/tbsolve", "lib/systemd/system/tbserve.service",
			"share/doc/backsolve/LICENSE", "share/doc/backsolve/docs/reports/ladder.md", "share/man/man1/tbserve.1.gz", "share/zsh/site-functions/_tbserve"},
	} {
		files, err := packageTree(format, some)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.path)
			if strings.HasSuffix(f.path, ".service") && string(f.content) != "ExecStart=/usr/bin/tbserve\n" {
				t.Errorf("%s: %s", f.path, f.content)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

// The packages are the same each time, and the programs for packages read them.
func TestPackages(t *testing.T) {
	out := written(t, func(r *release) error { return r.writePackages(platform{"linux", "amd64"}, some) })
	dir := t.TempDir()
	for name, command := range map[string][]string{
		"backsolve_0.1.0-1_amd64.deb":  {"dpkg-deb", "--contents"},
		"backsolve-0.1.0-1.x86_64.rpm": {"rpm", "-qplv"},
	} {
		path := filepath.Join(dir, name)
		if len(out[name]) == 0 {
			t.Fatalf("there is no %s", name)
		}
		if err := os.WriteFile(path, out[name], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("no %s is there to read it with", command[0])
			continue
		}
		said, err := exec.Command(command[0], append(command[1:], path)...).CombinedOutput()
		for _, want := range []string{"/usr/bin/tbserve", "/var/lib/backsolve", "-rwxr-xr-x", "/usr/lib/systemd/system/tbserve.service"} {
			if err != nil || !strings.Contains(string(said), want) {
				t.Errorf("%s: %v, no %s in %s", name, err, want, said)
			}
		}
	}
}

// Packages for each architecture say which kernels there are, and so does the page on installing.
func TestPackagesNameKernels(t *testing.T) {
	page, err := os.ReadFile("../../docs/howto/install.md")
	if err != nil {
		t.Fatal(err)
	}
	for arch, names := range map[string][]string{"amd64": {"AVX-512", "AVX2 with BMI2"}, "arm64": {"NEON"}} {
		r := &release{out: t.TempDir(), date: date, version: version{"0.1.0", "0.1.0", true}}
		if err := r.writePackage(platform{"linux", arch}, "deb", some); err != nil {
			t.Fatal(err)
		}
		said := []byte(kernels[arch])
		if dpkg, err := exec.LookPath("dpkg-deb"); err == nil {
			if said, err = exec.Command(dpkg, "--field", filepath.Join(r.out, "backsolve_0.1.0-1_"+arch+".deb"), "Description").Output(); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			if !bytes.Contains(said, []byte(name)) || !bytes.Contains(page, []byte(name)) {
				t.Errorf("%s: no %s in %s or in the page", arch, name, said)
			}
		}
	}
}

func TestContext(t *testing.T) {
	out := written(t, func(r *release) error { return writeContext(r.out, platform{"linux", "arm64"}, some) })
	for _, want := range []string{"image/Dockerfile", "image/linux-arm64/usr/bin/tbserve", "image/linux-arm64/usr/bin/tbsolve", "image/linux-arm64/usr/bin/tbcluster", "image/linux-arm64/usr/share/doc/backsolve/LICENSE"} {
		if len(out[want]) == 0 {
			t.Errorf("there is no %s", want)
		}
	}
	if len(out["image/linux-arm64/usr/bin/ladder"]) > 0 {
		t.Error("ladder is in the image")
	}
}

// The bill names what is in a program, with its hashes and licenses.
func TestBill(t *testing.T) {
	own, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("this test says nothing of what it is built from")
	}
	found := map[string]*part{}
	collect(found, "tbsolve", own)
	var parts []part
	for _, p := range found {
		p.licenses = []string{"MIT", "BSD-3-Clause"}
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.ref(), b.ref()) })
	out := written(t, func(r *release) error { return r.writeBill(parts) })
	var bill struct {
		BOMFormat, SpecVersion string
		Metadata               struct{ Timestamp string }
		Components             []struct {
			Name, Version, Purl string
			Hashes              []struct{ Alg, Content string }
			Licenses            []struct{ License struct{ ID string } }
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(out["backsolve-0.1.0.cdx.json"], &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Metadata.Timestamp != "2026-11-22T01:02:04Z" {
		t.Errorf("%+v", bill)
	}
	if len(bill.Components) != len(parts)+len(programNames())+len([]string{"the C library", "the font"}) {
		t.Errorf("%d components, %d parts", len(bill.Components), len(parts))
	}
	cobra := 0
	for _, c := range bill.Components {
		if c.Name != "github.com/spf13/cobra" {
			continue
		}
		cobra++
		if c.Purl != "pkg:golang/"+c.Name+"@"+c.Version || len(c.Hashes) != 1 || c.Hashes[0].Alg != "SHA-256" || len(c.Hashes[0].Content) != 64 ||
			len(c.Licenses) != 2 || c.Licenses[0].License.ID != "MIT" {
			t.Errorf("%+v", c)
		}
	}
	if cobra != 1 {
		t.Errorf("%d times cobra", cobra)
	}
	for _, d := range bill.Dependencies {
		if d.Ref == "tbsolve" && len(d.DependsOn) != len(parts) || d.Ref == "tbserve" && !slices.Equal(d.DependsOn, []string{"font"}) ||
			d.Ref == "backsolve" && (len(d.DependsOn) != len(programNames())+1 || !slices.Contains(d.DependsOn, cLibrary)) {
			t.Errorf("%+v", d)
		}
	}
}

// What a program is made of are modules that were fetched, as they are replaced, and
// Go's own library.
func TestCollect(t *testing.T) {
	found := map[string]*part{}
	for _, program := range []string{"ladder", "ladder", "bench"} {
		collect(found, program, &debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{
			{Path: "backsolve", Version: "v0.0.0", Replace: &debug.Module{Path: "../", Version: "(devel)"}},
			{Path: "example.org/x", Version: "v1.0.0", Sum: "h1:x"},
			{Path: "example.org/y", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/z", Version: "v2.0.0", Sum: "h1:z"}},
		}})
	}
	want := map[string]*part{}
	for _, p := range []part{{path: library, version: "1.26.8"}, {path: "example.org/x", version: "v1.0.0", sum: "h1:x"}, {path: "example.org/z", version: "v2.0.0", sum: "h1:z"}} {
		p.programs = []string{"ladder", "bench"}
		want[p.path+"@"+p.version] = &p
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("%+v", found)
	}
}

func TestHexOfSum(t *testing.T) {
	if got, err := hexOfSum("h1:AAEC/w=="); err != nil || got != "000102ff" {
		t.Errorf("%s, %v", got, err)
	}
	for _, sum := range []string{"", "h2:AAEC/w==", "h1:no", "AAEC/w=="} {
		if got, err := hexOfSum(sum); err == nil {
			t.Errorf("%q is taken for %s", sum, got)
		}
	}
}

func TestLicenses(t *testing.T) {
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"LICENSE.md": license, "NOTICE": []byte("Thanks to all."), "main.go": []byte("package main")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := part{path: "example.org/x", version: "v1.0.0"}
	if err := p.readLicenses(dir); err != nil || !slices.Equal(p.licenses, []string{"MIT"}) || len(p.texts) != 2 {
		t.Errorf("%q, %d texts, %v", p.licenses, len(p.texts), err)
	}
	texts, err := licenseTexts("../..", []part{p})
	if err != nil {
		t.Fatal(err)
	}
	text := string(texts)
	for _, want := range []string{"Young Serif (OFL-1.1)", "SIL OPEN FONT LICENSE Version 1.1", "example.org/x v1.0.0 (MIT)", "Permission is hereby granted", "Thanks to all."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if err := os.Remove(filepath.Join(dir, "LICENSE.md")); err != nil {
		t.Fatal(err)
	}
	if err := (&part{path: "example.org/x"}).readLicenses(dir); err == nil || !strings.Contains(err.Error(), "no license that is known") {
		t.Errorf("without a license: %v", err)
	}
}

func TestSums(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "image"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("abc"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSums(dir); err != nil {
		t.Fatal(err)
	}
	const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS")); err != nil || string(got) != hash+"  a\n"+hash+"  b\n" {
		t.Errorf("%s, %v", got, err)
	}
}

// What cannot be built is refused before anything is compiled.
func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("CHANGELOG.md", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		epoch string
		args  []string
		says  string
	}{
		{"", []string{"--name", "48d2fcd"}, "$SOURCE_DATE_EPOCH is not set"},
		{"now", []string{"--name", "48d2fcd"}, "$SOURCE_DATE_EPOCH is \"now\""},
		{"1", nil, `"" is not a version`},
		{"1", []string{"--name", "v0.1.0"}, "CHANGELOG.md has nothing on 0.1.0"},
		{"1", []string{"--name", "48d2fcd", "--out", full}, "has files already"},
	} {
		t.Setenv("SOURCE_DATE_EPOCH", c.epoch)
		cmd := newCommand()
		cmd.SetArgs(append(c.args, "--go", "/nowhere/go"))
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q, %q: %v, want an error that says %s", c.epoch, c.args, err, c.says)
		}
	}
}
