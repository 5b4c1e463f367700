package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

const constantName = "constant"

// constantCommand is how the process of the constant handler is called.
func constantCommand() *cobra.Command {
	var sizes map[string]int
	var headers []string
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
			also, err := withHeaders(h, headers)
			if err != nil {
				return err
			}
			s := &http.Server{Addr: listen, Handler: also}
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
	cmd.Flags().StringArrayVar(&headers, "header", nil, "`header` of every answer, as in 'Vary: Accept-Encoding'; more by repeating the flag")
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

// withHeaders gives the answers of a handler headers more, each a line as HTTP has it. With
// those of tbserve it shows how much of the time they take, with the client as well.
func withHeaders(h http.Handler, lines []string) (http.Handler, error) {
	text := strings.NewReader(strings.Join(append(lines, "", ""), "\r\n"))
	headers, err := textproto.NewReader(bufio.NewReader(text)).ReadMIMEHeader()
	if err != nil {
		return nil, cli.Usagef("--header: %w; write each as a name, a colon and a value", err)
	}
	if len(headers) == 0 {
		return h, nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), http.Header(headers))
		h.ServeHTTP(w, r)
	}), nil
}
