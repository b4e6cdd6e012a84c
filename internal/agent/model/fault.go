package model

import (
	"context"
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

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/trust"
)

const (
	maxRefusal = 64 << 10 // what is read of an error
	maxMessage = 500      // what of it is shown
)

// A busyError is a server that has no time now.
type busyError struct {
	after   time.Duration // what it asked for; negative = it did not say
	err     error
	limited bool // it was asked too often
}

// Limited reports whether a model did not answer because it was asked too often.
func Limited(err error) bool {
	var busy *busyError
	return errors.As(err, &busy) && busy.limited
}

func (b *busyError) Error() string {
	if b.after > maxWait {
		return fmt.Sprintf("%v: it asks to wait for %s", b.err, b.after)
	}
	return b.err.Error()
}

func (b *busyError) Unwrap() error { return b.err }

// A saidError is what a provider says went wrong.
type saidError struct{ code, message string }

func (s *saidError) Error() string { return s.message }

// said reads an error object: {"message": …, "code": …}, a text, or an object
// around either.
func said(raw []byte) *saidError {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &saidError{message: text}
	}
	var o struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return &saidError{message: string(raw)}
	}
	if len(o.Error) > 0 && string(o.Error) != "null" {
		return said(o.Error)
	}
	s := &saidError{message: o.Message, code: o.Type}
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

// inBand is an error that comes as a part of an answer.
func inBand(raw json.RawMessage) error {
	s := said(raw)
	if s.overflow() {
		return fmt.Errorf("%w: %w", ErrOverflow, s)
	}
	return s
}

// overflowTexts are how providers say that a conversation is too long.
func overflowTexts() []string {
	return []string{
		"maximum context length", "context length exceeded", "context window", "context_length_exceeded", "exceeds the available context",
		"exceed_context_size", "exceeds context", "prompt is too long", "input is too long", "too many tokens", "larger than the context",
		"longer than the model's context", "input length and", "reduce the length of the messages", "exceeds the limit of tokens",
	}
}

func (s *saidError) overflow() bool {
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

// refusal is the error of an answer that is none.
func (c *chat) refusal(resp *http.Response, src io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(src, maxRefusal))
	status := strconv.Itoa(resp.StatusCode)
	if text := http.StatusText(resp.StatusCode); text != "" {
		status += " " + text
	}
	if resp.StatusCode/100 == 3 {
		return fmt.Errorf("%s: it sends requests on to %s, which is not followed: write that address as base_url if it is right", status, c.elsewhere(resp))
	}
	s := said(raw)
	s.message = clean(s.message, c.key)
	full := errors.New(status)
	if s.message != "" {
		full = fmt.Errorf("%s: %w", status, s)
	} else if err != nil {
		full = fmt.Errorf("%s, and its message broke off", status)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("%w: %s", full, c.keyHint())
	case code == http.StatusTooManyRequests && s.code == "insufficient_quota":
		return full
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return &busyError{retryAfter(resp.Header.Get("Retry-After"), time.Now()), full, code == http.StatusTooManyRequests}
	case c.replaced && (code/100 == 5 || code == http.StatusRequestTimeout):
		return &busyError{after: -1, err: full}
	case s.overflow() || code == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %w", ErrOverflow, full)
	case code == http.StatusNotFound:
		return fmt.Errorf("%w: is base_url right, and does the server have the model?", full)
	}
	return full
}

// elsewhere is where a redirect leads, without what may be secret in it.
func (c *chat) elsewhere(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return "nowhere"
	}
	return clean(u.Scheme+"://"+u.Host, c.key)
}

func (c *chat) keyHint() string {
	switch {
	case c.model.TokenKey == "":
		return "no key was sent: name the environment variable that holds it as token_key"
	case c.key == "":
		return "no key was sent, because the environment variable " + c.model.TokenKey + " is not set"
	}
	return "the key in the environment variable " + c.model.TokenKey + " was sent"
}

// retryAfter reads how long a server wants to be left alone: seconds or a date.
// It is negative when the server did not say.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil && n >= 0 {
		return time.Duration(min(n, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return -1
}

// lost says in plain words why there is no answer.
func (c *chat) lost(ctx context.Context, err error) error {
	var said *saidError
	var odd *garbled
	switch {
	case errors.Is(context.Cause(ctx), errIdle):
		return fmt.Errorf("nothing arrived for %s", c.idle)
	case errors.As(err, &said):
		said.message = clean(said.message, c.key)
		return err
	case errors.As(err, &odd):
		odd.bytes = []byte(clean(string(odd.bytes), c.key))
		return err
	}
	var dial *net.OpError
	if errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("it cannot be reached (%w): is the engine running, and is base_url right?", reason(err))
	}
	return reason(err)
}

// reason takes the address off an error, which is named already and may hold
// what nobody should read.
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

// clean makes a text of somebody else's fit to be shown: on one line, short, and
// without secrets.
func clean(s, key string) string {
	s = strings.TrimSpace(s)
	if key != "" {
		s = strings.ReplaceAll(s, key, secret.Marker)
	}
	s = secret.Strict{}.Text(strings.ToValidUTF8(s, "�"))
	return short(trust.VisibleLine(s), maxMessage)
}
