// Command constant answers each request with a constant, to set tbserve beside what no
// server can leave out: see turns.js.
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
	cmd.Flags().StringArrayVar(&headers, "header", nil, "header of every answer, as in 'Vary: Accept-Encoding'; more by repeating the flag")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8192", "`ADDRESS` address to listen on")
	return cmd
}

// constant is the handler: bodies by the last part of the address, and headers.
type constant struct {
	bodies  map[string][]byte
	headers http.Header
}

func newConstant(sizes map[string]int, headers []string) (*constant, error) {
	c := &constant{bodies: map[string][]byte{}}
	for name, size := range sizes {
		if size < 0 || size > 1<<30 {
			return nil, cli.Usagef("--sizes: an answer of %d bytes cannot be given", size)
		}
		c.bodies[name] = bytes.Repeat([]byte("."), size)
	}
	text := strings.NewReader(strings.Join(append(headers, "", ""), "\r\n"))
	parsed, err := textproto.NewReader(bufio.NewReader(text)).ReadMIMEHeader()
	if err != nil {
		return nil, cli.Usagef("--header: %w; write each as a name, a colon and a value", err)
	}
	c.headers = http.Header(parsed)
	return c, nil
}

func (c *constant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, known := c.bodies[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
	if !known {
		http.Error(w, fmt.Sprintf("no size was given for %s", r.URL.Path), http.StatusNotFound)
		return
	}
	io.Copy(io.Discard, r.Body)
	maps.Copy(w.Header(), c.headers)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // a client that is gone needs no answer
}
