package cli

import "testing"

func TestBytesValue(t *testing.T) {
	for text, want := range map[string]BytesValue{"8GiB": 8 << 30, "8G": 8_000_000_000, "8000000000": 8_000_000_000, "1.5 GiB": 3 << 29} {
		var v BytesValue
		if err := v.Set(text); err != nil || v != want {
			t.Errorf("%s: %d, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "0", "-1GiB", "GiB", "1e30", "99999PiB", "nan"} {
		var v BytesValue
		if err := v.Set(text); err == nil || v != 0 {
			t.Errorf("%s: %d, %v", text, v, err)
		}
	}
}
