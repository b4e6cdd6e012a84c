package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/checkrein/checkrein/internal/sys/build"
)

const (
	maxBody      = 1 << 20 // maximum size of an answer
	maxHeader    = 64 << 10
	maxRedirects = 3
	maxShown     = 200 // maximum number of characters of a body in an error
)

// postPayload sends the payload with the headers own and follows redirects. Once a redirect has left
// the origin of the hook's URL, own is no longer sent, even if a later redirect leads back.
func (h *handler) postPayload(ctx context.Context, payload []byte, own http.Header) (response, error) {
	trip := h.newTransport()
	// This cancels connection attempts and handshakes, which the transport would continue after the
	// context ended.
	defer trip.CloseIdleConnections()
	target := h.url
	for hops := 0; ; hops++ {
		resp, err := sendOnce(ctx, trip, target, payload, own)
		if err != nil {
			return response{}, fmt.Errorf("POST %s: %w", origin(target), err)
		}
		if !isRedirect(resp.StatusCode) {
			return readResponse(target, resp)
		}
		_ = resp.Body.Close() // the body of a redirect is not needed
		next, err := h.redirectTarget(target, resp)
		if err == nil && hops == maxRedirects {
			err = fmt.Errorf("more than %d redirects: use the final URL", maxRedirects)
		}
		if err != nil {
			return response{}, response{from: target, status: resp.StatusCode}.wrapError(err)
		}
		if origin(next) != origin(target) {
			own = nil
		}
		target = next
	}
}

// newTransport returns the transport for one call. It ignores HTTP_PROXY and similar variables,
// because a proxy would resolve names itself and so bypass the dialGuard.
func (h *handler) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            h.guard.dial,
		TLSClientConfig:        &tls.Config{RootCAs: h.roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// sendOnce sends one request. It uses the transport directly, because an http.Client would add
// cookies, follow redirects, and put URLs into errors.
func sendOnce(ctx context.Context, trip http.RoundTripper, to *url.URL, payload []byte, own http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "checkrein/"+build.Version)
	for name, values := range own {
		req.Header[name] = values
	}
	return trip.RoundTrip(req)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirectTarget returns the target of a redirect, or an error if it may not be followed. Only 307 and
// 308 repeat the same request; other redirects would turn it into a GET without the event.
func (h *handler) redirectTarget(from *url.URL, resp *http.Response) (*url.URL, error) {
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, errors.New("the server redirects, but gives no address")
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("redirect: %w", withoutURL(err))
	}
	if to, err = parseURL(to.String(), h.allowLocal); err != nil {
		return nil, fmt.Errorf("redirect: %w", err)
	}
	switch {
	case resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect:
		return nil, fmt.Errorf("redirects to %s, which would lose the event: use the final URL", origin(to))
	case from.Scheme == "https" && to.Scheme != "https", checkEncrypted(to) != nil:
		return nil, fmt.Errorf("redirects to %s, which is not encrypted: use a URL that does not leave https", origin(to))
	case isGate(&h.hook) && origin(to) != origin(h.url):
		return nil, fmt.Errorf("redirects to %s, but a gate may call only the server in its url: use the final URL", origin(to))
	}
	return to, nil
}
