package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the build, with -ldflags "-X backsolve/cmd/cli.version=…".
var version string

// Version returns the release, the Go version and the platform.
func Version() string {
	return fmt.Sprintf("%s (%s %s/%s)", Release(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Release returns the version set by the build, else that of the module, else the revision.
func Release() string { return source(debug.ReadBuildInfo()) }

func source(info *debug.BuildInfo, ok bool) string {
	switch {
	case version != "":
		return version
	case !ok:
		return "unknown"
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + changed
}
