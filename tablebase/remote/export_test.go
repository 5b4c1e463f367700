//go:build !js

package remote

import (
	"context"
	"net/http"
	"time"

	"backsolve/tablebase/reader"
)

// OpenQuickly is Open for tests, which do not wait for long before another try, and for a
// silent server. The client is nil for the usual one.
func OpenQuickly(ctx context.Context, address string, limit time.Duration, h *http.Client) (*reader.Table, error) {
	c := newClient()
	if h != nil {
		h.CheckRedirect = checkRedirect
		c = httpClient{h}
	}
	return open(ctx, address, c, retries{tries: 3, pause: time.Millisecond, limit: limit, least: 16 << 10, whole: Deadline}, reader.OpenStorage)
}

// OpenBy is Open by a client.
func OpenBy(ctx context.Context, address string, h *http.Client) (*reader.Table, error) {
	return open(ctx, address, httpClient{h}, usualRetries, reader.OpenStorage)
}

// FetchQuickly is Fetch.Run for tests.
func FetchQuickly(ctx context.Context, c *Fetch) error {
	return c.run(ctx, newClient(), retries{tries: 3, pause: time.Millisecond, limit: time.Minute, least: 16 << 10, whole: Deadline})
}
