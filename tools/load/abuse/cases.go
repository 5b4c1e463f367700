package abuse

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"

	"backsolve/tools/load/wire"
)

const (
	arrayMedia = "application/json"
	linesMedia = "application/jsonl"
)

// malformedBodies are batches that are not what they should be. Where the first
// positions are answered before the fault shows, it is the last element.
func malformedBodies(a *arena) (all []malformed) {
	good := fmt.Sprintf("%q", a.rules.Format(a.rules.Start()))
	for _, body := range []string{
		"", " ", "\n", "[", "]", "[]]", "{}", "[}", "{\"p\":1}", "null", "true", "1", good, "[" + good, "[" + good + ",", "[" + good + ",]", "[," + good + "]",
		"[" + good + good + "]", "[" + good + " " + good + "]", "[" + good + ":" + good + "]", "[" + good + "]" + good, "[" + good + "]x", "[[" + good + "]]",
		"[1]", "[null]", "[true]", "[{}]", "[1e999999]", "[-]", "[\"", "[\"\\", "[\"\\u", "[\"\\u12", "[\"\\uD800\"]", "[\"\\x\"]", "['a']", "[\"\x00\"]",
		"[\"\t\"]", "[\"\n\"]", "[\"\xff\xfe\"]", "\xef\xbb\xbf[" + good + "]", "[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "\x00\x00\x00\x00", "[" + good + ",\x00]",
		"/* */[" + good + "]", "[" + good + "] // done", "NaN", "[NaN]", "[" + good + ";" + good + "]", "a=b&c=d", "<positions/>", "[\"\"]", "[\"" + strings.Repeat("X", 5000) + "\"]",
		"[\"X\"]", "[\"💥\"]", "[\"..../..../..../.... \u0455\"]",
	} {
		all = append(all, malformed{fmt.Sprintf("the array %.40q", body), a.post(arrayMedia, []byte(body), ""), []int{200, 400}, false})
	}
	for _, body := range []string{
		"\n", "\n\n\n", "x", "\x00", "\xff\xff\n", "\"", "\"\\", "\"\\ud800\"\n", "{}\n", "[]\n", strings.Repeat("X", 100_000), good + good + "\n", good + ",\n", "\r", "\r\r\n", "\u2028\n",
	} {
		all = append(all, malformed{fmt.Sprintf("the line %.40q", body), a.post(linesMedia, []byte(body), ""), []int{200, 400}, false})
	}
	for _, media := range []string{"", "text/plain", "application/xml", "multipart/form-data; boundary=x", strings.Repeat("a", 2000)} {
		all = append(all, malformed{fmt.Sprintf("the media type %.40q", media), a.post(media, []byte("["+good+"]"), ""), []int{400, 415}, false})
	}
	return all
}

// malformedHTTP are requests that HTTP does not allow.
func malformedHTTP(a *arena) []malformed {
	target := path(a.rules, "positions")
	head := "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + a.fields
	smuggled := "GET /v1/tables HTTP/1.1\r\nHost: localhost\r\n\r\n"
	all := []malformed{
		{"two lengths", []byte(head + "Content-Length: 2\r\nContent-Length: 50\r\n\r\n[]" + smuggled), []int{400}, false},
		{"two lengths in one", []byte(head + "Content-Length: 2, 50\r\n\r\n[]" + smuggled), []int{400}, false},
		{"a negative length", []byte(head + "Content-Length: -2\r\n\r\n[]"), []int{400}, false},
		{"a length with a sign", []byte(head + "Content-Length: +2\r\n\r\n[]"), []int{400}, false},
		{"a hexadecimal length", []byte(head + "Content-Length: 0x2\r\n\r\n[]"), []int{400}, false},
		{"a length beyond all numbers", []byte(head + "Content-Length: 99999999999999999999\r\n\r\n[]"), []int{400}, false},
		{"a space before the colon", []byte(head + "Content-Length : 2\r\n\r\n[]"), []int{400}, false},
		{"a folded field", []byte(head + "Content-Length: 2\r\nX: a\r\n b\r\n\r\n[1"), []int{200, 400}, false},
		{"an unknown encoding", []byte(head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), []int{400, 501}, false},
		{"two encodings", []byte(head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"), []int{400, 501}, false},
		{"a length with chunks", []byte(head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n0\r\n\r\n"), []int{400}, false},
		{"a chunk beyond all numbers", []byte(head + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n[]"), []int{400}, false},
		{"a negative chunk", []byte(head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n[]\r\n0\r\n\r\n"), []int{400}, false},
		{"a chunk that is no number", []byte(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n[]\r\n0\r\n\r\n"), []int{400}, false},
		{"a chunk without its end", []byte(head + "Transfer-Encoding: chunked\r\n\r\n1\r\n[]0\r\n\r\n"), []int{400}, false},
	}
	for _, request := range []string{
		"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX y: z\r\n\r\n",
		"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n\r\n", "G\x00T / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET a HTTP/1.1\r\nHost: localhost\r\n\r\n", "get / http/1.1\r\nhost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00\x00\x00\x00\r\n", "SSH-2.0-x\r\n", "\xff\xff\xff\xff\r\n\r\n",
		"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"DELETE " + path(a.rules, "position") + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		all = append(all, malformed{fmt.Sprintf("%.40q", request), []byte(request), []int{200, 400, 401, 404, 405, 421, 501, 505}, true})
	}
	return all
}

// largeRequests are those that are larger than any that makes sense.
func largeRequests(a *arena) []malformed {
	target := path(a.rules, "position") + "?p="
	refusedLength := []byte("POST " + path(a.rules, "positions") + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		a.fields + "Content-Length: 1000000000000\r\n\r\n[")
	bomb := squeezed(32 << 20)
	return []malformed{
		{"a body of 32 MiB", a.post(arrayMedia, []byte("["+strings.Repeat("\"X\",", 8<<20)+"\"X\"]"), ""), []int{413}, true},
		{"a body of a terabyte", refusedLength, []int{413}, false},
		{"a body of 32 MiB in chunks", a.inChunks(bytes.Repeat([]byte("\"X\","), 8<<20)), []int{200, 413}, true},
		{"a line of 7 MiB", a.post(linesMedia, bytes.Repeat([]byte("X"), 7<<20), ""), []int{200, 400, 413}, false},
		{"a string of 7 MiB", a.post(arrayMedia, []byte("[\""+strings.Repeat("X", 7<<20)+"\"]"), ""), []int{200, 400, 413}, false},
		{"more positions than allowed", a.post(linesMedia, bytes.Repeat([]byte("X\n"), 150_000), ""), []int{413}, false},
		{"arrays in arrays", a.post(arrayMedia, bytes.Repeat([]byte("["), 7<<20), ""), []int{400}, false},
		{"objects in objects", a.post(arrayMedia, []byte("["+strings.Repeat("{\"a\":", 1<<20)), ""), []int{400}, false},
		{"a compressed body", a.post(arrayMedia, bomb, "Content-Encoding: gzip\r\n"), []int{400, 415}, false},
		{"a compressed body of lines", a.post(linesMedia, bomb, "Content-Encoding: gzip\r\n"), []int{200, 400, 415}, false},
		{"a body in a compressed transfer", []byte("POST " + path(a.rules, "positions") + " HTTP/1.1\r\nHost: localhost\r\n" + a.fields +
			"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), []int{400, 501}, false},
		{"a header of a mebibyte", wire.Get(host, target, "X: "+strings.Repeat("a", 1<<20)+"\r\n"), []int{431}, true},
		{"a header of 10,000 fields", wire.Get(host, target, strings.Repeat("X: a\r\n", 10_000)), []int{431}, true},
		{"an address of 10 KiB", wire.Get(host, target+strings.Repeat("X", 10<<10), a.fields), []int{400, 414, 431}, false},
		{"an address of a mebibyte", wire.Get(host, target+strings.Repeat("X", 1<<20), a.fields), []int{400, 414, 431}, true},
		{"a thousand parameters", wire.Get(host, target+strings.Repeat("&p=X", 1000), a.fields), []int{400, 414}, false},
		{"a long cookie and a long token", wire.Get(host, "/v1/tables", "Cookie: "+strings.Repeat("a", 20_000)+"\r\nAuthorization: Bearer "+strings.Repeat("b", 20_000)+"\r\n"), []int{431}, true},
	}
}

// squeezed returns so many blanks, compressed.
func squeezed(n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(bytes.Repeat([]byte(" "), n)) // a Buffer takes all
	z.Close()
	return b.Bytes()
}

// inChunks returns a batch whose body is sent in chunks, so that its length is
// not known before.
func (a *arena) inChunks(body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n",
		path(a.rules, "positions"), a.fields)
	for len(body) > 0 {
		part := body[:min(len(body), 1<<20)]
		body = body[len(part):]
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
	}
	b.WriteString("5\r\n\"X\"]\n\r\n0\r\n\r\n")
	return b.Bytes()
}

// paths are addresses that lead nowhere.
func paths(a *arena) (all []malformed) {
	game, size := a.rules.Name(), a.rules.Size()
	for _, target := range []string{
		"/v1/../../etc/passwd", "/../../../../etc/passwd", "/v1/" + game + "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/%2e%2e%2f%2e%2e%2fetc%2fpasswd/4",
		"/v1/..%2f..%2fetc/4/position?p=X", "/v1/..%5c..%5cwindows/4", "/assets/../../go.mod", "/assets/%2e%2e/%2e%2e/go.mod", "/assets/..%2f..%2fgo.mod", "//etc/passwd", "/etc/passwd",
		"/v1/" + game + "%00/4", "/v1/" + game + "/4%00.tb", "/v1/" + game + ".tb/4", "/v1//4", "/v1/%20/4", "/v1/" + strings.Repeat("a", 5000) + "/4",
		"/v1/" + game + "/-1", "/v1/" + game + "/0", "/v1/" + game + "/99", "/v1/" + game + "/4e0", "/v1/" + game + "/4.0", "/v1/" + game + "/0x4", "/v1/" + game + "/٤",
		"/v1/" + game + "/99999999999999999999999", "/v1/" + game + "/../" + game + "/4/position", "/v1/chess/8", "/v1/%ff%fe/4", "/v1/%F0%9F%92%A5/4",
		fmt.Sprintf("/v1/%s/%d/position", game, size), fmt.Sprintf("/v1/%s/%d/position?p=%%00", game, size), fmt.Sprintf("/v1/%s/%d/position?p=%%ff", game, size),
		fmt.Sprintf("/v1/%s/%d/position?p=X&p=Y", game, size), fmt.Sprintf("/v1/%s/%d/position?p=..%%2F..%%2Fetc%%2Fpasswd", game, size),
		fmt.Sprintf("/v1/%s/%d/position?p=X&after=..%%2F..%%2Fetc%%2Fpasswd", game, size), fmt.Sprintf("/v1/%s/%d/position;p=X", game, size),
		fmt.Sprintf("/v1/%s/%d/line?p=X&max_plies=-1", game, size), fmt.Sprintf("/v1/%s/%d/line?p=X&max_plies=1e9", game, size),
		fmt.Sprintf("/v1/%s/%d/move?p=X&blunder=NaN", game, size), fmt.Sprintf("/v1/%s/%d/move?p=X&policy=..%%2F", game, size),
		fmt.Sprintf("/v1/%s/%d/random?steps=-1", game, size), fmt.Sprintf("/v1/%s/%d/random?outcome=%%00", game, size), fmt.Sprintf("/v1/%s/%d/random?seed=-1", game, size),
	} {
		all = append(all, malformed{fmt.Sprintf("%.60q", target), wire.Get(host, target, a.fields), []int{301, 307, 400, 404, 414}, false})
	}
	return all
}
