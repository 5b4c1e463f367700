package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// addressed refuses requests by a foreign name at a loopback address where everyone may ask. A page can
// make its own name resolve to the loopback address (DNS rebinding) and read the answers as its
// own server's. TLS needs no check, since no certificate has that name.
func (s gate) addressed(h http.Handler) http.Handler {
	if slices.Contains(s.hosts, "*") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.checkName(r); err != nil && !s.private() {
			fail(w, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (s gate) checkName(r *http.Request) error {
	if s.isNamed(r.Host) || r.TLS != nil || !isLoopback(r) {
		return nil
	}
	return &httpError{status: http.StatusMisdirectedRequest, text: fmt.Sprintf(
		"this server does not answer to the name %s; use localhost, or a name that its operator allows", printable(r.Host))}
}

// isNamed reports whether a Host header, with or without port, is localhost, a loopback address
// or one of the server's names. Browsers always send the header, so a request without it is allowed.
func (s gate) isNamed(host string) bool {
	name := strings.TrimSuffix((&url.URL{Host: host}).Hostname(), ".")
	if name == "" || strings.EqualFold(name, "localhost") {
		return true
	}
	if slices.ContainsFunc(s.hosts, func(own string) bool { return strings.EqualFold(name, own) }) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

func isLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}
