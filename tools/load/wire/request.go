package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Get returns the bytes of a GET request, whose further fields are lines with
// their ends.
func Get(host, target, fields string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, host, fields)
}

// Post returns the bytes of a POST request with a body of a media type.
func Post(host, target, media string, body []byte, fields string) []byte {
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n",
		target, host, media, len(body), fields)
	return append(head, body...)
}

// Proper returns what the bytes of a good request ask for, as a client of net/http
// sends it to a host and port. It panics where they are no request.
func Proper(addr string, request []byte) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	if err != nil {
		panic(fmt.Sprintf("%.200q is no good request: %v", request, err))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(fmt.Sprintf("%.200q is cut short: %v", request, err))
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	if len(body) == 0 {
		r.Body = http.NoBody
	}
	r.URL.Scheme, r.URL.Host, r.RequestURI = "http", addr, ""
	return r
}
