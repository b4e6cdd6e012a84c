package checkreintest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// A HandlerCase is an event for a handler, and the answer that the handler must return.
type HandlerCase struct {
	Name string
	// Hook is the hook that the handler is made for. Its On is the event's kind, and its
	// Run the handler type's name, unless they are set. Match and If are not evaluated: the
	// engine does that before it calls a handler.
	Hook  checkrein.Hook
	Event checkrein.Event

	// Want is the decision that the handler must return.
	Want checkrein.Decision
	// Reason is text that the reason must contain.
	Reason string
	// Check checks the rest of the answer; nil = nothing else is checked.
	Check func(checkrein.Answer) error
	// Fault is set if Handle must return an error, because it cannot form an opinion.
	Fault bool
	// Refused is set if the handler type must refuse the hook's settings.
	Refused bool
}

// TestHandler runs each case as a subtest, and checks the requirements of every handler:
//
//   - it does not write to the event, and returns the same answer if it is called concurrently;
//   - it returns when its context is cancelled;
//   - it does not panic, and returns no decision together with an error;
//   - it returns only effects that the event's contract permits, because others would be dropped;
//   - it rewrites only if its traits and its hook declare that.
func TestHandler(t *testing.T, typ checkrein.HandlerType, cases ...HandlerCase) {
	t.Helper()
	if typ.Name == "" || typ.New == nil {
		t.Fatal("the handler type needs a Name and New")
	}
	if len(cases) == 0 {
		t.Fatal("TestHandler needs cases")
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			if err := checkCase(typ, c); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkCase returns everything that is wrong with the handler in one case as one joined error.
func checkCase(typ checkrein.HandlerType, c HandlerCase) error {
	h := c.Hook
	if h.On == checkrein.Other {
		h.On = c.Event.Kind
	}
	if h.Run == "" {
		h.Run = typ.Name
	}
	handler, err := typ.New(h)
	switch {
	case c.Refused && err == nil:
		return errors.New("the handler type accepted the hook's settings, but must refuse them")
	case c.Refused:
		return nil
	case err != nil:
		return fmt.Errorf("the handler type refused the hook: %w", err)
	}
	before := cloneEvent(c.Event)
	answer, err := callRecovering(context.Background(), handler, c.Event)
	errs := []error{checkAnswer(c, answer, err), checkEffects(typ, h, c.Event.Kind, answer)}
	if !reflect.DeepEqual(before, c.Event) {
		errs = append(errs, errors.New("the handler wrote to the event"))
	}
	errs = append(errs, checkConcurrent(handler, c.Event, answer, err), checkCancelled(handler, c.Event))
	return errors.Join(errs...)
}

// checkAnswer compares the handler's answer and error with what the case requires.
func checkAnswer(c HandlerCase, got checkrein.Answer, err error) error {
	if _, panicked := errors.AsType[*panicError](err); panicked {
		return err
	}
	if err != nil {
		if got.Decision != checkrein.NoOpinion {
			return fmt.Errorf("the handler returned %s together with an error; with an error it must return no decision: %w", got.Decision, err)
		}
		if !c.Fault {
			return fmt.Errorf("the handler failed: %w", err)
		}
		return nil
	}
	var errs []error
	if c.Fault {
		errs = append(errs, errors.New("the handler returned no error, but must return one"))
	}
	if got.Decision != c.Want {
		errs = append(errs, fmt.Errorf("decision %s (%s), want %s", got.Decision, got.Reason, c.Want))
	}
	if !strings.Contains(got.Reason, c.Reason) {
		errs = append(errs, fmt.Errorf("reason %q lacks %q", got.Reason, c.Reason))
	}
	if c.Check != nil {
		errs = append(errs, c.Check(got))
	}
	return errors.Join(errs...)
}

// checkEffects checks an answer against the event's contract and the handler's traits.
func checkEffects(typ checkrein.HandlerType, h checkrein.Hook, kind checkrein.Kind, got checkrein.Answer) error {
	row := checkrein.ContractOf(kind)
	effects := got.Effects()
	if more := effects &^ row.Effects; more != 0 {
		return fmt.Errorf("%s would be dropped: %s permits %s", strings.Join(more.Words(), ", "), row.Name, strings.Join(row.Effects.Words(), ", "))
	}
	const rewrites = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages
	if effects&rewrites != 0 && !(h.Rewrites && typ.Traits != nil && typ.Traits(&h).Rewrites) {
		return errors.New("the rewrite would be dropped: set Rewrites in the hook and in the traits of its type")
	}
	return nil
}

// checkConcurrent calls the handler from several goroutines. Run the tests with -race to find data
// races.
func checkConcurrent(handler checkrein.Handler, ev checkrein.Event, want checkrein.Answer, wantErr error) error {
	const calls = 8
	var wg sync.WaitGroup
	errs := make([]error, calls)
	for i := range errs {
		wg.Go(func() {
			got, err := callRecovering(context.Background(), handler, cloneEvent(ev))
			if !reflect.DeepEqual(got.Verdict, want.Verdict) || (err == nil) != (wantErr == nil) {
				errs[i] = fmt.Errorf("the handler answers %s %q (error: %v) when called concurrently, but %s %q (error: %v) when called alone", got.Decision, got.Reason, err, want.Decision, want.Reason, wantErr)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cancelLimit is how long a handler may take to return after its context was cancelled. It is long,
// because it only ends tests of handlers that would never return.
const cancelLimit = 10 * time.Second

// checkCancelled checks that the handler returns when its context is cancelled.
func checkCancelled(handler checkrein.Handler, ev checkrein.Event) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = callRecovering(ctx, handler, cloneEvent(ev)) // any answer is fine
	}()
	select {
	case <-done:
		return nil
	case <-time.After(cancelLimit):
		return fmt.Errorf("the handler did not return within %s after its context was cancelled", cancelLimit)
	}
}

// callRecovering calls the handler, and returns a panic as an error.
func callRecovering(ctx context.Context, handler checkrein.Handler, ev checkrein.Event) (answer checkrein.Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = checkrein.Answer{}, &panicError{r}
		}
	}()
	return handler.Handle(ctx, ev)
}

// A panicError is the error for a panic of a handler.
type panicError struct{ value any }

// Error returns the value with which the handler panicked.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// cloneEvent returns a copy of ev that shares no slice with it.
func cloneEvent(ev checkrein.Event) checkrein.Event {
	if ev.Tool != nil {
		tool := *ev.Tool
		tool.Input, tool.Output = slices.Clone(tool.Input), slices.Clone(tool.Output)
		ev.Tool = &tool
	}
	ev.Messages, ev.Raw = slices.Clone(ev.Messages), slices.Clone(ev.Raw)
	if ev.Details != nil {
		details := make([]checkrein.Detail, len(ev.Details))
		for i, d := range ev.Details {
			details[i] = checkrein.Detail{Name: d.Name, Value: slices.Clone(d.Value)}
		}
		ev.Details = details
	}
	return ev
}
