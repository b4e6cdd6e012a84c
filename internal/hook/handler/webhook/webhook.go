// Package webhook is the handler that asks a server: the event as JSON in a
// POST, the decision in the body of the response. Hooks call it type http.
//
// What a hook calls comes from configuration files, where it leads from name
// servers and redirects. None of them gets checkrein to talk to this machine,
// to the network around it or to a cloud's metadata service unless a person
// said so: URLs are checked when a hook is loaded, addresses when
// a connection is made, and only an address that was checked is dialled.
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

// Options are what the handler needs of the outside.
type Options struct {
	Environ []string // where headers' variables are looked up; nil = the process's own
	// AllowLocal gives every hook allow_local, whatever it says itself.
	AllowLocal bool
	// Dialect finds the words in which a hook is spoken to.
	Dialect  func(name string) (*hookfile.Dialect, bool)
	Fit      answer.FitFunc // maps rewrites to what the host can run; nil = they stay as they are
	Resolver Resolver       // nil = net.DefaultResolver
	Roots    *x509.CertPool // who may vouch for servers; nil = the system's
}

// A Resolver finds the addresses of a name. It is safe for concurrent use and
// gives up when its context ends.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Type returns the handler table's row. A hook's settings are {"url": "https://…",
// "headers": {"Authorization": "Bearer ${env.TOKEN}"}, "allowed_env": ["TOKEN"],
// "allow_local": true}; all but the URL may be left out.
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "http",
		New: func(hook checkrein.Hook) (checkrein.Handler, error) {
			h, err := newHandler(opts, hook)
			if err == nil {
				err = checkPlain(h.url)
			}
			if err != nil {
				return nil, err // not a *handler that is nil
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
	guard      *guard
	roots      *x509.CertPool
}

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

// settings are what a hook says.
type settings struct {
	url        string
	headers    []header
	allowLocal bool
}

// readSettings collects everything that is wrong.
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
			if !isText || !isVariable(name) {
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

// Handle posts the event and reads the response.
func (h *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	payload, err := h.dialect.Encode(ev)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("writing the payload: %w", err)
	}
	own, notes, err := fill(h.headers, h.environ)
	log := strings.Join(notes, "\n")
	if err != nil {
		return checkrein.Answer{Log: log}, err
	}
	res, err := h.post(ctx, payload, own)
	if err != nil {
		return checkrein.Answer{Raw: res.body, Log: log}, err
	}
	if err := h.sensible(res.body); err != nil {
		return checkrein.Answer{Raw: res.body, Log: log}, res.fault(err)
	}
	ans, err := answer.Read(&h.hook, &h.dialect.Form, answer.Output{Stdout: res.body})
	ans.Log = strings.TrimSpace(log + "\n" + ans.Log)
	if err != nil {
		return ans, res.fault(err)
	}
	err = answer.FitToEvent(h.dialect, &ev, &ans, h.fit)
	return ans, err
}

// isGate reports whether a hook keeps something from happening, so that it stays
// closed unless somebody understood the event.
func isGate(h *checkrein.Hook) bool { return h.Gate || checkrein.ContractOf(h.On).Closed }

// sensible returns why the answer of a gate is none. A server that has no opinion says
// {}: nothing, a list or a text come from servers that are something else, and
// from whatever stands before them.
func (h *handler) sensible(body []byte) error {
	body = bytes.TrimSpace(body)
	switch {
	case !isGate(&h.hook):
		return nil
	case len(body) == 0 && h.dialect.Form.EmptyBody && !h.hook.Gate:
		return nil
	case len(body) == 0:
		return errors.New("the gate's answer is empty: answer {} for no opinion")
	case rawjson.Kind(bytes.TrimPrefix(body, []byte("\ufeff"))) != '{':
		return answer.Unreadable("the gate's answer is not a single JSON object: answer {} for no opinion")
	}
	return nil
}
