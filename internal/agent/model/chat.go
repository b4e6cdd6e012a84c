package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/build"
)

// chat is a model that is served as chat completions.
type chat struct {
	model  team.Model
	url    *url.URL // of the completions
	key    string
	idle   time.Duration
	client *http.Client
	wait   func(context.Context, time.Duration) error // between tries

	retries  int
	replaced bool // by another model
}

func openChat(c Config, m team.Model) (*chat, error) {
	if err := complete(&m, c.Getenv); err != nil {
		return nil, err
	}
	base, err := expand(m.BaseURL, c.Getenv)
	if err != nil {
		return nil, err
	}
	u, err := parseBase(base)
	if err != nil {
		return nil, err
	}
	m.BaseURL = u.String()
	if m.Model, err = expand(m.Model, c.Getenv); err != nil {
		return nil, err
	}
	ch := &chat{model: m, url: u.JoinPath("chat", "completions"), idle: c.Idle, wait: pause, retries: maxRetries, replaced: c.Replaced}
	if c.Replaced {
		ch.retries = c.Retries
	}
	if ch.idle <= 0 {
		ch.idle = DefaultIdle
	}
	if m.TokenKey != "" {
		ch.key = c.Getenv(m.TokenKey)
	}
	if strings.ContainsFunc(ch.key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, fmt.Errorf("the environment variable %s holds no key: there are spaces or other characters in it that no key has", m.TokenKey)
	}
	connect := c.Connect
	if connect <= 0 {
		connect = DefaultConnect
	}
	ch.client = client(connect)
	return ch, nil
}

// parseBase reads base_url.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil { // which would show the address, and what is in it
		return nil, errors.New("base_url is no address: write https://host/v1")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("base_url %q is no address of a server: write https://host/v1", u.Redacted())
	}
	if u.User != nil {
		return nil, errors.New("base_url holds a user or password: put the key into an environment variable and name that as token_key")
	}
	u.Fragment = ""
	return u, nil
}

func client(connect time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  proxy,
			DialContext:            (&net.Dialer{Timeout: connect}).DialContext,
			TLSHandshakeTimeout:    connect,
			MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: redirect,
	}
}

// proxy is the one that the environment names, and none for what is on this
// machine.
func proxy(req *http.Request) (*url.URL, error) {
	if loopback(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
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

// redirect follows one only to the same server, and only if the request stays
// what it is: the conversation and the key are for nobody else.
func redirect(req *http.Request, via []*http.Request) error {
	same := req.URL.Scheme == via[0].URL.Scheme && req.URL.Host == via[0].URL.Host
	if !same || req.Method != http.MethodPost || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

func (c *chat) ID() string { return c.model.Provider + "/" + c.model.Model }

func (c *chat) ContextLimit() int { return c.model.Context }

func (c *chat) Endpoint() Endpoint {
	return Endpoint{Provider: c.model.Provider, Model: c.model.Model, BaseURL: c.model.BaseURL, UnloadAPI: c.model.UnloadAPI}
}

// where is the server for messages.
func (c *chat) where() string { return c.url.Scheme + "://" + c.url.Host }

// How often a call is tried again when the server has no time, and how long it
// may ask to wait for that.
const (
	maxRetries = 2
	maxWait    = time.Minute
)

func (c *chat) Call(ctx context.Context, req Request, delta func(string)) (Answer, error) {
	body, err := json.Marshal(c.request(req))
	if err != nil {
		return Answer{}, fmt.Errorf("model %s: %w", c.ID(), err)
	}
	for try := 0; ; try++ {
		a, err := c.try(ctx, body, delta)
		var busy *busyError
		if err == nil || !errors.As(err, &busy) || try >= c.retries || busy.after > maxWait || busy.limited && c.replaced {
			a.number(len(req.Messages))
			a.Cost = c.cost(a.Usage)
			return a, c.explain(ctx, err)
		}
		after := busy.after
		if after < 0 { // the server did not say
			after = time.Second << try
		}
		if err := c.wait(ctx, after); err != nil {
			return Answer{}, err
		}
	}
}

// explain says which model an error is about. A call that was given up says why.
func (c *chat) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("model %s at %s: %w", c.ID(), c.where(), err)
}

// errIdle is the cause with which a silent connection is closed.
var errIdle = errors.New("nothing arrived")

// try makes one request.
func (c *chat) try(ctx context.Context, body []byte, delta func(string)) (Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.idle, func() { cancel(errIdle) })
	defer watch.Stop()
	resp, err := c.send(ctx, body)
	if err != nil {
		return Answer{}, c.lost(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	src := &watched{r: resp.Body, left: maxBody, heard: func() { watch.Reset(c.idle) }}
	if resp.StatusCode != http.StatusOK {
		return Answer{}, c.refusal(resp, src)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var a Answer
	switch kind {
	case "text/event-stream":
		a, err = readStream(src, delta)
	case "application/json", "":
		a, err = readWhole(src, delta)
	default:
		err = fmt.Errorf("it answered with %s, not with a completion: is base_url right?", clean(kind, c.key))
	}
	if err != nil {
		err = c.lost(ctx, err)
	}
	return a, err
}

func (c *chat) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "checkrein/"+build.Version)
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	return c.client.Do(req)
}

// maxBody bounds an answer.
const maxBody = 32 << 20

var errTooLong = fmt.Errorf("the answer is longer than %d bytes", maxBody)

// A watched reader tells when something was heard, and ends what is too long.
type watched struct {
	r     io.Reader
	left  int
	heard func()
}

func (w *watched) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errTooLong
	}
	n, err := w.r.Read(p[:min(len(p), w.left)])
	w.left -= n
	if n > 0 {
		w.heard()
	}
	return n, err
}
