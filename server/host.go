package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// addressed refuses requests by a foreign name at a loopback address where no token is
// wanted. Only programs of this machine come there, but one of them is the browser:
// a page from elsewhere can have its own name lead to the loopback address (DNS
// rebinding), and would read answers as if they were of its own server. TLS needs no
// such check, since no certificate has that name.
func (s *Server) addressed(h http.Handler) http.Handler {
	if s.token.Load() != nil || slices.Contains(s.hosts, "*") {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isNamed(r.Host) && r.TLS == nil && isLoopback(r) {
			fail(w, &httpError{status: http.StatusMisdirectedRequest, text: fmt.Sprintf(
				"this server is not asked by the name %s; ask localhost, or have its operator add the name", printable(r.Host))})
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isNamed reports whether a Host header, with a port or without, has a name by which the
// server may be asked: a loopback address, localhost or one of its own. Programs that
// send none are not browsers.
func (s *Server) isNamed(host string) bool {
	name := host
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name = host[:i]
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || strings.EqualFold(name, "localhost") {
		return true
	}
	if slices.ContainsFunc(s.hosts, func(own string) bool { return strings.EqualFold(name, own) }) {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// isLoopback reports whether a request came to a loopback address.
func isLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}
