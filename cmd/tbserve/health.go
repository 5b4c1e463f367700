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

// healthWait is how long a server may take to say that it takes requests.
const healthWait = 3 * time.Second

// askHealth asks the servers that listen on the addresses of --listen whether they
// take requests. It is what a container's health check runs: the image has no other
// program that could ask.
func (o *options) askHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	for _, address := range o.listen {
		if err := checkAddress(address); err != nil {
			return err
		}
		if err := askReady(ctx, address, o.cert != ""); err != nil {
			return fmt.Errorf("no server takes requests at %s: %w", address, err)
		}
	}
	return nil
}

// askReady asks a server at host:port or unix:/path.
func askReady(ctx context.Context, address string, encrypted bool) error {
	network, target := "tcp", address
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		network, target = "unix", path
	}
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, target)
		},
		// The certificate is for the names by which others call the server. Nothing
		// secret is said here.
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
