package remote

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/tablebase/format"
)

// Whatever is wanted in whatever order: each piece is in its span, no span is longer than
// one may be, only what nobody fetches is to be fetched, and the cache keeps its bound.
func TestCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 4 << 20
		var c cache
		known := map[*span]bool{}
		var under []*span // way
		for range rapid.IntRange(1, 30).Draw(t, "calls") {
			var wanted []format.Extent
			for range rapid.IntRange(0, 6).Draw(t, "pieces") {
				offset := rapid.Int64Range(0, size-1).Draw(t, "offset")
				wanted = split(wanted, format.Extent{Offset: offset, Length: rapid.Int64Range(0, min(size-offset, 3*maxSpan)).Draw(t, "length")})
			}
			spans, fresh := c.take(wanted)
			for _, s := range fresh {
				if known[s] || s.length < 1 || s.length > maxSpan || s.bytes != nil {
					t.Fatalf("to be fetched: %d bytes at %d", s.length, s.offset)
				}
				known[s] = true
				under = append(under, s)
			}
			for i, w := range wanted {
				if !spans[i].has(w) || !known[spans[i]] {
					t.Fatalf("%v is to be in %d bytes at %d", w, spans[i].length, spans[i].offset)
				}
			}
			for len(under) > 0 && rapid.Bool().Draw(t, "done") {
				s := under[0]
				under = under[1:]
				if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					c.loaded(s, nil, ErrAnswer)
				} else {
					c.loaded(s, make([]byte, s.length), nil)
				}
				<-s.done
			}
			var held int64
			for _, s := range c.spans {
				held += int64(len(s.bytes))
				if s.err != nil {
					t.Fatal("a failure is kept")
				}
			}
			if held != c.bytes || held > cacheBytes {
				t.Fatalf("%d bytes are held, and counted %d", held, c.bytes)
			}
		}
	})
}

// Neighbours take one request, and those far from each other two.
func TestNeighboursAreJoined(t *testing.T) {
	extent := func(offset, length int64) format.Extent {
		return format.Extent{Offset: offset, Length: length}
	}
	for _, c := range []struct {
		wanted []format.Extent
		want   []format.Extent
	}{
		{nil, nil},
		{[]format.Extent{extent(100, 50), extent(0, 100)}, []format.Extent{extent(0, 150)}},
		{[]format.Extent{extent(0, 100), extent(0, 100), extent(20, 10)}, []format.Extent{extent(0, 100)}},
		{[]format.Extent{extent(0, 10), extent(10+maxGap, 10)}, []format.Extent{extent(0, 20+maxGap)}},
		{[]format.Extent{extent(0, 10), extent(11+maxGap, 10)}, []format.Extent{extent(0, 10), extent(11+maxGap, 10)}},
		{[]format.Extent{extent(0, maxSpan), extent(maxSpan, 1)}, []format.Extent{extent(0, maxSpan), extent(maxSpan, 1)}},
	} {
		var k cache
		_, fresh := k.take(c.wanted)
		var got []format.Extent
		for _, s := range fresh {
			got = append(got, extent(s.offset, s.length))
		}
		if len(got) != len(c.want) {
			t.Fatalf("%v: %v, want %v", c.wanted, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v: %v, want %v", c.wanted, got, c.want)
			}
		}
	}
}

// The cache keeps what was used last.
func TestCacheForgetsTheOldest(t *testing.T) {
	var c cache
	first := format.Extent{Length: maxSpan}
	for i := range int64(3 * cacheBytes / maxSpan) {
		_, fresh := c.take([]format.Extent{first, {Offset: i * maxSpan, Length: maxSpan}})
		for _, s := range fresh {
			c.loaded(s, make([]byte, s.length), nil)
		}
		if i > 0 && len(fresh) != 1 {
			t.Fatalf("after %d spans %d are fetched", i, len(fresh))
		}
	}
	if len(c.spans) != cacheBytes/maxSpan {
		t.Errorf("%d spans are held", len(c.spans))
	}
}

func TestParseContentRange(t *testing.T) {
	if first, last, size, ok := parseContentRange("bytes 0-8191/2117957"); first != 0 || last != 8191 || size != 2117957 || !ok {
		t.Errorf("%d, %d, %d, %v", first, last, size, ok)
	}
	for _, text := range []string{
		"", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/*", "bytes */7", "bytes 1-0/7", "bytes 0-7/7", "bytes -1-0/7", "bytes +0-1/7",
		"bytes 0-1/7 ", "items 0-1/7", "bytes=0-1/7", "bytes 0-1/99999999999999999999", "bytes 0-1/9223372036854775807", "bytes 0_0-1/7",
	} {
		if _, _, _, ok := parseContentRange(text); ok {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"https://example.org/tables": true, "HTTP://example.org": true, "tables": false, "/data/https://x": false, "ftp://example.org/": false,
		"https:/example.org": false, "": false, "C://tables": false,
	} {
		if IsURL(text) != want {
			t.Errorf("IsURL(%q) is not %v", text, want)
		}
	}
	if got := Name("https://me:secret@example.org/a%20b/t.zst?token=secret#secret"); got != "https://example.org/a%20b/t.zst" {
		t.Errorf("the name is %s", got)
	}
	if got := Name("https://me:secret@exa mple.org/%zz"); got != "the address" {
		t.Errorf("the name is %s", got)
	}
	for dir, want := range map[string]string{
		"https://example.org":                "https://example.org/t.zst",
		"https://example.org/":               "https://example.org/t.zst",
		"https://example.org/tables":         "https://example.org/tables/t.zst",
		"https://me@example.org/tables/?a=b": "https://me@example.org/tables/t.zst?a=b",
	} {
		if got := Join(dir, "t.zst"); got != want {
			t.Errorf("in %s it is %s, want %s", dir, got, want)
		}
	}
}
