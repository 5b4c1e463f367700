// Command static serves the files of a directory as any plain web server does, to try
// what a static site with tables is like: see docs/wasm.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

const long = `Serves the files of a directory over HTTP, until Ctrl-C: a plain web server that
answers range requests, for trying pages that read tables. It is not made for the
internet, as it has no limits. Each request is a line on standard output: what was
asked for, the status, and the bytes that were sent.

Exit status: 0 stopped as asked; 1 failed; 2 the command line cannot be
understood.`

func newCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:     "static DIRECTORY",
		Short:   "Serve the files of a directory over HTTP",
		Long:    long,
		Example: "  static bin/wasm\n  static bin/wasm --listen 127.0.0.1:9000",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("static takes a directory; an example is: static bin/wasm")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return serve(cmd, args[0], listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8000", "`address` to listen on, host:port")
	return cmd
}

// serve serves a directory until the command's context ends.
func serve(cmd *cobra.Command, dir, listen string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "static serves %s at http://%s/\n", dir, listener.Addr())
	server := &http.Server{Handler: logged(http.FileServerFS(root.FS()), cmd.OutOrStdout()), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(cmd.Context(), func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// logged writes a line for each request that a handler has answered.
func logged(h http.Handler, to io.Writer) http.Handler {
	var lock sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := &counted{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(sent, r)
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintln(to, r.Method, r.URL.Path, cmp.Or(r.Header.Get("Range"), "-"), sent.status, sent.bytes)
	})
}

// counted counts what is sent.
type counted struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}
