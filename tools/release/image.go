package main

import (
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"slices"
)

//go:embed Dockerfile
var dockerfile []byte

// inImage are the programs of the image: the server, what makes its tables and asks
// them, and what solves by many processes.
var inImage = []string{"bin/tbserve", "bin/tbsolve", "bin/tbquery", "bin/tbcluster", docDir + "LICENSE", docDir + "THIRD-PARTY-LICENSES.txt"}

// writeContext adds a platform to the files below out that the container image is built from.
func writeContext(out string, p platform, tree []file) error {
	context := filepath.Join(out, "image")
	// The owner of a new volume is that of the directory in the image.
	if err := os.MkdirAll(filepath.Join(context, "tables"), 0o755); err != nil {
		return err
	}
	files := []file{{"Dockerfile", 0o644, dockerfile}}
	for _, f := range tree {
		if slices.Contains(inImage, f.path) {
			files = append(files, file{path.Join(p.String(), "usr", f.path), f.mode, f.content})
		}
	}
	for _, f := range files {
		if _, err := f.writeBelow(context); err != nil {
			return err
		}
	}
	return nil
}
