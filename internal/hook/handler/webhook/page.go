package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/checkrein/checkrein/internal/sys/build"
)

// A Page is the response to a GET request.
type Page struct {
	Status int
	Type   string // content type
	Body   []byte
	Cut    bool   // the body was truncated
	Moved  string // the URL of a redirect to another server, or ""
}

// GetPage returns the page at the URL raw, truncated to limit bytes. It calls only addresses that a
// hook may call. Redirects are followed on the same server only, because permission for one server
// does not extend to another.
func GetPage(ctx context.Context, opts Options, raw string, limit int64) (Page, error) {
	p, err := fetchPage(ctx, opts, raw, limit)
	if no := (*restrictedError)(nil); errors.As(err, &no) { // replace the remedy, which applies to hooks only
		err = fmt.Errorf("%s: only addresses on the public network can be fetched", no.why)
	}
	return p, err
}

// fetchPage is GetPage without the adapted error.
func fetchPage(ctx context.Context, opts Options, raw string, most int64) (Page, error) {
	u, err := parseURL(raw, opts.AllowLocal)
	if err != nil {
		return Page{}, err
	}
	h := handler{url: u, allowLocal: opts.AllowLocal, guard: newGuard(opts.Resolver, opts.AllowLocal), roots: opts.Roots}
	trip := h.newTransport()
	defer trip.CloseIdleConnections()
	for hops := 0; ; hops++ {
		p, to, err := getOnce(ctx, trip, u, most)
		if err != nil {
			return Page{}, fmt.Errorf("GET %s: %w", origin(u), err)
		}
		if to == nil {
			return p, nil
		}
		if to.Hostname() != u.Hostname() || to.Port() != u.Port() && to.Scheme == u.Scheme || u.Scheme == "https" && to.Scheme != "https" {
			p.Moved = to.String()
			return p, nil
		}
		if hops == maxRedirects {
			return Page{}, fmt.Errorf("GET %s: more than %d redirects", origin(u), maxRedirects)
		}
		if u, err = parseURL(to.String(), opts.AllowLocal); err != nil {
			return Page{}, err
		}
	}
}

// getOnce sends one request. If the server redirects, to is the new URL, otherwise nil.
func getOnce(ctx context.Context, trip http.RoundTripper, u *url.URL, most int64) (p Page, to *url.URL, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return p, nil, err
	}
	req.Header.Set("Accept", "text/html, text/plain, application/json;q=0.9, */*;q=0.5")
	req.Header.Set("User-Agent", "checkrein/"+build.Version)
	resp, err := trip.RoundTrip(req)
	if err != nil {
		return p, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	p = Page{Status: resp.StatusCode, Type: resp.Header.Get("Content-Type")}
	if isRedirect(resp.StatusCode) {
		if to, err = u.Parse(resp.Header.Get("Location")); err != nil || to.Host == "" {
			return p, nil, errors.New("the server redirects, but gives no address")
		}
		return p, to, nil
	}
	p.Body, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return p, nil, err
	}
	if int64(len(p.Body)) > most {
		p.Body, p.Cut = p.Body[:most], true
	}
	return p, nil, nil
}
