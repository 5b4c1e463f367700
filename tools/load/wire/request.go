package wire

import "fmt"

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
