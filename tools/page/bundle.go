package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the page's sources, by the placeholder for each file in index.html.
var entries = []struct{ placeholder, source string }{
	{"{{script}}", "app.ts"},
	{"{{style}}", "style.css"},
	{"{{icon}}", "favicon.svg"},
	{"{{font}}", "display.woff2"},
}

// bundle builds the page from the sources in a directory. It returns the files by path,
// index.html and assets/…. The name of an asset contains a hash of its content. The
// same sources give the same bytes.
func bundle(src string) (map[string][]byte, error) {
	options := api.BuildOptions{
		AbsWorkingDir:     src,
		Outdir:            filepath.Join(src, "assets"), // only for the names: nothing is written
		Bundle:            true,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		Target:            api.ES2022,
		Format:            api.FormatESModule,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		EntryNames:        "[name]-[hash]",
		Loader:            map[string]api.Loader{".svg": api.LoaderCopy, ".woff2": api.LoaderCopy},
		TsconfigRaw:       "{}", // tsconfig.json is for the type checker
	}
	for _, e := range entries {
		options.EntryPoints = append(options.EntryPoints, e.source)
	}
	result := api.Build(options)
	if err := problems(result.Errors, result.Warnings); err != nil {
		return nil, err
	}
	return page(src, result.OutputFiles)
}

// page joins the assets with the index.html that names them.
func page(src string, assets []api.OutputFile) (map[string][]byte, error) {
	index, err := os.ReadFile(filepath.Join(src, "index.html"))
	if err != nil {
		return nil, err
	}
	html := string(index)
	files := make(map[string][]byte)
	for _, asset := range assets {
		name := "assets/" + filepath.Base(asset.Path)
		files[name] = asset.Contents
		source := regexp.MustCompile(`-[0-9A-Z]+\.`).ReplaceAllString(filepath.Base(name), ".")
		for _, e := range entries {
			if strings.Replace(e.source, ".ts", ".js", 1) == source {
				html = strings.ReplaceAll(html, e.placeholder, name)
			}
		}
	}
	for _, e := range entries {
		if !strings.Contains(string(index), e.placeholder) || strings.Contains(html, e.placeholder) {
			return nil, fmt.Errorf("%s: index.html has no %s, or the bundle lacks %s", src, e.placeholder, e.source)
		}
	}
	files["index.html"] = []byte(html)
	return files, nil
}

// problems joins the bundler's messages into one error, or nil. Warnings are errors,
// as they would be overlooked.
func problems(lists ...[]api.Message) error {
	var errs []error
	for _, list := range lists {
		for _, text := range api.FormatMessages(list, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
			errs = append(errs, errors.New(strings.TrimSpace(text)))
		}
	}
	return errors.Join(errs...)
}
