package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"backsolve/internal/server/token"
)

// leaveTime lets clients with persistent connections finish. Otherwise their connections would
// close while the next request is on its way, and it would seem lost.
const leaveTime = 200 * time.Millisecond

// Serve answers requests on the listeners until ctx ends, over TLS if certificates is not nil. Then it closes
// connections after their next answer for a moment, closes the listeners, and gives requests in flight the
// rest of drain. It returns nil even if some were cut off, or the error of a listener that failed before.
func (s *Server) Serve(ctx context.Context, listeners []net.Listener, certificates *tls.Config, drain time.Duration) error {
	web := &http.Server{
		Handler: s, TLSConfig: certificates, MaxHeaderBytes: s.limits.MaxHeader,
		ReadHeaderTimeout: s.limits.ReadHeader, ReadTimeout: s.limits.Read,
		WriteTimeout: s.limits.Write, IdleTimeout: s.limits.Idle,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // faults of clients
	}
	connections := newConnections(s.limits.MaxConnections)
	web.ConnState = connections.note
	failed := make(chan error, len(listeners))
	s.state.Store(ready) // before the first connection is accepted
	for _, l := range listeners {
		l = connections.limit(l)
		go func() {
			if certificates != nil {
				failed <- web.ServeTLS(l, "", "")
			} else {
				failed <- web.Serve(l)
			}
		}()
	}
	var err error
	running := len(listeners)
	select {
	case err = <-failed:
		running--
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	s.state.Store(leaving)
	time.Sleep(min(leaveTime, drain))
	s.state.Store(draining)
	if shutdown := web.Shutdown(limited); shutdown != nil {
		s.log.Warn("requests that did not finish in time were cut off", "drain", drain)
		web.Close()
	}
	for range running {
		if end := <-failed; err == nil && !errors.Is(end, http.ErrServerClosed) {
			err = end
		}
	}
	return err
}

// SetTokens replaces the tokens.
func (s *Server) SetTokens(t *token.Set) { s.tokens.Store(t) }
