package machine

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// Open returns a file of the hub's repository. It makes the client a [bundle.Source].
func (c *client) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	resp, err := c.do(ctx, http.MethodGet, protocol.PathFiles+name, nil)
	if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// bundles returns the keeper of what the machine trusts and runs.
func (e *Enrollment) bundles(from bundle.Source) *bundle.Client {
	return &bundle.Client{Dir: e.dir, Machine: e.Machine, Source: from}
}

// HubKey returns the key with which the hub signs, if the bundle lets the fleet's approvers answer.
func (e *Enrollment) HubKey() (ed25519.PublicKey, error) {
	c := e.bundles(nil)
	active, err := c.Current(config.FleetActive)
	if err != nil || active == nil || !active.Approvals {
		return nil, errors.Join(err, errors.New("the fleet's bundle does not let approvers answer"))
	}
	return c.HubKey()
}

// pin makes the hub's first root metadata, which the token named, the root of all trust.
func (e *Enrollment) pin(ctx context.Context, c *client) error {
	f, err := c.Open(ctx, "1.root.json")
	if err != nil {
		return fmt.Errorf("reading the root of the fleet's trust: %w", err)
	}
	defer f.Close()
	root, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return err
	}
	return e.bundles(c).Pin(ctx, root, e.Root)
}

// refresh makes the machine run what the hub says. What it refuses is in the status and the next report;
// what was active stays active.
func (a *Agent) refresh(ctx context.Context) error {
	from := a.Enrollment.bundles(a.client)
	from.Program = a.Program
	change, err := update(ctx, from, a.client.clockOffset)
	if err != nil {
		return err
	}
	return a.saveStatus(func(s *Status) {
		was := *s
		change(s)
		if s.Bundle != was.Bundle || s.Trial != was.Trial || s.Refused != was.Refused || !s.Frozen.Equal(was.Frozen) {
			a.Log.Info("the policy changed", "bundle", s.Bundle, "trial", s.Trial, "frozen", s.Frozen, "refused", s.Refused)
			wake(a.reportNow)
		}
	})
}

// update makes the machine run what the source of c says. ahead returns how far the clock of the source is
// ahead, which requests to it have shown. update returns how the status changes, which also has a refusal.
// Other errors mean that the source cannot be reached.
func update(ctx context.Context, c *bundle.Client, ahead func() time.Duration) (change func(*Status), err error) {
	plan, err := c.Refresh(ctx)
	if err == nil {
		if f := plan.Rollout.Freeze; f != nil {
			f.Until = f.Until.Add(-ahead()) // it ends by the machine's clock
		}
		err = c.Apply(ctx, plan)
	}
	refused := (*bundle.Refusal)(nil)
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	active, err := c.Current(config.FleetActive)
	if err != nil {
		return nil, err
	}
	trial, err := c.Current(config.FleetTrial)
	if err != nil {
		return nil, err
	}
	return func(s *Status) {
		s.Bundle, s.Trial, s.Refused = targetOf(active), targetOf(trial), ""
		if refused != nil {
			s.Refused = refused.Error()
			return
		}
		s.Checked, s.Expires, s.Frozen = time.Now().UTC().Truncate(time.Second), plan.Expires, time.Time{}
		if f := plan.Rollout.Freeze; f != nil {
			s.Frozen = f.Until
		}
	}, nil
}

// targetOf returns the path of a bundle in the repository, or "" if there is none.
func targetOf(info *bundle.Info) string {
	if info == nil {
		return ""
	}
	return info.Target()
}

// listen follows the hub's events, and refreshes when there is something new.
func (a *Agent) listen(ctx context.Context) error {
	resp, err := a.client.do(ctx, http.MethodGet, protocol.PathEvents, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// A connection over which nothing comes is dead. The hub sends something every 20 seconds.
	silent := time.AfterFunc(silence, func() { resp.Body.Close() })
	defer silent.Stop()
	wake(a.refreshNow) // something may have changed while nobody listened, or the hub has forgotten
	wake(a.reportNow)
	wake(a.approvalsNow)
	event := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		silent.Reset(silence)
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			event = line
		case event == "event: answer" && strings.HasPrefix(line, "data: "):
			a.queueAnswer([]byte(strings.TrimPrefix(line, "data: ")))
		case event == "event: changed" && strings.HasPrefix(line, "data: "):
			// The hub says over how many milliseconds its machines should spread.
			spread, _ := strconv.Atoi(strings.TrimPrefix(line, "data: "))
			time.AfterFunc(time.Duration(rand.N(max(spread, 1)))*time.Millisecond, func() { wake(a.refreshNow) })
		}
	}
	return errors.New("the connection to the hub ended")
}

// silence is how long nothing may come over a connection.
const silence = time.Minute

// wake lets the one who waits for c go on.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it will go on anyway
	}
}
