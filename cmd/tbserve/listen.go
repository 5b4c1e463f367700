package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/reload"
)

const unixPrefix = "unix:"

// listeners returns the sockets to serve, which the caller closes even after an error.
func (o *options) listeners(log *slog.Logger) (all []net.Listener, err error) {
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

func checkAddress(flag, address string) error {
	if strings.HasPrefix(address, unixPrefix) {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return cli.Usagef("--%s %s is not an address; give host:port, for example 127.0.0.1:8080, or unix:/path", flag, address)
	}
	return nil
}

func networkOf(address string) (network, target string) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return "unix", path
	}
	return "tcp", address
}

// listen opens a listener at the address of a flag. It replaces a Unix socket without one.
func listen(flag, address string) (net.Listener, error) {
	if err := checkAddress(flag, address); err != nil {
		return nil, err
	}
	network, target := networkOf(address)
	l, err := net.Listen(network, target)
	if info, statErr := os.Lstat(target); err != nil && network == "unix" && statErr == nil && info.Mode().Type() == os.ModeSocket {
		if conn, dialErr := net.Dial(network, target); dialErr == nil {
			conn.Close()
		} else if os.Remove(target) == nil {
			l, err = net.Listen(network, target)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --%s", err, flag)
	}
	return l, nil
}

func address(l net.Listener, encrypted bool) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	return scheme(encrypted) + "://" + l.Addr().String() + "/"
}

func scheme(encrypted bool) string {
	if encrypted {
		return "https"
	}
	return "http"
}

func notify(state string, log *slog.Logger) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("cannot notify systemd", "state", state, "error", err)
	}
}

// certificates has the certificate of --tls-cert read whenever it changes. Without TLS the configuration is nil.
func (o *options) certificates(files *reload.Files) (*tls.Config, error) {
	if o.cert == "" {
		return nil, nil
	}
	var now atomic.Pointer[tls.Certificate]
	err := files.Add("certificate", func() ([]any, error) {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, fmt.Errorf("cannot use the certificate: %w", err)
		}
		now.Store(&pair)
		return []any{"until", pair.Leaf.NotAfter}, nil
	}, o.cert, o.key)
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return now.Load(), nil },
		MinVersion:     tls.VersionTLS12,
	}, err
}

// serveAdmin serves profiles and metrics at the address of --admin, if any, until stop is called.
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

// askHealth checks that servers are ready at --listen, for containers, whose image has no HTTP client.
func (o *options) askHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for _, address := range o.listen {
		if err := checkAddress("listen", address); err != nil {
			return err
		}
		if err := askReady(ctx, address, o.cert != ""); err != nil {
			return fmt.Errorf("no server is ready at %s: %w", address, err)
		}
	}
	return nil
}

func askReady(ctx context.Context, address string, encrypted bool) error {
	network, target := networkOf(address)
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, target)
		},
		// The certificate is for other names of the server. Nothing secret is sent.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme(encrypted)+"://localhost/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}
