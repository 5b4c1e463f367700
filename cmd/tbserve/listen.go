package main

import (
	"fmt"
	"log/slog"
	"net"
	"strings"

	"backsolve/cmd/cli"
)

const unixPrefix = "unix:"

// listeners opens what the server listens on.
func (o *options) listeners(protected bool, log *slog.Logger) ([]net.Listener, error) {
	var all []net.Listener
	for _, address := range o.listen {
		l, err := listen(address)
		if err != nil {
			for _, open := range all {
				open.Close()
			}
			return nil, err
		}
		if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !protected {
			log.Warn("everyone who reaches this address can ask; --token-file keeps others out", "address", l.Addr().String())
		}
		all = append(all, l)
	}
	return all, nil
}

// listen opens a listener on host:port or unix:/path.
func listen(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return net.Listen("unix", path)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, cli.Usagef("--listen %s is not an address; write host:port, for example 127.0.0.1:8080, or unix:/path", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --listen", err)
	}
	return l, nil
}

// address returns what to type into a browser.
func address(l net.Listener, encrypted bool) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	scheme := "http"
	if encrypted {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String() + "/"
}
