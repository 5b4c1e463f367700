package qlearning

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

func save(t testing.TB, w *Weights, path string) {
	t.Helper()
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		w := train(t, newRules(t, name, 3), DefaultOptions(20, math.MaxUint64))
		path := filepath.Join(t.TempDir(), "w.json")
		save(t, &Weights{"quixo", 2, DefaultOptions(1, 1), make([]float64, 15), ""}, path) // to be written over
		save(t, w, path)
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.path != path {
			t.Errorf("loaded from %q", got.path)
		}
		got.path = ""
		if !reflect.DeepEqual(got, w) {
			t.Errorf("saved %+v, loaded %+v", w, got)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("there are %v", files)
		}
	}
}

func TestSaveFails(t *testing.T) {
	rules := newRules(t, "quixo", 2)
	w := train(t, rules, DefaultOptions(1, 1))
	missing := filepath.Join(t.TempDir(), "missing", "w.json")
	if err := w.Save(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "make the directory") {
		t.Error(err)
	}
	dir := t.TempDir() // a directory cannot be replaced by a file
	if err := w.Save(dir); err == nil || !strings.Contains(err.Error(), "choose another name") {
		t.Error("over a directory: ", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(dir)); len(files) > 2 {
		t.Errorf("a failed save leaves %v", files)
	}
	w.Values[3] = math.NaN()
	path := filepath.Join(t.TempDir(), "w.json")
	if err := w.Save(path); err == nil || !strings.Contains(err.Error(), "weight 4 is NaN") {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("weights that are no numbers are saved")
	}
}

// good returns the text of a file of weights.
func good(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.json")
	save(t, train(t, newRules(t, "quixo", 2), DefaultOptions(5, 1)), path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLoadRefuses(t *testing.T) {
	text := good(t)
	change := func(from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in %s", from, text)
		}
		return strings.Replace(text, from, to, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "it is not a file of weights, or a damaged one"},
		"text":            {"hello", "it is not a file of weights, or a damaged one"},
		"other JSON":      {`{"format":"a picture","version":1}`, "it is not a file of weights;"},
		"a list":          {"[1,2]", "it is not a file of weights, or a damaged one"},
		"null":            {"null", "it is not a file of weights;"},
		"cut short":       {text[:len(text)/2], "a damaged one"},
		"more behind":     {text + "{}", "a damaged one"},
		"newer":           {change(`"version": 1`, `"version": 2`), "it has version 2, and this program knows version 1"},
		"older":           {change(`"version": 1,`, ``), "it has version 0"},
		"unknown field":   {change(`"size"`, `"hue": 1, "size"`), `unknown field "hue"`},
		"not a size":      {change(`"size": 2`, `"size": "two"`), "it is damaged (json: "},
		"unknown game":    {change(`"game": "quixo"`, `"game": "chess"`), "chess"},
		"size":            {change(`"size": 2`, `"size": 3`), "there are 15 weights, and quixo 3×3 has 19"},
		"huge size":       {change(`"size": 2`, `"size": 99`), "99"},
		"options":         {change(`"alpha": 0.5`, `"alpha": 7`), "alpha is 7; give a number above 0"},
		"too large":       {change(`"weights": [`, `"weights": [1e999,`), "it is damaged (json: "},
		"not a number":    {change(`"weights": [`, `"weights": [NaN,`), "a damaged one"},
		"one too many":    {change(`"weights": [`, `"weights": [1,`), "there are 16 weights"},
		"no weights":      {text[:strings.Index(text, `"weights"`)] + `"weights": null}`, "there are 0 weights"},
		"longer than any": {text + strings.Repeat(" ", maxFile), "it is a file of something else"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "w.json")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if err == nil {
				t.Fatal("it is loaded")
			}
			for _, part := range []string{path + " is of no use: ", c.want, "; train new weights with lab train"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "none.json")
	if _, err := Load(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing file gives %v", err)
	}
}

// FuzzDecode accepts weights that can be played with, or an error.
func FuzzDecode(f *testing.F) {
	text := good(f)
	f.Add([]byte(text))
	f.Add([]byte(text[:100]))
	f.Add([]byte(strings.Replace(text, `"weights": [`, `"weights": [1e308,-1e308,`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := decode(data)
		if err != nil {
			return
		}
		rules := newRules(t, w.Game, w.Size)
		p := newPlayer(t, rules, w)
		if _, over := rules.Terminal(rules.Start()); !over {
			if _, err := player.Move(t.Context(), p, rules.Start()); err != nil {
				t.Error(err)
			}
		}
	})
}

func newPlayer(t testing.TB, rules game.Grid, w *Weights) *learned {
	t.Helper()
	p, err := newAgent(t, rules, w).Begin(1)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*learned)
}
