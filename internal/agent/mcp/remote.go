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

// reach is the way to a server over HTTP.
func (s *server) reach() (sdk.Transport, error) {
	fill := func(what, text string) (string, error) {
		out, unset := environ.Fill(text, s.pool.opts.Environ, false)
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
		return nil, errors.New("a variable changes the host in the server's url: write the host out")
	}
	web := &web{host: asked.Host, scheme: asked.Scheme, limit: int64(s.limits().Message), headers: http.Header{}}
	for _, h := range s.spec.Headers {
		value, err := fill("header "+h.Name, h.Value)
		if err != nil {
			return nil, err
		}
		web.headers.Set(h.Name, value)
	}
	web.base = http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{Transport: web, CheckRedirect: web.redirect}
	if s.spec.SSE {
		return &sdk.SSEClientTransport{Endpoint: where, HTTPClient: client, MaxEventSize: s.limits().Message}, nil
	}
	// As in docker-agent, the server speaks when it is asked, and not on its own.
	return &sdk.StreamableClientTransport{Endpoint: where, HTTPClient: client, MaxRetries: 1, DisableStandaloneSSE: true, MaxEventSize: s.limits().Message}, nil
}

// A web sends requests to one host, with the headers of its entry.
type web struct {
	base         http.RoundTripper
	scheme, host string
	headers      http.Header
	limit        int64
}

// RoundTrip does one request.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != w.host || req.URL.Scheme != w.scheme {
		return nil, fmt.Errorf("the server redirects to %s://%s: if that is right, use that address in url", req.URL.Scheme, req.URL.Host)
	}
	req = req.Clone(req.Context())
	for name, values := range w.headers {
		req.Header[name] = values
	}
	res, err := w.base.RoundTrip(req)
	if err == nil && !isStream(res) {
		res.Body = &bounded{ReadCloser: res.Body, left: w.limit}
	}
	return res, err
}

func isStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// redirect lets the server send us on within its own host.
func (w *web) redirect(_ *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return errors.New("the server redirects in a loop")
	}
	return nil // RoundTrip looks at the host
}

// A bounded body fails when it is too large.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
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
