package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthWait is the time limit of a health check.
const healthWait = 3 * time.Second

// askHealth checks whether the servers at the addresses of --listen are ready. Containers run
// it as their health check, as their image has no other HTTP client.
func (o *options) askHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
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

// askReady checks a server at host:port or unix:/path.
func askReady(ctx context.Context, address string, encrypted bool) error {
	network, target := "tcp", address
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		network, target = "unix", path
	}
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, target)
		},
		// The certificate is for other names of the server. Nothing secret is sent.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	scheme := "http"
	if encrypted {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost/readyz", nil)
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
