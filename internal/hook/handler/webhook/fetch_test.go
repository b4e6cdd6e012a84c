package webhook

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
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

// TestFetchPosts checks that a body is posted once and that any 2xx status is accepted.
func TestFetchPosts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || string(body) != `{"model":"a"}` || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s with %q", r.Method, r.Header.Get("Content-Type"), body)
		}
		switch r.URL.Path {
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
		case "/away":
			http.Redirect(w, r, "/empty", http.StatusTemporaryRedirect)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	for url, want := range map[string]string{
		server.URL + "/ok": "", server.URL + "/empty": "", server.URL + "/away": "307", server.URL + "/broken?key=k": "500",
		"http://169.254.169.254/latest": "metadata", "ftp://127.0.0.1/": "scheme",
	} {
		h, err := FetchType(Options{}).New(checkrein.Hook{With: []byte(`{"url":` + string(rawjson.Quote(url)) + `,"body":{"model":"a"}}`)})
		if err == nil {
			_, err = h.Handle(context.Background(), checkrein.Event{})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "key=k")) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
