package policy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// online are the directories of the packages that may use a network. A further one has to
// stand in SECURITY.md, which says what programs go online for.
var online = []string{
	"cluster", "cluster/cmd/tbcluster", "cluster/local", "cluster/store", // NATS, S3 and metrics
	"cmd/anygame", "cmd/tbserve", "mcp/cmd/tbmcp", "internal/server", "internal/server/api", "internal/server/page",
	"tablebase/remote", // tables on a web server
}

// network matches imports by which a network can be used.
var network = regexp.MustCompile(`^"(net|net/(http|rpc|smtp|textproto)(/.*)?|crypto/tls|log/syslog|github\.com/(nats-io|minio)/.*)"$`)

// TestOnline holds SECURITY.md: nothing goes online but what is said there.
func TestOnline(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch dir := filepath.ToSlash(filepath.Dir(path)); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (path == "tools" || d.Name() == "testdata" || d.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		default:
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				if network.MatchString(spec.Path.Value) && !slices.Contains(online, dir) {
					t.Errorf("%s imports %s; SECURITY.md does not say that it goes online", path, spec.Path.Value)
				}
				found[dir] = found[dir] || network.MatchString(spec.Path.Value)
			}
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range online {
		if !found[dir] {
			t.Errorf("%s uses no network any more", dir)
		}
	}
}
