package provider

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model/line"
)

// maxBody bounds an answer.
const maxBody = 32 << 20

// maxRefusal is what is read of an error.
const maxRefusal = 64 << 10

// client returns the client of a call.
func (c *Call) client() (*http.Client, error) {
	roots, err := vouchers(c.CAFile)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyOf(c.Proxy)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport: &transport{call: c, next: &http.Transport{
			Proxy:                  proxy,
			TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext:            (&net.Dialer{Timeout: c.Limits.Connect}).DialContext,
			TLSHandshakeTimeout:    c.Limits.Connect,
			MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2:      true,
		}},
		CheckRedirect: redirect,
	}, nil
}

// vouchers returns the system's certificates and those in file. nil means only the system's.
func vouchers(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, line.Faultf(line.Unreachable, "cannot read the ca_file of your models.yaml: %v", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, line.Faultf(line.Unreachable, "the ca_file of your models.yaml has no certificate in it: %s", file)
	}
	return pool, nil
}

// proxyOf returns the function that chooses the proxy: own, which the user's file names, or
// else the one in the environment, which a guard's call starts without. Requests to this
// machine use no proxy.
func proxyOf(own string) (func(*http.Request) (*url.URL, error), error) {
	named := http.ProxyFromEnvironment
	if own != "" {
		u, err := url.Parse(own)
		if err != nil { // which would show it, and it may hold a password
			return nil, line.Faultf(line.Unreachable, "the proxy of your models.yaml is not a URL")
		}
		named = http.ProxyURL(u)
	}
	return func(req *http.Request) (*url.URL, error) {
		if loopback(req.URL.Hostname()) {
			return nil, nil
		}
		return named(req)
	}, nil
}

func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// maxRedirects bounds redirects, which only a proxy in front of an engine has a
// reason for.
const maxRedirects = 3

// redirect follows a redirect only to the same server, which alone may receive the
// conversation and the key, and only if the request remains a POST.
func redirect(req *http.Request, via []*http.Request) error {
	same := req.URL.Scheme == via[0].URL.Scheme && req.URL.Host == via[0].URL.Host
	if !same || req.Method != http.MethodPost || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// An exchange is one request and what came back, as the transport saw it.
type exchange struct {
	call    *Call
	heard   func()
	refused *refused // the answer's status is not 200
	err     error    // the first thing that is wrong with the answer
	done    bool     // the stream said [DONE]
}

// hasFailed reports whether the exchange was refused or failed.
func (x *exchange) hasFailed() bool { return x.refused != nil || x.err != nil }

// fail keeps what is wrong: SDKs may hide it.
func (x *exchange) fail(err error) error {
	if x.err == nil {
		x.err = err
	}
	return err
}

// refused is an answer whose status is not 200.
type refused struct {
	resp *http.Response
	body []byte
	err  error // the body could not be read to its end
}

// A transport checks answers before SDKs do, because SDKs differ in what they treat as an
// error and in how much of it they show.
type transport struct {
	call *Call
	next *http.Transport
}

// CloseIdleConnections closes them.
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x := t.call.now
	x.refused = nil // a redirect is, if it is the last answer
	src := &watched{ReadCloser: resp.Body, left: maxBody, heard: x.heard}
	if resp.StatusCode != http.StatusOK {
		raw, err := io.ReadAll(io.LimitReader(src, maxRefusal))
		_ = resp.Body.Close()
		x.refused = &refused{resp, raw, err}
		resp.Body = io.NopCloser(bytes.NewReader(raw))
		return resp, nil
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "text/event-stream":
		resp.Body = newFrames(src, x)
	case "application/json", "":
		resp.Body = &whole{src: src, x: x}
	default:
		_ = resp.Body.Close()
		return nil, x.fail(line.Faultf(line.Garbled, "the server answered with %s, not with a completion: is base_url correct?", t.call.clean(kind)))
	}
	resp.Header.Set("Content-Type", "text/event-stream")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	return resp, nil
}

// A watched reader calls heard for each read, and ends a body that is too long.
type watched struct {
	io.ReadCloser
	left  int
	heard func()
}

var errTooLong = line.Faultf(line.Garbled, "the answer is longer than %d bytes", maxBody)

func (w *watched) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errTooLong
	}
	n, err := w.ReadCloser.Read(p[:min(len(p), w.left)])
	w.left -= n
	if n > 0 {
		w.heard()
	}
	return n, err
}

// whole is an answer that comes at once, as a stream of one event.
type whole struct {
	src  io.ReadCloser
	x    *exchange
	out  *bytes.Reader
	once bool
}

func (w *whole) Read(p []byte) (int, error) {
	if !w.once {
		w.once = true
		data, err := io.ReadAll(w.src)
		if err != nil {
			return 0, w.x.fail(err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return 0, w.x.fail(errEmpty)
		}
		if data, err = w.x.check(data); err != nil {
			return 0, w.x.fail(err)
		}
		w.out, w.x.done = bytes.NewReader(fmt.Appendf(nil, "data: %s\n\n", data)), true
	}
	if w.out == nil {
		return 0, io.EOF
	}
	return w.out.Read(p)
}

func (w *whole) Close() error { return w.src.Close() }
