package machine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A client sends signed requests to the hub.
type client struct {
	base string
	hub  string
	key  ed25519.PrivateKey
	http *http.Client
	skew atomic.Int64 // nanoseconds that the hub's clock is ahead
}

// newClient returns a client of the hub at base. See [NewHTTPClient] for ca and proxy.
func newClient(base, hub, ca, proxy string, key ed25519.PrivateKey) (*client, error) {
	h, err := NewHTTPClient(base, ca, proxy)
	return &client{base: strings.TrimSuffix(base, "/"), hub: hub, key: key, http: h}, err
}

// NewHTTPClient returns an HTTP client for the hub at base. ca is a file with certificates that the
// system does not know, or "". Requests go through proxy, a URL; "" means those of the environment.
func NewHTTPClient(base, ca, proxy string) (*http.Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a hub: it must begin with https://", base)
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("reading the certificates: %w", err)
		}
		if conf.RootCAs, err = x509.SystemCertPool(); err != nil {
			conf.RootCAs = x509.NewCertPool()
		}
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", ca)
		}
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 20 * time.Second, ResponseHeaderTimeout: time.Minute, IdleConnTimeout: 90 * time.Second,
	}
	if proxy != "" {
		via, err := url.Parse(proxy)
		if err != nil || via.Host == "" {
			return nil, fmt.Errorf("%q is not the address of a proxy: write one such as http://proxy.example.com:3128", proxy)
		}
		transport.Proxy = http.ProxyURL(via)
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: transport, CheckRedirect: noRedirect}, nil
}

// Unreachable returns err, why a request to the hub at base got no answer, with a remedy.
func Unreachable(base string, err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the path
	}
	var (
		invalid  x509.CertificateInvalidError
		unknown  x509.UnknownAuthorityError
		mismatch x509.HostnameError
	)
	remedy := "check that it is running, and that no firewall or proxy is in the way"
	switch {
	case errors.As(err, &unknown):
		remedy = "log in or join with --ca FILE, the certificate of the hub's authority"
	case errors.As(err, &mismatch):
		remedy = "use the address that the hub's certificate is for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		remedy = "renew the hub's certificate, or correct this machine's clock"
	}
	return fmt.Errorf("the hub at %s cannot be reached: %w: %s", base, err, remedy)
}

// clockOffset returns how far the hub's clock is ahead of the machine's, unless that is less than [protocol.MaxClockSkew].
func (c *client) clockOffset() time.Duration { return time.Duration(c.skew.Load()).Round(time.Second) }

// do sends a signed request and returns the answer if its status is 200. If the hub refuses it because
// of the time, do corrects its clock and sends it once more.
func (c *client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		protocol.Sign(req, body, c.hub, c.key, time.Now().Add(time.Duration(c.skew.Load())))
		resp, err := c.http.Do(req)
		if err != nil {
			return nil, Unreachable(c.base, err)
		}
		if resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		refusal := ReadRefusal(resp)
		now, err := strconv.ParseInt(resp.Header.Get(protocol.TimeHeader), 10, 64)
		if err != nil || attempt > 0 || refusal.Status != http.StatusUnauthorized {
			return nil, refusal
		}
		c.skew.Store(int64(time.Until(time.Unix(now, 0))))
	}
}

// ReadRefusal reads and closes the body of an answer that refuses a request.
func ReadRefusal(resp *http.Response) *protocol.Refusal {
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	r := &protocol.Refusal{Status: resp.StatusCode}
	_ = json.Unmarshal(data, r) // a proxy may have answered
	r.Why = cmp.Or(r.Why, "the hub answered "+resp.Status)
	return r
}

// call sends in as JSON and decodes the answer into out, unless that is nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return c.exchange(ctx, method, path, body, out)
}

// exchange sends body and decodes the answer into out, unless that is nil.
func (c *client) exchange(ctx context.Context, method, path string, body []byte, out any) error {
	resp, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		return err
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(out); err != nil {
		return fmt.Errorf("reading the hub's answer: %w", err)
	}
	return nil
}

// Ends returns what the hub has of a ledger.
func (c *client) Ends(ctx context.Context, ledger string) (ends protocol.Ends, err error) {
	err = c.call(ctx, http.MethodGet, protocol.PathRecords+"?ledger="+url.QueryEscape(ledger), nil, &ends)
	return ends, err
}

// Send sends a batch of records.
func (c *client) Send(ctx context.Context, text []byte) (head protocol.Head, err error) {
	err = c.exchange(ctx, http.MethodPost, protocol.PathRecords, protocol.Compress(text), &head)
	if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusConflict {
		return head, fmt.Errorf("%w: %s", protocol.ErrNotNext, refusal.Why)
	}
	return head, err
}
