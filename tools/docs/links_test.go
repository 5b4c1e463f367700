//go:build unix

package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinks follows the links of every page to files and headings of the project.
func TestLinks(t *testing.T) {
	pages := pages(t)
	followed := 0
	for page, text := range pages {
		for _, link := range links(text) {
			followed++
			if err := reach(pages, page, link); err != nil {
				t.Errorf("%s: %s: %v", page, link, err)
			}
		}
	}
	if followed < 100 {
		t.Errorf("%d links were followed", followed)
	}
}

var (
	code    = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`")
	target  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	away    = regexp.MustCompile(`^\w+:`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// links returns where the links of a page lead, but for those that leave the project.
func links(text string) (all []string) {
	for _, found := range target.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		if !away.MatchString(found[1]) {
			all = append(all, found[1])
		}
	}
	return all
}

// reach follows a link of a page.
func reach(pages map[string]string, page, link string) error {
	file, anchor, _ := strings.Cut(link, "#")
	if file == "" {
		file = page
	} else {
		file = path.Join(path.Dir(page), file)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
		return err
	}
	if text, is := pages[file]; is && anchor != "" && !slices.Contains(anchors(text), anchor) {
		return fmt.Errorf("%s has no such heading", file)
	}
	return nil
}

// anchors returns the names by which headings are reached, as GitHub makes them.
func anchors(text string) (all []string) {
	times := map[string]int{}
	for _, found := range heading.FindAllStringSubmatch(regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")
		all = append(all, name)
		if n := times[name]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", name, n))
		}
		times[name]++
	}
	return all
}

// TestNamedTests wants the tests that pages name in backquotes, in the package before the
// colon if there is one: `retro`: `TestGoldenQuixo`.
func TestNamedTests(t *testing.T) {
	named := regexp.MustCompile("(?:`([a-z/]+)`: )?`((?:Test|Fuzz)\\w+)`")
	defined := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	tests := map[string][]string{} // directories by name of the test
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		for _, found := range defined.FindAllSubmatch(text, -1) {
			tests[string(found[1])] = append(tests[string(found[1])], filepath.ToSlash(dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for page, text := range pages(t) {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			count++
			if dirs := tests[found[2]]; dirs == nil || found[1] != "" && !slices.Contains(dirs, found[1]) {
				t.Errorf("%s names %s, which is not there", page, found[0])
			}
		}
	}
	if count < 30 {
		t.Errorf("pages name %d tests", count)
	}
}

func TestReach(t *testing.T) {
	pages := map[string]string{"README.md": "# A *b*, `c`\n```\n# d\n```\n## 7×7\n## 7×7\n", "docs/reference/api.md": ""}
	for link, fine := range map[string]bool{
		"README.md": true, "#a-b-c": true, "README.md#77": true, "#77-1": true, "docs/reference/api.md": true, "docs": true,
		"#d": false, "#a": false, "#77-2": false, "api.md": false, "docs/reference/api.md#a": false,
	} {
		if err := reach(pages, "README.md", link); (err == nil) != fine {
			t.Errorf("%s: %v", link, err)
		}
	}
	if got := links("[a](b.md#c), `[d](e)`, [f](https://g), ![h](i.png)\n```\n[j](k)\n```\n"); !slices.Equal(got, []string{"b.md#c", "i.png"}) {
		t.Errorf("%q", got)
	}
}
