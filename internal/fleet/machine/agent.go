package machine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// Intervals of the agent's work.
const (
	uploadEvery  = 2 * time.Second
	reportEvery  = time.Minute
	refreshEvery = 5 * time.Minute
	listenEvery  = time.Second // between two connections
	maxBackoff   = 5 * time.Minute
)

// An Agent does the work of an enrolled machine until it is stopped.
type Agent struct {
	Enrollment *Enrollment
	Program    string // see [bundle.Client]
	// Ledgers returns the ledgers of the machine; nil means those of all accounts.
	Ledgers func() ([]Ledger, error)
	// Wiring checks which agents ask checkrein, and repairs what root may; nil = it is not checked.
	Wiring func(context.Context) protocol.Wiring
	// Answer passes answers of approvers on to an account, and returns what waits there after that; nil =
	// approvers do not answer.
	Answer func(ctx context.Context, user string, answers []protocol.SignedAnswer) (protocol.Pending, error)
	Log    *slog.Logger

	client *client

	uploaders map[string]*uploader // by the directory of the ledger

	reportNow, refreshNow, approvalsNow chan struct{}

	mu      sync.Mutex
	status  Status
	ledgers []Ledger                           // as of the last upload
	answers map[string][]protocol.SignedAnswer // of approvers, by account, that have to be passed on

	approvals map[string]*reported // by account
}

// open prepares the agent for its work.
func (a *Agent) open() (err error) {
	if a.Ledgers == nil {
		a.Ledgers = func() ([]Ledger, error) {
			list, err := accounts("/etc/passwd")
			return ledgersOf(list), err
		}
	}
	a.reportNow, a.refreshNow, a.approvalsNow = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	a.answers, a.approvals = map[string][]protocol.SignedAnswer{}, map[string]*reported{}
	a.status, a.uploaders = a.Enrollment.Status(), map[string]*uploader{}
	a.client, err = a.Enrollment.client()
	return err
}

// UploadOnce uploads what is new, and returns.
func (a *Agent) UploadOnce(ctx context.Context) error {
	if err := a.open(); err != nil {
		return err
	}
	return a.upload(ctx)
}

// Run works until ctx is done.
func (a *Agent) Run(ctx context.Context) error {
	if err := a.open(); err != nil {
		return err
	}
	var wg sync.WaitGroup
	wg.Go(func() { a.repeat(ctx, "uploading records", uploadEvery, nil, a.upload) })
	wg.Go(func() { a.repeat(ctx, "refreshing the policy", refreshEvery, a.refreshNow, a.refresh) })
	wg.Go(func() { a.repeat(ctx, "reporting", reportEvery, a.reportNow, a.sendReport) })
	if a.Wiring != nil {
		wg.Go(func() { a.repeat(ctx, "checking the wiring", refreshEvery, nil, a.checkWiring) })
	}
	if a.Answer != nil {
		wg.Go(func() { a.repeat(ctx, "passing approvals on", approvalsEvery, a.approvalsNow, a.passApprovals) })
	}
	wg.Go(func() { a.repeat(ctx, "following the hub", listenEvery, nil, a.listen) })
	wg.Wait()
	return ctx.Err()
}

// repeat calls work again and again, every time after a pause or when now is ready. After an error the
// pause grows, with chance in it, so that a fleet does not return all at once to a hub that was away.
func (a *Agent) repeat(ctx context.Context, what string, every time.Duration, now <-chan struct{}, work func(context.Context) error) {
	failures := 0
	for {
		began := time.Now()
		err := work(ctx)
		if ctx.Err() != nil {
			return
		}
		wait := every
		switch {
		case err == nil || time.Since(began) > maxBackoff: // a connection that lasted is no failure
			failures = 0
		default:
			if failures++; failures == 1 {
				a.Log.Warn(what+" failed; it will be tried again", "err", err)
			}
			pause := min(every<<min(failures, 10), maxBackoff)
			wait = pause/2 + rand.N(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-now:
		}
	}
}

// upload uploads what is new in all ledgers. One ledger that cannot be uploaded does not hold up the
// others.
func (a *Agent) upload(ctx context.Context) error {
	ledgers, err := a.Ledgers()
	if err != nil {
		return err
	}
	active, err := a.Enrollment.bundles(nil).Current(config.FleetActive)
	if err != nil {
		return err // it may say which records must stay here
	}
	a.mu.Lock()
	a.ledgers = ledgers
	a.mu.Unlock()
	var errs []error
	for _, l := range ledgers {
		u := a.uploader(l)
		u.exclude = active.IsPrivate
		_, err := u.Upload(ctx)
		if errors.Is(err, protocol.ErrNotNext) { // it agrees with the hub, and tries once more
			_, err = u.Upload(ctx)
		}
		fault := ""
		if err != nil {
			fault = err.Error()
			errs = append(errs, fmt.Errorf("the ledger of %s: %w", l.User, err))
		}
		if err := a.saveStatus(func(s *Status) { s.set(l, u.saved, fault) }); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// uploader returns the uploader of a ledger.
func (a *Agent) uploader(l Ledger) *uploader {
	u := a.uploaders[l.Dir]
	if u == nil {
		u = &uploader{ledger: l, hub: a.client, saved: a.status.cursorOf(l.Dir)}
		u.save = func(c cursor) error { return a.saveStatus(func(s *Status) { s.set(l, c, "") }) }
		a.uploaders[l.Dir] = u
	}
	return u
}

// saveStatus changes the status with change and stores it.
func (a *Agent) saveStatus(change func(*Status)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.status)
	return a.status.save(a.Enrollment.dir)
}

// sendReport sends what the hub should know about the machine.
func (a *Agent) sendReport(ctx context.Context) error {
	a.mu.Lock()
	r := protocol.Report{
		Facts: a.Enrollment.facts(), Time: time.Now().UTC(),
		Bundle: a.status.Bundle, Trial: a.status.Trial, Frozen: a.status.Frozen, Refused: a.status.Refused, Wiring: a.status.Wiring,
	}
	if !r.Frozen.IsZero() {
		r.Frozen = r.Frozen.Add(a.client.clockOffset())
	}
	for _, l := range a.status.Ledgers {
		r.Ledgers = append(r.Ledgers, protocol.LedgerState{Head: l.Head, User: l.User, Fault: l.Fault})
	}
	a.mu.Unlock()
	if err := a.client.call(ctx, http.MethodPost, protocol.PathReport, r, nil); err != nil {
		if ctx.Err() != nil { // the agent stops
			return err
		}
		return errors.Join(err, a.saveStatus(func(s *Status) { s.Problem = err.Error() }))
	}
	return a.saveStatus(func(s *Status) { s.Contact, s.Problem = time.Now().UTC().Truncate(time.Second), "" })
}
