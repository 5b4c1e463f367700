package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the directory of the module.
const root = "../.."

var loaded = sync.OnceValues(func() (*house, error) { return load(root) })

// The picture in docs/architecture.md is that of the code, and no import runs up.
func TestPicture(t *testing.T) {
	h, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range h.faults() {
		t.Error(fault)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := h.insert(string(page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/architecture.md is not that of the code; run bin/house (-code +page):\n%s", diff)
	}
}

// Every room has a paragraph of its own.
func TestParagraphs(t *testing.T) {
	h, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range h.rooms() {
		if !strings.Contains(string(page), fmt.Sprintf("\n**%s** ", name)) {
			t.Errorf("docs/architecture.md has no paragraph for %s/", name)
		}
	}
}

// built returns a house of packages with what they import.
func built(imports map[string]string) *house {
	h := &house{module: "example.org/house"}
	full := func(path string) string {
		switch path {
		case "testing", "fmt":
			return path
		case front:
			return h.module
		}
		return h.module + "/" + path
	}
	for _, path := range []string{"game", "game/quixo", "partition", "probe", "probe/solved", front, "player", "attic"} {
		list, there := imports[path]
		if !there {
			continue
		}
		var all []string
		for i := range strings.FieldsSeq(list) {
			all = append(all, full(i))
		}
		h.add(full(path), all)
	}
	return h
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		imports map[string]string
		want    []string
	}{
		{map[string]string{"game": "fmt", "game/quixo": "game", "partition": "game/quixo", "probe": "partition game"}, nil},
		{map[string]string{"game": "partition", "partition": "fmt"}, []string{"game imports partition, which is above it"}},
		{
			map[string]string{"game": "", "game/quixo": "probe", "probe": "game"}, // a cycle of rooms, though not of packages
			[]string{"game/quixo imports probe, which is above it"},
		},
		{map[string]string{"game": "", "probe": "game", front: "probe game", "player": front}, nil},
		{map[string]string{"probe": front, front: ""}, []string{"probe imports backsolve, which is above it"}},
		{map[string]string{"attic": "game", "game": ""}, []string{"attic/ is a room without a place; give it one in the order of tools/house"}},
		{map[string]string{"probe/solved": "player testing", "player": ""}, []string{"probe/solved imports player, which is above it"}},
	} {
		var got []string
		for _, err := range built(c.imports).faults() {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.imports, diff)
		}
	}
}

func TestDrawing(t *testing.T) {
	h := built(map[string]string{
		"game": "fmt", "game/quixo": "game", "partition": "game game/quixo", "probe": "partition game", "probe/solved": "player testing", front: "probe", "player": "probe game backsolve",
	})
	want := "before\n" + begin + "```mermaid\nflowchart TD\n" + `    player["<b>player/</b>"]
    backsolve["<b>backsolve</b><br>the module's own package"]
    probe["<b>probe/</b><br>solved (for tests)"]
    partition["<b>partition/</b>"]
    game["<b>game/</b><br>quixo"]
    player --> backsolve
    backsolve --> probe
    probe --> partition
    partition --> game
` + "```\n" + `
| room | packages | imports of |
|---|---|---|
| player | player | game, probe, backsolve |
| backsolve | backsolve | probe |
| probe | probe, solved (for tests) | game, partition |
| partition | partition | game |
| game | game, quixo |  |
` + end + "after\n"
	for _, page := range []string{"before\n" + begin + "old\n" + end + "after\n", want} {
		got, err := h.insert(page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, page := range []string{"", begin, end} {
		if _, err := h.insert(page); err == nil {
			t.Errorf("the page %q has a place for a picture", page)
		}
	}
}
