package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// It answers with the given number of bytes and the given headers, and with 404 at other paths.
func TestConstant(t *testing.T) {
	h, err := newConstant(map[string]int{"position": 900, "positions": 5}, []string{"vary: Accept-Encoding", "Cache-Control: public, no-cache"})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"/v1/quixo/4/position?p=X": 900, "/v1/quixo/4/positions": 5} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", target, strings.NewReader("body")))
		if w.Code != 200 || w.Body.Len() != want {
			t.Errorf("%s: status %d, %d bytes, want %d", target, w.Code, w.Body.Len(), want)
		}
		for name, want := range map[string]string{"Vary": "Accept-Encoding", "Cache-Control": "public, no-cache", "Content-Type": "application/json"} {
			if got := w.Header().Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/quixo/4/line", nil))
	if w.Code != 404 {
		t.Errorf("status %d of an address without a size", w.Code)
	}
}

func TestRefusals(t *testing.T) {
	for flag, value := range map[string]string{"--sizes": "position=-1", "--header": "Vary"} {
		cmd := newCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs([]string{flag, value})
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s %s: %v", flag, value, err)
		}
	}
}
