package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Complete returns an example of each kind of agents with its summary, separated by a tab.
func Complete() []string {
	var words []string
	for _, k := range Kinds() {
		words = append(words, k.Example+"\t"+k.Summary)
	}
	return words
}

// CompleteName completes files and directories after weights=, otherwise the beginnings of all names.
func CompleteName(begun string) []string {
	kind, _, _ := strings.Cut(begun, ":")
	at := strings.LastIndex(begun, "weights=")
	isKind := func(k Kind) bool { return k.Name == kind && slices.Contains(k.keys, "weights") }
	if at < 0 || strings.Contains(begun[at:], ",") || !slices.ContainsFunc(Kinds(), isKind) {
		return Complete()
	}
	at += len("weights=")
	dir, _ := filepath.Split(begun[at:])
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var words []string
	for _, e := range entries {
		word := begun[:at] + dir + e.Name()
		if e.IsDir() {
			word += string(filepath.Separator)
		}
		words = append(words, word)
	}
	return words
}

// Help returns the forms of all names with their summaries, a line for each.
func Help() string {
	text := ""
	for _, k := range Kinds() {
		text += fmt.Sprintf("  %s  %s\n", k.Form, k.Summary)
	}
	return text
}
