// Package provider is what the providers share: how a call is made and made again,
// the HTTP client that they send with, and what is said when it goes wrong. A
// provider's own package turns a call into the words of its SDK and back.
package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
)

// A Wire makes one request and reads its answer, which it asks for as a stream. It
// sends with [Call.HTTP], whose faults come first: a wire need not know what a
// status, an error in the stream or a lost connection means. SDKs' own retries are
// off. Delta may be nil; it gets the text as it comes. See also [Finish].
type Wire func(ctx context.Context, c *Call, delta func(string)) (model.Answer, error)

// A Call is one call of a model, with all that a wire needs for it.
type Call struct {
	line.Settings
	Request model.Request
	Key     string // "" = none is sent
	// HTTP is the client to send with. It heeds redirects, proxies and limits, and
	// hands out event streams that are checked: of whole events in UTF-8 whose data
	// is a JSON object without an error in it. An answer that is one JSON object
	// comes as a stream of one event.
	HTTP *http.Client

	// Wait waits between tries.
	Wait func(context.Context, time.Duration) error

	now *exchange
}

// New makes a Call. Getenv reads the environment.
func New(s line.Settings, req model.Request, getenv func(string) string) (*Call, error) {
	c := &Call{Settings: s, Request: req, Wait: pause}
	if s.TokenKey != "" {
		c.Key = getenv(s.TokenKey)
	}
	if err := line.CheckKey(s.TokenKey, c.Key); err != nil {
		return nil, err
	}
	var err error
	c.HTTP, err = c.client()
	return c, err
}

// IsDone reports whether the stream ended with [DONE], as chat completions do.
func (c *Call) IsDone() bool { return c.now != nil && c.now.done }

// maxWait limits how long a provider may make Do wait.
const maxWait = time.Minute

// Do makes the call, and repeats it if the provider is busy. The error is a *line.Fault, or
// the cause for which ctx ended.
func (c *Call) Do(ctx context.Context, wire Wire, delta func(string)) (model.Answer, error) {
	defer c.HTTP.CloseIdleConnections()
	said := false
	heard := func(s string) {
		said = said || s != ""
		if delta != nil {
			delta(s)
		}
	}
	for try := 0; ; try++ {
		a, err := c.try(ctx, wire, heard)
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			return model.Answer{}, context.Cause(ctx)
		}
		// Text that was passed on cannot be taken back, so there is no retry after it.
		if said || try >= c.Limits.Retries || !err.again || err.Kind == line.Limit && c.Limits.Replaced {
			return model.Answer{}, &err.Fault
		}
		after := time.Second << try
		if err.After != nil {
			after = *err.After
		}
		if after > maxWait {
			err.Message += ": it asks to wait for " + after.String()
			return model.Answer{}, &err.Fault
		}
		if err := c.Wait(ctx, after); err != nil {
			return model.Answer{}, err
		}
	}
}

// errIdle is the cause with which a silent connection is closed.
var errIdle = errors.New("nothing arrived")

// try makes one request.
func (c *Call) try(ctx context.Context, wire Wire, delta func(string)) (model.Answer, *fault) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.Limits.Idle, func() { cancel(errIdle) })
	defer watch.Stop()
	x := &exchange{call: c, heard: func() { watch.Reset(c.Limits.Idle) }}
	c.now = x
	a, err := wire(ctx, c, delta)
	switch {
	case errors.Is(context.Cause(ctx), errIdle) && (err != nil || x.hasFailed()):
		return a, c.fault(line.Faultf(line.Broken, "nothing arrived for %s", c.Limits.Idle))
	case x.refused != nil:
		return a, c.refusal(x.refused)
	case x.err != nil:
		return a, c.fault(x.err)
	case err != nil:
		return a, c.fault(err)
	}
	return a, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
