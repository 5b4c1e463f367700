package store

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/johannesboyne/gofakes3"
)

// copying serves what the next handler does, with its objects, and multipart uploads with copied
// parts. It refuses short ones, as S3 does.
type copying struct {
	objects gofakes3.Backend
	next    http.Handler
	copied  int64 // bytes
	lock    sync.Mutex
	lengths map[string][]int64 // of parts, by upload
}

// ServeHTTP implements http.Handler.
func (c *copying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	upload := r.URL.Query().Get("uploadId")
	part, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
	switch {
	case part > 0 && r.Header.Get("X-Amz-Copy-Source") != "":
		c.copy(w, r, upload, part)
	case upload != "" && r.Method == http.MethodPost && c.isShort(upload):
		http.Error(w, `<Error><Code>EntityTooSmall</Code><Message>a part is too small</Message></Error>`, http.StatusBadRequest)
	default:
		if part > 0 {
			c.note(upload, part, r.ContentLength)
		}
		c.next.ServeHTTP(w, r)
	}
}

func (c *copying) note(upload string, part int, length int64) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.lengths == nil {
		c.lengths = map[string][]int64{}
	}
	all := c.lengths[upload]
	all = append(all, make([]int64, max(0, part-len(all)))...)
	all[part-1] = length
	c.lengths[upload] = all
}

// isShort reports whether any part but the last is too short.
func (c *copying) isShort(upload string) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	all := c.lengths[upload]
	return len(all) > 0 && slices.Min(append(all[:len(all)-1:len(all)-1], leastPart)) < leastPart
}

// copy uploads a part whose bytes are those of an object.
func (c *copying) copy(w http.ResponseWriter, r *http.Request, upload string, part int) {
	source, _ := url.PathUnescape(strings.TrimPrefix(r.Header.Get("X-Amz-Copy-Source"), "/"))
	bucket, key, _ := strings.Cut(source, "/")
	var run gofakes3.ObjectRangeRequest
	_, err := fmt.Sscanf(r.Header.Get("X-Amz-Copy-Source-Range"), "bytes=%d-%d", &run.Start, &run.End)
	var object *gofakes3.Object
	if err == nil {
		object, err = c.objects.GetObject(bucket, key, &run)
	}
	if err != nil {
		http.Error(w, `<Error><Code>NoSuchKey</Code><Message>there is no such source</Message></Error>`, http.StatusNotFound)
		return
	}
	put := r.Clone(r.Context())
	put.Header.Del("X-Amz-Copy-Source")
	put.Header.Del("X-Amz-Copy-Source-Range")
	put.Body, put.ContentLength = object.Contents, object.Range.Length
	put.Header.Set("Content-Length", strconv.FormatInt(put.ContentLength, 10))
	c.note(upload, part, put.ContentLength)
	answer := httptest.NewRecorder()
	c.next.ServeHTTP(answer, put)
	if answer.Code != http.StatusOK {
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
		return
	}
	c.lock.Lock()
	c.copied += put.ContentLength
	c.lock.Unlock()
	fmt.Fprintf(w, `<CopyPartResult><ETag>%s</ETag></CopyPartResult>`, answer.Header().Get("ETag"))
}
