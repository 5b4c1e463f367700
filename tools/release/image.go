package main

import (
	_ "embed"
	"os"
	"path"
	"path/filepath"
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
	if err := os.WriteFile(filepath.Join(context, "Dockerfile"), dockerfile, 0o644); err != nil {
		return err
	}
	for _, f := range tree {
		for _, wanted := range inImage {
			if f.path != wanted {
				continue
			}
			to := filepath.Join(context, p.String(), filepath.FromSlash(path.Join("usr", f.path)))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(to, f.content, f.mode); err != nil {
				return err
			}
		}
	}
	return nil
}
