package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

// The limits of an HTTP server.
const (
	maxHeader     = 16 << 10
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = time.Minute
	drain         = 5 * time.Second
)

// serveHTTP serves streamable HTTP at /mcp until the context of the command ends.
func serveHTTP(cmd *cobra.Command, o *options, server *mcp.Server) error {
	token, err := o.token()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("%w; give another address, such as --listen 127.0.0.1:8090", err)
	}
	defer l.Close()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() && token == "" {
		return cli.Usagef("anyone could use tbmcp at %s; give --token-file, or listen on 127.0.0.1", o.listen)
	}
	web := &http.Server{
		Handler: newHandler(server, token), MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: writeTimeout,
		ErrorLog: log.New(io.Discard, "", 0), // faults of clients
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	fmt.Fprintf(cmd.ErrOrStderr(), "tbmcp answers at http://%v/mcp\n", l.Addr())
	select {
	case err := <-failed:
		return err
	case <-cmd.Context().Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), drain)
	defer cancel()
	return errors.Join(web.Shutdown(ctx), web.Close())
}

// newHandler returns the handler of all addresses. Requests are independent of each other, so
// clients leave nothing behind. Pages of other origins are refused.
func newHandler(server *mcp.Server, token string) http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(protocol))
	if token == "" {
		return mux
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(sent))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="backsolve"`)
			http.Error(w, "tbmcp requires a token; send it in the header Authorization: Bearer …", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// token reads the token, "" without --token-file.
func (o *options) token() (string, error) {
	if o.tokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || bytes.ContainsAny(text, " \t\r\n") {
		return "", fmt.Errorf("%s must contain the token on its only line", o.tokenFile)
	}
	return string(text), nil
}
