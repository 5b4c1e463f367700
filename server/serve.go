package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// leave is the time in which the clients that send one request after the other are
// told to go. Without it their connections would be closed while the next
// request is on its way, which they could not tell from one that was lost.
const leave = 200 * time.Millisecond

// Serve answers requests on the listeners until ctx ends. Then it drains: for a
// moment the answers are the last ones of their connections; after it the
// listeners are closed, new requests are refused, and those in flight have the
// rest of the time of the drain to finish. It returns nil after that, whether or not some had to be cut
// off, or the error of a listener that failed before. With certificates it speaks
// TLS.
func (s *Server) Serve(ctx context.Context, listeners []net.Listener, certificates *tls.Config, drain time.Duration) error {
	web := &http.Server{
		Handler: s, TLSConfig: certificates, MaxHeaderBytes: s.limits.MaxHeader,
		ReadHeaderTimeout: s.limits.ReadHeader, ReadTimeout: s.limits.Read,
		WriteTimeout: s.limits.Write, IdleTimeout: s.limits.Idle,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // what clients do wrong
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
	time.Sleep(min(leave, drain))
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
