package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var (
	// tagged is a version by git describe: a tag, and how many commits are past it.
	tagged = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-((?:alpha|beta|rc)[.\d]*))?(?:-(\d+)-g([0-9a-f]+))?(-dirty)?$`)
	// untagged is one where there are no tags.
	untagged = regexp.MustCompile(`^([0-9a-f]{7,40})(-dirty)?$`)
)

// version is a version in the forms that it is written in.
type version struct {
	file string // in names of files: 0.1.0-3-gabcdef0
	pkg  string // in packages, which order by it: 0.1.0+3.gabcdef0
	tag  bool   // it is that of a tag, and not something past it
}

func parseVersion(name string) (version, error) {
	v := version{file: strings.TrimPrefix(name, "v")}
	if m := tagged.FindStringSubmatch(name); m != nil {
		v.pkg, v.tag = m[1], m[3] == "" && m[5] == ""
		if m[2] != "" {
			v.pkg += "~" + m[2]
		}
		if m[3] != "" {
			v.pkg += "+" + m[3] + ".g" + m[4]
		}
	} else if m := untagged.FindStringSubmatch(name); m != nil {
		v.pkg = "0~git." + m[1]
	} else {
		return v, fmt.Errorf("%.60q is not a version; give one as git describe has it: v0.1.0, v0.1.0-rc1, v0.1.0-3-gabcdef0 or abcdef0", name)
	}
	if strings.HasSuffix(name, "-dirty") {
		v.pkg += ".dirty"
	}
	return v, nil
}

// checkChangelog refuses a tagged version of which the changelog says nothing.
func checkChangelog(v version) error {
	if !v.tag {
		return nil
	}
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(v.file) + `( |$)`).Match(text) {
		return fmt.Errorf("CHANGELOG.md has nothing on %s; write a section %q", v.file, "## "+v.file)
	}
	return nil
}
