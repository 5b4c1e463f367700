// Command constant answers each request with a constant, to set tbserve beside what no
// server can leave out: see turns.js.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

func newCommand() *cobra.Command {
	var sizes map[string]int
	var headers []string
	var listen string
	cmd := &cobra.Command{
		Use:   "constant",
		Short: "Answer each request with a constant",
		Long: `Answers each request with as many constant bytes as --sizes has for the last part of
its address, and 404 for any other.`,
		Example: "  constant --sizes position=1873 --listen 127.0.0.1:8192",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := newConstant(sizes, headers)
			if err != nil {
				return err
			}
			s := &http.Server{Addr: listen, Handler: h}
			context.AfterFunc(cmd.Context(), func() { s.Close() })
			if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	cmd.Flags().StringToIntVar(&sizes, "sizes", nil, "bytes of the answers by the last part of the address, as in position=900,move=200")
	cmd.Flags().StringArrayVar(&headers, "header", nil, "header of every answer, as in 'Vary: Accept-Encoding'; more by repeating the flag")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8192", "`ADDRESS` address to listen on")
	return cmd
}

// newConstant returns a handler that answers with bodies by the last part of the address.
func newConstant(sizes map[string]int, headers []string) (http.HandlerFunc, error) {
	always := http.Header{"Content-Type": {"application/json"}}
	for _, h := range headers {
		name, value, found := strings.Cut(h, ":")
		if !found {
			return nil, cli.Usagef("--header: %.40q; write each as a name, a colon and a value", h)
		}
		always.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	bodies := map[string][]byte{}
	for name, size := range sizes {
		if size < 0 || size > 1<<30 {
			return nil, cli.Usagef("--sizes: an answer of %d bytes cannot be given", size)
		}
		bodies[name] = bytes.Repeat([]byte("."), size)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, known := bodies[path.Base(r.URL.Path)]
		if !known {
			http.Error(w, fmt.Sprintf("no size was given for %s", r.URL.Path), http.StatusNotFound)
			return
		}
		io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), always)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body) // a client that is gone needs no answer
	}, nil
}
