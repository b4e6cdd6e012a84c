package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	// approvalsEvery is how often the agent looks whether a call has begun to wait.
	approvalsEvery = 250 * time.Millisecond
	// answerTimeout limits how long an account may take to say what waits.
	answerTimeout = 10 * time.Second
)

// reported is what the hub knows of what waits in an account.
type reported struct {
	version string           // of the account's files
	taken   []protocol.Taken // what became of answers, if the hub does not know it yet
}

// queueAnswer lets an answer that the hub sent be passed on.
func (a *Agent) queueAnswer(data []byte) {
	var s protocol.SignedAnswer
	if err := json.Unmarshal(data, &s); err != nil {
		a.Log.Warn("the hub sent an answer that cannot be read", "err", err)
		return
	}
	a.mu.Lock()
	if have := a.answers[s.User]; len(have) < protocol.MaxPending {
		a.answers[s.User] = append(have, s)
	}
	a.mu.Unlock()
	wake(a.approvalsNow)
}

// takeAnswers returns the answers that have to be passed on to an account.
func (a *Agent) takeAnswers(user string) []protocol.SignedAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.answers[user]
	delete(a.answers, user)
	return out
}

// passApprovals passes answers on, and reports to the hub what waits in the accounts where that has changed.
func (a *Agent) passApprovals(ctx context.Context) error {
	bundles := a.Enrollment.bundles(nil)
	active, err := bundles.Current(config.FleetActive)
	if err != nil || active == nil || !active.Approvals {
		return err
	}
	a.mu.Lock()
	ledgers := a.ledgers
	a.mu.Unlock()
	var errs []error
	for _, l := range ledgers {
		answers := a.takeAnswers(l.User)
		r := a.approvals[l.User]
		if r == nil {
			r = &reported{}
			a.approvals[l.User] = r
		}
		version := versionOf(filepath.Dir(l.Dir), filepath.Join(bundles.Dir, config.FleetFreeze))
		if version == r.version && len(answers)+len(r.taken) == 0 {
			continue
		}
		p := a.passTo(ctx, l.User, answers)
		p.Approvals = slices.DeleteFunc(p.Approvals, func(w grant.Approval) bool { return active.IsPrivate(w.Project) || active.IsPrivate(w.Dir) })
		r.taken = append(r.taken, p.Taken...)
		p.User, p.Taken = l.User, r.taken
		if err := a.client.call(ctx, http.MethodPost, protocol.PathPending, p, nil); err != nil {
			errs = append(errs, err)
			continue
		}
		r.version, r.taken = version, nil
	}
	return errors.Join(errs...)
}

// passTo passes answers on to an account, and returns what waits there. If that fails, the answers do not
// count.
func (a *Agent) passTo(ctx context.Context, user string, answers []protocol.SignedAnswer) protocol.Pending {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	p, err := a.Answer(ctx, user, answers)
	if err != nil {
		a.Log.Warn("the calls that wait for an answer are unknown", "user", user, "err", err)
		p = protocol.Pending{}
		for i := range answers {
			p.Taken = append(p.Taken, protocol.Taken{ID: answers[i].ID, Why: "the machine could not pass it on: " + err.Error()})
		}
	}
	return p
}

// versionOf returns a text that changes whenever something begins to wait, or ceases to, in the state
// directory dir. freeze is the file of a freeze, after which the calls that it denied cease to wait.
func versionOf(dir, freeze string) string {
	text := ""
	for _, name := range []string{filepath.Join(dir, grant.BlocksDir), filepath.Join(dir, grant.AnswersDir), filepath.Join(dir, state.GrantsFile), freeze} {
		if info, err := os.Stat(name); err == nil {
			text += fmt.Sprintf("%s %d\n", name, info.ModTime().UnixNano())
		}
	}
	return text
}
