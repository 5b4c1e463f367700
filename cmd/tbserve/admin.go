package main

import (
	"log/slog"
	"net"
	"net/http"

	"backsolve/cmd/cli"
)

// serveAdmin serves profiles and metrics at the address of --admin, if there is one, until stop
// is called.
func (o *options) serveAdmin(h http.Handler, log *slog.Logger) (stop func(), err error) {
	if o.admin == "" {
		return func() {}, nil
	}
	l, err := listen("admin", o.admin)
	if err != nil {
		return nil, err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		l.Close()
		return nil, cli.Usagef("anyone could read profiles at %s; give a loopback address or unix:/path; --listen also serves /metrics", o.admin)
	}
	web := &http.Server{Handler: h, ReadHeaderTimeout: o.ReadHeader, MaxHeaderBytes: o.MaxHeader, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	log.Info("admin listener", "address", address(l, false))
	return func() {
		web.Close()
		<-ended
	}, nil
}
