package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// maxMessage is what is shown of a provider's message.
const maxMessage = 500

// A fault says as well whether the call may be made again.
type fault struct {
	line.Fault
	again bool
}

var (
	errBroken = line.Faultf(line.Broken, "the answer broke off")
	errEmpty  = line.Faultf(line.Broken, "the answer is empty")
)

// ErrBroken reports that a stream ended before the answer did.
func ErrBroken() error { return errBroken }

// fault describes in plain words why there is no answer.
func (c *Call) fault(err error) *fault {
	var f *line.Fault
	if errors.As(err, &f) {
		g := *f
		g.Message = c.maskKey(g.Message)
		// An error in the stream that comes before any text is as good as a status.
		return &fault{Fault: g, again: g.Kind == line.Limit || g.Kind == line.Overloaded}
	}
	var dial *net.OpError
	if errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dial) && dial.Op == "dial" {
		return &fault{Fault: *line.Faultf(line.Unreachable, "the server cannot be reached (%s): is the engine running, and is base_url correct?", c.clean(reason(err).Error()))}
	}
	if err = reason(err); err == error(errBroken) {
		return &fault{Fault: *errBroken}
	}
	return &fault{Fault: *line.Faultf(line.Other, "%s", c.clean(err.Error()))}
}

// reason returns err without its URL, which may contain a secret.
func reason(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBroken
	}
	return err
}

// An errorBody is what a provider reports of an error in the body of its response.
type errorBody struct{ code, message string }

// parseError reads an error object: {"message": …, "code": …}, a text, or an object around either.
func (c *Call) parseError(raw []byte) *errorBody {
	s := readErrorBody(raw)
	s.message = c.clean(s.message)
	return s
}

func readErrorBody(raw []byte) *errorBody {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &errorBody{message: text}
	}
	var o struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return &errorBody{message: string(raw)}
	}
	if len(o.Error) > 0 && string(o.Error) != "null" {
		return readErrorBody(o.Error)
	}
	s := &errorBody{message: o.Message, code: o.Type}
	if o.Status != "" {
		s.code = o.Status
	}
	if code, ok := o.Code.(string); ok {
		s.code = code
	}
	if s.message == "" && o.Detail != nil {
		s.message = fmt.Sprint(o.Detail)
	}
	if s.message == "" {
		s.message = string(raw)
	}
	return s
}

// overflowTexts are how providers say that a conversation is too long.
func overflowTexts() []string {
	return []string{
		"maximum context length", "context length exceeded", "context window", "context_length_exceeded", "exceeds the available context",
		"exceed_context_size", "exceeds context", "prompt is too long", "input is too long", "too many tokens", "larger than the context",
		"longer than the model's context", "input length and", "reduce the length of the messages", "exceeds the limit of tokens",
		"exceeds the maximum number of tokens",
	}
}

func (s *errorBody) overflow() bool {
	if s.code == "context_length_exceeded" || s.code == "exceed_context_size_error" {
		return true
	}
	text := strings.ToLower(s.message)
	for _, t := range overflowTexts() {
		if strings.Contains(text, t) {
			return true
		}
	}
	return false
}

// badKey reports whether it is about the key: Google answers a wrong one with 400.
func (s *errorBody) badKey() bool {
	return strings.Contains(strings.ToLower(s.message), "api key not valid")
}

// kinds are the codes that say what went wrong without a status.
func kinds() map[string]line.Kind {
	return map[string]line.Kind{
		"rate_limit_error": line.Limit, "rate_limit_exceeded": line.Limit, "RESOURCE_EXHAUSTED": line.Limit,
		"overloaded_error": line.Overloaded, "UNAVAILABLE": line.Overloaded,
		"authentication_error": line.Auth, "permission_error": line.Auth, "invalid_api_key": line.Auth, "UNAUTHENTICATED": line.Auth, "PERMISSION_DENIED": line.Auth,
		"insufficient_quota": line.Refused, "invalid_request_error": line.Refused, "INVALID_ARGUMENT": line.Refused,
	}
}

// fault is an error that comes as a part of an answer.
func (s *errorBody) fault() *line.Fault {
	kind := line.Other
	if k, ok := kinds()[s.code]; ok {
		kind = k
	}
	if s.overflow() {
		kind = line.Overflow
	}
	return &line.Fault{Kind: kind, Message: s.message}
}

// statusOverloaded is Anthropic's.
const statusOverloaded = 529

// refusal returns the fault for r, an answer whose status is not 200.
func (c *Call) refusal(r *refused) *fault {
	code := r.resp.StatusCode
	status := strconv.Itoa(code)
	if text := http.StatusText(code); text != "" {
		status += " " + text
	}
	if code/100 == 3 {
		return &fault{Fault: *line.Faultf(line.Refused, "%s: the server redirects to %s, which checkrein does not follow: if that address is correct, write it as base_url", status, c.redirectTarget(r.resp))}
	}
	s := c.parseError(r.body)
	full := status
	if s.message != "" {
		full += ": " + s.message
	} else if r.err != nil {
		full += ", and its message broke off"
	}
	f := &fault{Fault: line.Fault{Kind: line.Other, Message: full}}
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden || s.badKey():
		f.Kind, f.Message = line.Auth, full+": "+c.keyHint()
	case code == http.StatusTooManyRequests && s.code == "insufficient_quota":
		f.Kind = line.Refused
	case code == http.StatusTooManyRequests:
		f.Kind, f.After, f.again = line.Limit, retryAfter(r.resp.Header, time.Now()), true
	case s.overflow() || code == http.StatusRequestEntityTooLarge:
		f.Kind = line.Overflow
	case code == http.StatusServiceUnavailable || code == statusOverloaded:
		f.Kind, f.After, f.again = line.Overloaded, retryAfter(r.resp.Header, time.Now()), true
	case code/100 == 5 || code == http.StatusRequestTimeout:
		f.again = c.Limits.Replaced
	case code == http.StatusNotFound:
		f.Kind, f.Message = line.Refused, full+": is base_url right, and does the server have the model?"
	case code/100 == 4:
		f.Kind = line.Refused
	}
	f.Message = c.maskKey(f.Message)
	return f
}

// redirectTarget returns where a redirect leads, without the parts that may be secret.
func (c *Call) redirectTarget(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return "nowhere"
	}
	return c.clean(u.Scheme + "://" + u.Host)
}

func (c *Call) keyHint() string {
	switch {
	case c.TokenKey == "":
		return "no key was sent: name the environment variable that holds it as token_key"
	case c.Key == "":
		return "no key was sent, because the environment variable " + c.TokenKey + " is not set"
	}
	return "the key in the environment variable " + c.TokenKey + " was sent"
}

// retryAfter returns how long the server asks the client to wait, in seconds or until a date.
// It returns nil if the server does not ask for that.
func retryAfter(h http.Header, now time.Time) *time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	var after time.Duration
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		after = time.Duration(min(n, 1<<30)) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		after = max(0, at.Sub(now))
	} else {
		return nil
	}
	return &after
}

// maskKey replaces the key in a text.
func (c *Call) maskKey(s string) string {
	if c.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.Key, secret.Marker)
}

// clean returns s, a text from the server, on one line, shortened, and without secrets.
func (c *Call) clean(s string) string {
	s = secret.Redactor{}.MaskText(strings.ToValidUTF8(c.maskKey(strings.TrimSpace(s)), "\ufffd"))
	s = visible.EscapeLine(s)
	if len(s) <= maxMessage {
		return s
	}
	limit := maxMessage
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + " …"
}
