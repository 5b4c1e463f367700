package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
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

// some is a tree like a release's.
var some = map[string]string{
	"bin/bench": "#!/bin/sh\n", "bin/lab": "#!/bin/sh\n", "bin/tbcluster": "#!/bin/sh\n", "bin/tbquery": "#!/bin/sh\n",
	"bin/tbserve": "#!/bin/sh\necho here\n", "bin/tbsolve": "#!/bin/sh\n",
	"lib/systemd/system/tbserve.service":           "ExecStart=/usr/local/bin/tbserve\n",
	"lib/systemd/system/tbserve.socket":            "x\n",
	"share/bash-completion/completions/lab":        "x",
	"share/bash-completion/completions/tbserve":    "x",
	"share/bash-completion/completions/tbsolve":    "x",
	"share/doc/backsolve/LICENSE":                  "do what you like\n",
	"share/doc/backsolve/THIRD-PARTY-LICENSES.txt": "all of them\n",
	"share/doc/backsolve/docs/reports/ladder.md":   "agents\n",
	"share/fish/vendor_completions.d/tbserve.fish": "x",
	"share/fish/vendor_completions.d/tbsolve.fish": "x",
	"share/man/man1/lab-train.1":                   ".TH LAB\n",
	"share/man/man1/tbserve.1":                     ".TH TBSERVE\n",
	"share/man/man1/tbsolve.1":                     ".TH TBSOLVE\n",
	"share/zsh/site-functions/_lab":                "x",
	"share/zsh/site-functions/_tbserve":            "y",
	"share/zsh/site-functions/_tbsolve":            "y",
}

// nfpm is a program built once: linking it takes seconds.
var nfpm string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "nfpm"), "github.com/goreleaser/nfpm/v2/cmd/nfpm")
	build.Env, build.Stderr = append(os.Environ(), "GOFLAGS="), os.Stderr // as build.sh
	if build.Run() == nil {                                               // else build.sh says why not
		nfpm = filepath.Join(dir, "nfpm")
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// build runs build.sh.
func build(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, tool := range []string{"bash", "python3", "gzip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s is there", tool)
		}
	}
	cmd := exec.Command("bash", append([]string{"build.sh"}, args...)...)
	cmd.Env = append(os.Environ(), fmt.Sprint("SOURCE_DATE_EPOCH=", date.Unix()), "NFPM="+nfpm)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func TestVersions(t *testing.T) {
	for name, want := range map[string]string{
		"v0.1.0":                    "0.1.0 0.1.0",
		"v1.22.3-rc.1":              "1.22.3-rc.1 1.22.3~rc.1",
		"v0.1.0-3-gabcdef0":         "0.1.0-3-gabcdef0 0.1.0+3.gabcdef0",
		"v0.1.0-dirty":              "0.1.0-dirty 0.1.0.dirty",
		"v0.1.0-rc1-2-g1234567":     "0.1.0-rc1-2-g1234567 0.1.0~rc1+2.g1234567",
		"48d2fcd":                   "48d2fcd 0~git.48d2fcd",
		"48d2fcd-dirty":             "48d2fcd-dirty 0~git.48d2fcd.dirty",
		"v0.1.0-10-gabcdef01-dirty": "0.1.0-10-gabcdef01-dirty 0.1.0+10.gabcdef01.dirty",
	} {
		if got, err := build(t, "version", name); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"", "v1", "0.1.0", "v0.1.0/../x", "v0.1.0-final", "master", "v0.1.0 "} {
		if got, err := build(t, "version", name); err == nil {
			t.Errorf("%q is taken for %s", name, got)
		}
	}
}

// Packages of later commits come after the version, and those of a candidate before it.
func TestVersionsAreInOrder(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg")
	if err != nil {
		t.Skip("no dpkg is there")
	}
	before := ""
	for _, name := range []string{"48d2fcd", "v0.1.0-rc1", "v0.1.0-rc1-2-g1234567", "v0.1.0-rc2", "v0.1.0", "v0.1.0-3-gabcdef0", "v0.1.0-11-gabcdef0", "v0.1.1"} {
		text, err := build(t, "version", name)
		if err != nil {
			t.Fatal(err)
		}
		_, version, _ := strings.Cut(strings.TrimSpace(text), " ")
		if err := exec.Command(dpkg, "--compare-versions", before, "lt", version).Run(); before != "" && err != nil {
			t.Errorf("%s does not come after %s", version, before)
		}
		before = version
	}
}

// What cannot be built is refused before anything is compiled.
func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, `"" is not a version`},
		{[]string{"v99.1.0"}, "CHANGELOG.md has nothing on 99.1.0"},
		{[]string{"48d2fcd", full}, "has files already"},
	} {
		if says, err := build(t, c.args...); err == nil || !strings.Contains(says, c.says) {
			t.Errorf("%q: %s, %v, want an error that says %s", c.args, says, err, c.says)
		}
	}
}

// packed packs the tree twice, which must give the same files, and returns their directory.
func packed(t *testing.T, platform string) string {
	t.Helper()
	tree := t.TempDir()
	for name, text := range some {
		path := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outs := [2]string{t.TempDir(), t.TempDir()}
	for _, out := range outs {
		if says, err := build(t, "pack", "v0.1.0", platform, tree, out); err != nil {
			t.Fatal(says, err)
		}
	}
	for name, content := range files(t, outs[0]) {
		if other := files(t, outs[1])[name]; !bytes.Equal(content, other) {
			t.Errorf("%s differs", name)
		}
	}
	return outs[0]
}

// files returns the files below a directory by their names.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			found[path], err = os.ReadFile(filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// modeOf is the mode of a file in an archive.
func modeOf(name string) fs.FileMode {
	if strings.HasPrefix(name, "bin/") {
		return 0o755
	}
	return 0o644
}

func TestZip(t *testing.T) {
	t.Parallel()
	text := files(t, packed(t, "windows-arm64"))["backsolve-0.1.0-windows-arm64.zip"]
	r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range r.File {
		name := strings.TrimPrefix(f.Name, "backsolve-0.1.0-windows-arm64/")
		if f.FileInfo().IsDir() {
			continue
		}
		content, err := fs.ReadFile(r, f.Name)
		if err != nil || f.Mode() != modeOf(name) || !f.Modified.Equal(date) || string(content) != some[name] {
			t.Errorf("%s, %v, %v: %s, %v", f.Name, f.Mode(), f.Modified, content, err)
		}
		found++
	}
	if found != len(some) {
		t.Errorf("%d files", found)
	}
}

// An archive has the tree, packages the programs that people use, and the units know where.
func TestPackages(t *testing.T) {
	t.Parallel()
	dir := packed(t, "linux-amd64")
	out := files(t, dir)
	text, err := gzip.NewReader(bytes.NewReader(out["backsolve-0.1.0-linux-amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for r := tar.NewReader(text); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		content, err := io.ReadAll(r)
		name := strings.TrimPrefix(h.Name, "backsolve-0.1.0-linux-amd64/")
		if err != nil || h.FileInfo().Mode() != modeOf(name) || !h.ModTime.Equal(date) || string(content) != some[name] || h.Uname != "root" {
			t.Errorf("%+v: %s, %v", h, content, err)
		}
		found++
	}
	if found != len(some) {
		t.Errorf("%d files", found)
	}
	for _, want := range []string{"Dockerfile", "linux-amd64/usr/bin/tbserve", "linux-amd64/usr/bin/tbcluster", "linux-amd64/usr/share/doc/backsolve/LICENSE"} {
		if len(out["image/"+want]) == 0 {
			t.Errorf("the image lacks %s", want)
		}
	}
	for name, c := range map[string]struct {
		command []string
		zsh     string
	}{
		"backsolve_0.1.0-1_amd64.deb":  {[]string{"dpkg-deb", "--contents"}, "zsh/vendor-completions"},
		"backsolve-0.1.0-1.x86_64.rpm": {[]string{"rpm", "-qplv"}, "zsh/site-functions"},
	} {
		if len(out[name]) == 0 {
			t.Fatalf("there is no %s", name)
		}
		if _, err := exec.LookPath(c.command[0]); err != nil {
			t.Logf("no %s is there to read it with", c.command[0])
			continue
		}
		said, err := exec.Command(c.command[0], append(c.command[1:], filepath.Join(dir, name))...).CombinedOutput()
		for _, want := range []string{"/usr/bin/tbserve", "/var/lib/backsolve", "-rwxr-xr-x", "/usr/lib/systemd/system/tbserve.service", "man1/tbserve.1.gz",
			"/usr/share/doc/backsolve/docs/reports/ladder.md", c.zsh + "/_tbserve", "bash-completion/completions/tbsolve", "2026-11-22"} {
			if err != nil || !strings.Contains(string(said), want) {
				t.Errorf("%s: %v, no %s in %s", name, err, want, said)
			}
		}
		if strings.Contains(string(said), "lab") || strings.Contains(string(said), "bench") {
			t.Errorf("%s has programs for research: %s", name, said)
		}
	}
	deb := filepath.Join(dir, "backsolve_0.1.0-1_amd64.deb")
	if unit, err := exec.Command("sh", "-c", "dpkg-deb --fsys-tarfile "+deb+" | tar -xO ./usr/lib/systemd/system/tbserve.service").Output(); err == nil && string(unit) != "ExecStart=/usr/bin/tbserve\n" {
		t.Errorf("the unit is %s", unit)
	}
}

// Packages for each architecture say which kernels there are, and so does the page on installing.
func TestPackagesNameKernels(t *testing.T) {
	page, err := os.ReadFile("../../docs/howto/install.md")
	script, err2 := os.ReadFile("build.sh")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, name := range []string{"AVX-512", "AVX2 with BMI2", "NEON"} {
		if !bytes.Contains(script, []byte(name)) || !bytes.Contains(page, []byte(name)) {
			t.Errorf("no %s in build.sh or in the page", name)
		}
	}
	if dpkg, err := exec.LookPath("dpkg-deb"); err == nil {
		said, err := exec.Command(dpkg, "--field", filepath.Join(packed(t, "linux-arm64"), "backsolve_0.1.0-1_arm64.deb"), "Description").Output()
		if err != nil || !bytes.Contains(said, []byte("NEON")) {
			t.Errorf("%s, %v", said, err)
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
	made := names("../../Makefile", `(?m)^(?:MAIN|PROGRAMS) +:= (.*)$`, `[a-z]+`)
	if got := names("../manual/main.go", `(?m)^\t\{"(\w+)", ".*"\},$`, `\S+`); !slices.Equal(got, made) {
		t.Errorf("there are man pages of %q, the Makefile has the programs %q", got, made)
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
	names := []string{"libbacksolve", "tbserve", "tbsolve"}
	var text bytes.Buffer
	if err := writeBill(&text, "0.1.0", date, names, parts); err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text.Bytes(), &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Metadata.Timestamp != "2026-11-22T01:02:04Z" {
		t.Errorf("%+v", bill)
	}
	if len(bill.Components) != len(parts)+len(names)+len([]string{"the font"}) {
		t.Errorf("%d components, %d parts", len(bill.Components), len(parts))
	}
	licensecheck := 0
	for _, c := range bill.Components {
		if c.Name != "github.com/google/licensecheck" {
			continue
		}
		licensecheck++
		if c.Purl != "pkg:golang/"+c.Name+"@"+c.Version || len(c.Hashes) != 1 || c.Hashes[0].Alg != "SHA-256" || len(c.Hashes[0].Content) != 64 ||
			len(c.Licenses) != 2 || c.Licenses[0].License.ID != "MIT" {
			t.Errorf("%+v", c)
		}
	}
	if licensecheck != 1 {
		t.Errorf("%d times licensecheck", licensecheck)
	}
	for _, d := range bill.Dependencies {
		if d.Ref == "tbsolve" && len(d.DependsOn) != len(parts) || d.Ref == "tbserve" && !slices.Equal(d.DependsOn, []string{"font"}) ||
			d.Ref == "backsolve" && !slices.Equal(d.DependsOn, names) {
			t.Errorf("%+v", d)
		}
	}
}

// What a program is made of are modules that were fetched, as they are replaced, and
// Go's own library.
func TestCollect(t *testing.T) {
	found := map[string]*part{}
	for _, program := range []string{"lab", "lab", "bench"} {
		collect(found, program, &debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{
			{Path: "backsolve", Version: "v0.0.0", Replace: &debug.Module{Path: "../", Version: "(devel)"}},
			{Path: "example.org/x", Version: "v1.0.0", Sum: "h1:x"},
			{Path: "example.org/y", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/z", Version: "v2.0.0", Sum: "h1:z"}},
		}})
	}
	want := map[string]*part{}
	for _, p := range []part{{path: library, version: "1.26.8"}, {path: "example.org/x", version: "v1.0.0", sum: "h1:x"}, {path: "example.org/z", version: "v2.0.0", sum: "h1:z"}} {
		p.programs = []string{"lab", "bench"}
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
