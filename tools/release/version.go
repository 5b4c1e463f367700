package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// described is a version by git describe: a tag, and how many commits are past it; or where
// there are no tags the commit alone.
var described = regexp.MustCompile(`^(?:v(\d+\.\d+\.\d+)(?:-((?:alpha|beta|rc)[.\d]*))?(?:-(\d+)-g([0-9a-f]+))?|([0-9a-f]{7,40}))(-dirty)?$`)

// version is a version in the forms that it is written in.
type version struct {
	file string // in names of files: 0.1.0-3-gabcdef0
	pkg  string // in packages, which order by it: 0.1.0+3.gabcdef0
	tag  bool   // it is that of a tag, and not something past it
}

func parseVersion(name string) (version, error) {
	m := described.FindStringSubmatch(name)
	if m == nil {
		return version{}, fmt.Errorf("%.60q is not a version; give one as git describe has it: v0.1.0, v0.1.0-rc1, v0.1.0-3-gabcdef0 or abcdef0", name)
	}
	v := version{file: strings.TrimPrefix(name, "v"), pkg: m[1], tag: m[1] != "" && m[3] == "" && m[6] == ""}
	for _, part := range []struct{ group, pkg string }{{m[2], "~" + m[2]}, {m[3], "+" + m[3] + ".g" + m[4]}, {m[5], "0~git." + m[5]}, {m[6], ".dirty"}} {
		if part.group != "" {
			v.pkg += part.pkg
		}
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
