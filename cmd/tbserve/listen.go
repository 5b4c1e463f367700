package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"backsolve/cmd/cli"
)

const unixPrefix = "unix:"

// listeners returns the sockets from systemd, else those of --listen.
func (o *options) listeners(log *slog.Logger) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				l.Close()
			}
		}
	}()
	handed, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("cannot use the sockets from systemd: %w", err)
	}
	for _, l := range handed {
		if l == nil {
			return all, errors.New("a socket from systemd is not a stream socket; use ListenStream= in the socket unit")
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		for _, address := range o.listen {
			l, err := listen("listen", address)
			if err != nil {
				return all, err
			}
			all = append(all, l)
		}
	}
	for _, l := range all {
		if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && o.tokenFile == "" {
			log.Warn("anyone who can reach this address can use the server; restrict it with --token-file", "address", l.Addr().String())
		}
	}
	return all, nil
}

// checkAddress returns an error unless the address of a flag is host:port or unix:/path.
func checkAddress(flag, address string) error {
	if strings.HasPrefix(address, unixPrefix) {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return cli.Usagef("--%s %s is not an address; give host:port, for example 127.0.0.1:8080, or unix:/path", flag, address)
	}
	return nil
}

// listen opens a listener at the address of a flag, host:port or unix:/path.
func listen(flag, address string) (net.Listener, error) {
	if err := checkAddress(flag, address); err != nil {
		return nil, err
	}
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return listenUnix(flag, path)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --%s", err, flag)
	}
	return l, nil
}

// listenUnix opens a Unix socket, replacing one without a listener.
func listenUnix(flag, path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err == nil {
		return l, nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Mode().Type() == os.ModeSocket {
		if conn, dialErr := net.Dial("unix", path); dialErr == nil {
			conn.Close()
		} else if os.Remove(path) == nil {
			l, err = net.Listen("unix", path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --%s", err, flag)
	}
	return l, nil
}

// address returns the URL of a listener.
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

// notify reports the state of the server to systemd, if that started it.
func notify(state string, log *slog.Logger) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("cannot notify systemd", "state", state, "error", err)
	}
}
