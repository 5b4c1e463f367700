package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

const constantName = "constant"

// constantCommand is how the process of the constant handler is called.
func constantCommand() *cobra.Command {
	var sizes map[string]int
	var listen string
	cmd := &cobra.Command{
		Use:    constantName,
		Short:  "Answer each request with a constant",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := newConstant(sizes)
			if err != nil {
				return err
			}
			s := &http.Server{Addr: listen, Handler: h}
			go func() {
				<-cmd.Context().Done()
				s.Close()
			}()
			if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	cmd.Flags().StringToIntVar(&sizes, "sizes", nil, "bytes of the answers by the last part of the address, as in position=900,move=200")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` to listen on")
	return cmd
}

// constant is the handler that others are compared with: it does what no handler
// can leave out. It reads the body of a request, and answers with as many bytes
// as it was told for the last part of the address.
type constant map[string][]byte

func newConstant(sizes map[string]int) (constant, error) {
	c := constant{"readyz": nil}
	for name, size := range sizes {
		if size < 0 || size > 1<<30 {
			return nil, cli.Usagef("--sizes: an answer of %d bytes cannot be given", size)
		}
		c[name] = bytes.Repeat([]byte("."), size)
	}
	return c, nil
}

func (c constant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, known := c[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
	if !known {
		http.Error(w, fmt.Sprintf("no size was given for %s", r.URL.Path), http.StatusNotFound)
		return
	}
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // a client that is gone needs no answer
}
