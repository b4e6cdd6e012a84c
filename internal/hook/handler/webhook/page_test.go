package webhook

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGet(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			_, _ = w.Write([]byte(strings.Repeat("x", 100)))
		case "/near":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/far":
			http.Redirect(w, r, "http://other.example/x", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		default:
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("page"))
		}
	}))
	defer srv.Close()
	near := Options{AllowLocal: true}
	for _, tt := range []struct {
		path string
		want Page
	}{
		{"/page", Page{Status: 200, Type: "text/plain", Body: []byte("page")}},
		{"/near", Page{Status: 200, Type: "text/plain", Body: []byte("page")}},
		{"/long", Page{Status: 200, Type: "text/plain; charset=utf-8", Body: []byte("xxxxxxxxxx"), Cut: true}},
		{"/far", Page{Status: 302, Type: "text/html; charset=utf-8", Moved: "http://other.example/x"}},
		{"/inside", Page{Status: 302, Type: "text/html; charset=utf-8", Moved: "http://169.254.169.254/latest"}},
		{"/gone", Page{Status: 410}},
	} {
		p, err := GetPage(t.Context(), near, srv.URL+tt.path, 10)
		if err != nil || p.Status != tt.want.Status || p.Type != tt.want.Type || string(p.Body) != string(tt.want.Body) || p.Cut != tt.want.Cut || p.Moved != tt.want.Moved {
			t.Errorf("%s: %+v, %v", tt.path, p, err)
		}
	}
	_, err := GetPage(t.Context(), near, srv.URL+"/loop", 10)
	wantError(t, err, "more than 3 redirects")
	for raw, want := range map[string]string{
		srv.URL:                          "this machine",
		"http://localhost/":              "this machine",
		"http://169.254.169.254/latest/": "metadata",
		"http://[::1]/":                  "this machine",
		"http://2130706433/":             "",
		"file:///etc/passwd":             "",
		"http://user:pw@example.com/":    "",
	} {
		if p, err := GetPage(t.Context(), Options{}, raw, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", raw, p, err)
		}
	}
}
