package webhook

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodGet || len(body) > 0 {
			t.Errorf("%s with %q", r.Method, body)
		}
		switch r.URL.Path {
		case "/ok":
			_, _ = io.WriteString(w, `{"a":1}`)
		case "/away":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, maxFetched+1))
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer server.Close()
	for url, want := range map[string]string{
		server.URL + "/ok": "", server.URL + "/away": "302", server.URL + "/large": "longer", server.URL + "/x": "418",
		"http://169.254.169.254/latest": "metadata", "file:///etc/passwd": "scheme", "": "scheme",
	} {
		h, err := FetchType(Options{}).New(checkrein.Hook{With: []byte(`{"url":` + string(rawjson.Quote(url)) + `}`)})
		var ans checkrein.Answer
		if err == nil {
			ans, err = h.Handle(context.Background(), checkrein.Event{})
		}
		switch {
		case want == "":
			if err != nil || string(ans.Raw) != `{"a":1}` || !ans.IsZero() {
				t.Errorf("%s: %+v, %v", url, ans, err)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}
