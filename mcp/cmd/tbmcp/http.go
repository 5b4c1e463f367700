package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/reload"
	"backsolve/internal/server/token"
)

const (
	maxHeader     = 16 << 10
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = time.Minute
	drain         = 5 * time.Second
)

// tokens are those of --token-file, nil without it.
type tokens = atomic.Pointer[token.Set]

func serveHTTP(cmd *cobra.Command, o *options, server *mcp.Server) error {
	var of tokens
	files := &reload.Files{Log: cli.NewLogger(cmd, slog.LevelInfo)}
	if err := files.Tokens(o.tokenFile, of.Store); err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("%w; give another address, such as --listen 127.0.0.1:8090", err)
	}
	defer l.Close()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() && o.tokenFile == "" {
		return cli.Usagef("anyone could use tbmcp at %s; give --token-file, or listen on 127.0.0.1", o.listen)
	}
	hangups, stop := reload.Hangups()
	defer stop()
	go files.Watch(cmd.Context(), hangups)
	web := &http.Server{
		Handler: newHandler(server, &of), MaxHeaderBytes: maxHeader,
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

// newHandler handles requests independently of each other, and refuses pages of other origins.
func newHandler(server *mcp.Server, of *tokens) http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(withIDs(protocol)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !of.Load().Admits(r.Header["Authorization"]) {
			w.Header().Set("WWW-Authenticate", token.Challenge)
			http.Error(w, "tbmcp requires a token; send it in the header Authorization: Bearer …", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
