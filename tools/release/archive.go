package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// writeArchive writes what is unpacked where there are no packages: for Windows a
// zip, else a compressed tar file.
func (r *release) writeArchive(p platform, files []file) error {
	top := fmt.Sprintf("backsolve-%s-%v", r.version.file, p)
	write, ending := writeTar, ".tar.gz"
	if p.os == "windows" {
		write, ending = writeZip, ".zip"
	}
	var b bytes.Buffer
	if err := write(&b, top, files, r.date); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, top+ending), b.Bytes(), 0o644)
}

func writeTar(out io.Writer, top string, files []file, date time.Time) error {
	compressed := gzip.NewWriter(out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{
			Name: top + "/" + f.path, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: date,
			Uname: "root", Gname: "root", Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeZip(out io.Writer, top string, files []file, date time.Time) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		header := &zip.FileHeader{Name: top + "/" + f.path, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode)
		to, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

const sumsName = "SHA256SUMS"

// writeSums writes the checksums of the files of a directory, as sha256sum -c reads
// them. Directories are left out.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(b.String()), 0o644)
}
