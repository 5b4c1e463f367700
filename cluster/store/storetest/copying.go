// Package storetest makes the S3 server of tests copy parts, and refuse short ones, as S3 does.
package storetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/johannesboyne/gofakes3"
)

// leastPart is the least length of a part that is not the last.
const leastPart = 5 << 20

// Copying serves what the next handler does, with its objects, and multipart uploads with copied
// parts.
type Copying struct {
	Objects gofakes3.Backend
	Next    http.Handler
	Copied  int64 // bytes
	lock    sync.Mutex
	lengths map[string]map[int]int64 // by upload and part
}

// ServeHTTP implements http.Handler.
func (c *Copying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	upload, part := r.URL.Query().Get("uploadId"), r.URL.Query().Get("partNumber")
	switch {
	case upload != "" && part != "" && r.Header.Get("X-Amz-Copy-Source") != "":
		c.copy(w, r)
	case upload != "" && r.Method == http.MethodPost && c.isShort(upload):
		http.Error(w, `<Error><Code>EntityTooSmall</Code><Message>a part is too small</Message></Error>`, http.StatusBadRequest)
	default:
		if part != "" {
			c.note(upload, part, r.ContentLength)
		}
		c.Next.ServeHTTP(w, r)
	}
}

func (c *Copying) note(upload, part string, length int64) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.lengths == nil {
		c.lengths = map[string]map[int]int64{}
	}
	if c.lengths[upload] == nil {
		c.lengths[upload] = map[int]int64{}
	}
	number, _ := strconv.Atoi(part)
	c.lengths[upload][number] = length
}

// isShort reports whether any part but the last is too short.
func (c *Copying) isShort(upload string) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	for number, length := range c.lengths[upload] {
		if length < leastPart && number < len(c.lengths[upload]) {
			return true
		}
	}
	return false
}

// copy uploads a part whose bytes are those of an object.
func (c *Copying) copy(w http.ResponseWriter, r *http.Request) {
	source, err := url.PathUnescape(strings.TrimPrefix(r.Header.Get("X-Amz-Copy-Source"), "/"))
	bucket, key, _ := strings.Cut(source, "/")
	var object *gofakes3.Object
	if err == nil {
		object, err = c.Objects.GetObject(bucket, key, nil)
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(object.Contents)
	}
	first, last := 0, len(body)-1
	if n, _ := fmt.Sscanf(r.Header.Get("X-Amz-Copy-Source-Range"), "bytes=%d-%d", &first, &last); err != nil || n == 1 || first > last || last >= len(body) {
		http.Error(w, `<Error><Code>NoSuchKey</Code><Message>there is no such source</Message></Error>`, http.StatusNotFound)
		return
	}
	body = body[first : last+1]
	put := r.Clone(r.Context())
	put.Header.Del("X-Amz-Copy-Source")
	put.Header.Del("X-Amz-Copy-Source-Range")
	put.Header.Set("Content-Length", strconv.Itoa(len(body)))
	put.Body, put.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	c.note(r.URL.Query().Get("uploadId"), r.URL.Query().Get("partNumber"), int64(len(body)))
	answer := httptest.NewRecorder()
	c.Next.ServeHTTP(answer, put)
	if answer.Code != http.StatusOK {
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
		return
	}
	c.lock.Lock()
	c.Copied += int64(len(body))
	c.lock.Unlock()
	fmt.Fprintf(w, `<CopyPartResult><ETag>%s</ETag></CopyPartResult>`, answer.Header().Get("ETag"))
}
