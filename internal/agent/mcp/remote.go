package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newTransport returns the transport to the server over HTTP.
func (s *server) newTransport() (sdk.Transport, error) {
	fill := func(what, text string) (string, error) {
		out, unset := environ.Expand(text, s.pool.opts.Environ, false)
		if unset != "" {
			return "", fmt.Errorf("the server's %s needs the variable %s, which is not set: set the variable, or remove that part", what, unset)
		}
		return out, nil
	}
	where, err := fill("url", s.spec.URL)
	if err != nil {
		return nil, err
	}
	asked, err := url.Parse(s.spec.URL)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(where); err != nil || u.Host != asked.Host || u.Scheme != asked.Scheme {
		return nil, errors.New("a variable in the server's URL changes its host: write the host without variables")
	}
	web := &hostTransport{host: asked.Host, scheme: asked.Scheme, limit: int64(s.limits().Message), headers: http.Header{}}
	for _, h := range s.spec.Headers {
		value, err := fill("header "+h.Name, h.Value)
		if err != nil {
			return nil, err
		}
		web.headers.Set(h.Name, value)
	}
	web.base = http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{Transport: web, CheckRedirect: web.checkRedirect}
	if s.spec.SSE {
		return &sdk.SSEClientTransport{Endpoint: where, HTTPClient: client, MaxEventSize: s.limits().Message}, nil
	}
	// As in docker-agent, the server only answers and sends nothing on its own.
	return &sdk.StreamableClientTransport{Endpoint: where, HTTPClient: client, MaxRetries: 1, DisableStandaloneSSE: true, MaxEventSize: s.limits().Message}, nil
}

// A hostTransport sends requests to a single host, with the headers of the server's entry.
type hostTransport struct {
	base         http.RoundTripper
	scheme, host string
	headers      http.Header
	limit        int64
}

// RoundTrip makes one request.
func (w *hostTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != w.host || req.URL.Scheme != w.scheme {
		return nil, fmt.Errorf("the server redirects to %s://%s: if that is right, use that address as its url", req.URL.Scheme, req.URL.Host)
	}
	req = req.Clone(req.Context())
	for name, values := range w.headers {
		req.Header[name] = values
	}
	res, err := w.base.RoundTrip(req)
	if err == nil && !isStream(res) {
		res.Body = &limitedBody{ReadCloser: res.Body, left: w.limit}
	}
	return res, err
}

func isStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// checkRedirect allows at most three redirects. RoundTrip restricts them to the server's own host.
func (w *hostTransport) checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return errors.New("the server redirected more than 3 times")
	}
	return nil // RoundTrip checks the host
}

// A limitedBody is a response body that fails when more than left bytes are read.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the server's answer is too large")
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}
