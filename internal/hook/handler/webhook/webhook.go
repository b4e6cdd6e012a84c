// Package webhook implements the handler that calls a server. It posts the event as JSON and reads the
// decision from the body of the response. In hook files its type is http.
//
// URLs come from configuration files, and addresses from name servers and redirects. None of them can
// make checkrein call this machine, the local network or a cloud's metadata service unless the user
// permits it. URLs are checked when a hook is loaded, addresses when a connection is made, and only a
// checked address is dialled.
package webhook

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Options configure the handler.
type Options struct {
	Environ []string // variables for headers; nil means those of the process
	// AllowLocal sets allow_local for every hook.
	AllowLocal bool
	// Dialect returns the dialect of a hook's payload and answer.
	Dialect  func(name string) (*hookfile.Dialect, bool)
	Fit      answer.FitFunc // converts rewrites to ones that the host can run; may be nil
	Resolver Resolver       // nil means net.DefaultResolver
	Roots    *x509.CertPool // root certificates; nil means the system's
}

// A Resolver returns the addresses of a host name, like [net.Resolver]. It must be safe for concurrent
// use and stop when its context ends.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Type returns the handler type. A hook's settings are {"url": "https://…", "headers":
// {"Authorization": "Bearer ${env.TOKEN}"}, "allowed_env": ["TOKEN"], "allow_local": true}. All but
// the URL are optional.
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "http",
		New: func(hook checkrein.Hook) (checkrein.Handler, error) {
			h, err := newHandler(opts, hook)
			if err == nil {
				err = checkEncrypted(h.url)
			}
			if err != nil {
				return nil, err // an untyped nil, not a nil *handler
			}
			return h, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
	}
}

type handler struct {
	hook       checkrein.Hook
	dialect    *hookfile.Dialect
	fit        answer.FitFunc
	url        *url.URL
	headers    []header
	environ    []string
	allowLocal bool
	guard      *dialGuard
	roots      *x509.CertPool
}

// newHandler returns the handler for h, or an error if its settings are invalid.
func newHandler(opts Options, h checkrein.Hook) (*handler, error) {
	d, ok := opts.Dialect(h.Dialect)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", h.Dialect)
	}
	s, err := readSettings(h.With)
	if err != nil {
		return nil, err
	}
	allowLocal := s.allowLocal || opts.AllowLocal
	u, err := parseURL(s.url, allowLocal)
	if err != nil {
		return nil, err
	}
	return &handler{
		hook: h, dialect: d, fit: opts.Fit, url: u, headers: s.headers, environ: opts.Environ,
		allowLocal: allowLocal, guard: newGuard(opts.Resolver, allowLocal), roots: opts.Roots,
	}, nil
}

// settings holds the settings of a hook.
type settings struct {
	url        string
	headers    []header
	allowLocal bool
}

// readSettings reads a hook's settings from with, a JSON object. The error joins all mistakes.
func readSettings(with json.RawMessage) (settings, error) {
	if err := rawjson.CheckObject(with); err != nil {
		return settings{}, fmt.Errorf("hook settings: %w", err)
	}
	var s settings
	var errs []error
	member := func(key string, kind byte, want string) ([]byte, bool) {
		v, ok := rawjson.Get(with, key)
		if !ok || rawjson.Kind(v) == 'n' {
			return nil, false
		}
		if rawjson.Kind(v) != kind {
			errs = append(errs, fmt.Errorf("%s must be %s", key, want))
			return nil, false
		}
		return v, true
	}
	if v, ok := member("url", '"', "a text"); ok {
		s.url, _ = rawjson.Text(v)
	}
	if s.url == "" && errs == nil {
		errs = append(errs, errors.New("the hook has no url"))
	}
	if v, ok := member("allow_local", 'b', "true or false"); ok {
		s.allowLocal = v[0] == 't'
	}
	var allowed []string
	if v, ok := member("allowed_env", '[', "a list of names"); ok {
		rawjson.Elements(v, func(_ int, e []byte) bool {
			name, isText := rawjson.Text(e)
			if !isText || !isVariableName(name) {
				errs = append(errs, fmt.Errorf("allowed_env contains %s, which is not a variable name", e))
			}
			allowed = append(allowed, name)
			return true
		})
	}
	if v, ok := member("headers", '{', "a mapping of names to strings"); ok {
		var err error
		s.headers, err = readHeaders(v, func(name string) bool { return slices.Contains(allowed, name) })
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}

// Handle posts the event and returns the answer in the response.
func (h *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	payload, err := h.dialect.Encode(ev)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("writing the payload: %w", err)
	}
	own, notes, err := fillHeaders(h.headers, h.environ)
	log := strings.Join(notes, "\n")
	if err != nil {
		return checkrein.Answer{Log: log}, err
	}
	res, err := h.postPayload(ctx, payload, own)
	if err != nil {
		return checkrein.Answer{Raw: res.body, Log: log}, err
	}
	if err := h.checkGateAnswer(res.body); err != nil {
		return checkrein.Answer{Raw: res.body, Log: log}, res.wrapError(err)
	}
	ans, err := answer.ReadOutput(&h.hook, &h.dialect.Form, answer.Output{Stdout: res.body})
	ans.Log = strings.TrimSpace(log + "\n" + ans.Log)
	if err != nil {
		return ans, res.wrapError(err)
	}
	err = answer.FitToEvent(h.dialect, &ev, &ans, h.fit)
	return ans, err
}

// isGate reports whether h is a gate, which denies unless the server's answer shows that it understood
// the event.
func isGate(h *checkrein.Hook) bool { return h.Gate || checkrein.ContractOf(h.On).Closed }

// checkGateAnswer returns why body does not count as the answer of a gate, or nil if it does or the
// hook is not a gate. A server without an opinion must answer {}. An empty body, a list or text may
// come from a server of another kind, or from a proxy.
func (h *handler) checkGateAnswer(body []byte) error {
	body = bytes.TrimSpace(body)
	switch {
	case !isGate(&h.hook):
		return nil
	case len(body) == 0 && h.dialect.Form.EmptyBody && !h.hook.Gate:
		return nil
	case len(body) == 0:
		return errors.New("the gate's answer is empty: answer {} for no opinion")
	case rawjson.Kind(bytes.TrimPrefix(body, []byte("\ufeff"))) != '{':
		return answer.Unreadablef("the gate's answer is not a single JSON object: answer {} for no opinion")
	}
	return nil
}
