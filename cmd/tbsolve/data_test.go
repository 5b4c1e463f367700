package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs in docs/data.md, in Python and JavaScript, read what tbsolve exports there,
// and print what stands there.
func TestProgramsOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("solves Quixo 4×4 with steps")
	}
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	solveQuixo4(t, dir)
	for _, line := range regexp.MustCompile(`(?m)^    bin/tbsolve (export .* --out .*)$`).FindAllStringSubmatch(string(page), -1) {
		cmd := tbsolve(t, append(strings.Fields(line[1]), "--dir", dir, "--quiet")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line[1], err, out)
		}
	}
	for language, start := range map[string]func(t *testing.T, program string) *exec.Cmd{"python": inPandas, "js": inDuckDB} {
		t.Run(language, func(t *testing.T) {
			parts := regexp.MustCompile("(?s)```" + language + "\n(.*?)```\n.*?```\n(.*?)```\n").FindStringSubmatch(string(page))
			if parts == nil {
				t.Fatal("docs/data.md has no such program with what it prints")
			}
			program := parts[1]
			if language == "js" { // and the line that makes Parquet
				program += "await duckdb.run(`" + regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(string(page))[1] + "`);\n"
			}
			cmd := start(t, program)
			cmd.Dir = dir
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderrOf(err))
			}
			if out := regexp.MustCompile(`(?m) +$`).ReplaceAllString(string(out), ""); out != parts[2] {
				t.Errorf("it prints\n%swant\n%s", out, parts[2])
			}
			if made, err := os.ReadFile(filepath.Join(dir, "sample.parquet")); language == "js" && !bytes.HasPrefix(made, []byte("PAR1")) {
				t.Errorf("no Parquet is made: %v", err)
			}
		})
	}
}

// inPandas runs a program by a Python that has pandas.
func inPandas(t *testing.T, program string) *exec.Cmd {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pandas").Run() == nil {
			return exec.Command(python, "-c", program)
		}
	}
	t.Skip("there is no Python with pandas (python3-pandas)")
	return nil
}

// inDuckDB runs a program by Node.js where that finds DuckDB by $NODE_PATH.
func inDuckDB(t *testing.T, program string) *exec.Cmd {
	t.Helper()
	found, err := exec.Command("node", "-p", `require.resolve("@duckdb/node-api")`).Output()
	if err != nil {
		t.Skip("there is no DuckDB for Node.js (npm install @duckdb/node-api, and NODE_PATH)")
	}
	// Modules are not sought in $NODE_PATH.
	where := "file://" + filepath.ToSlash(strings.TrimSpace(string(found)))
	return exec.Command("node", "--input-type=module", "-e", strings.ReplaceAll(program, "@duckdb/node-api", where))
}
