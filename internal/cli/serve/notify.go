package serve

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/agent/channel"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

const (
	messagePause = 10 * time.Second // between two messages
	messageTime  = 30 * time.Second // for a service to take one
	messageAgain = 10 * time.Minute // until a call that waits is worth another message
)

// A notifier sends messages to the person when calls begin to wait for an answer. They have no text of
// a call, because services keep what they send on.
type notifier struct {
	env    *console.Env
	desk   *approvals.Desk
	feed   *feed.Feed
	url    string // of the pages for phones; "" = messages have no link
	report func(error)

	sent map[string]time.Time // the time of the last message about the call with a handle
}

// run sends messages until ctx is done.
func (n *notifier) run(ctx context.Context) {
	began := n.env.Now()
	n.checkChannels()
	sub, err := n.feed.Subscribe(feed.Options{Calls: true})
	if err != nil {
		n.report(fmt.Errorf("no messages about calls that wait: %w", err))
		return
	}
	defer sub.Close()
	for {
		b, err := sub.Next(ctx)
		if err != nil {
			return
		}
		if list := n.findWaiting(b.Rows, began); len(list) > 0 && n.send(ctx, list) {
			select {
			case <-ctx.Done():
			case <-time.After(messagePause):
			}
		}
	}
}

// findWaiting returns the calls among rows, since began, that wait for an answer and had no message yet.
func (n *notifier) findWaiting(rows []feed.Row, began time.Time) (out []*approvals.Approval) {
	for i := range rows {
		row := &rows[i]
		if row.Handle == "" || row.Answer != feed.Denied && row.Answer != feed.Asked || row.Time.Before(began) || row.Time.Sub(n.sent[row.Handle]) < messageAgain {
			continue
		}
		a, err := n.desk.Find(row.Handle)
		if err != nil || a.Answer != nil { // it cannot be answered, or was
			continue
		}
		if len(n.sent) >= 1000 || n.sent == nil {
			n.sent = map[string]time.Time{}
		}
		n.sent[row.Handle] = row.Time
		out = append(out, a)
	}
	return out
}

// send sends a message about list to where the person's configuration says, and reports whether there
// is such a place.
func (n *notifier) send(ctx context.Context, list []*approvals.Approval) bool {
	k, err := base.OpenKit(n.env, app.Options{FilesByPlace: true, ReadOnly: true})
	if err != nil {
		n.report(err)
		return true
	}
	to := k.ApprovalSettings().Notify
	if len(to) == 0 {
		return false
	}
	text := "A call of " + list[0].Host + " waits for your answer."
	if len(list) > 1 {
		text = fmt.Sprintf("%d calls wait for your answer.", len(list))
	}
	link := ""
	if n.url != "" {
		path, err := approvals.LinkTo(k, list[len(list)-1])
		if err != nil {
			n.report(err)
		}
		link = " " + n.url + path
	}
	ctx, cancel := context.WithTimeout(ctx, messageTime)
	defer cancel()
	services := channel.New(k.Channels(), n.env.Environ)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(to))) {
		if name == setting.Desktop { // other users can read the arguments of programs
			err = notifyDesktop(ctx, n.env, text+" To see it, run checkrein open")
		} else {
			err = services.Send(ctx, name, text+link)
		}
		if err != nil {
			n.report(err)
		}
	}
	return true
}

// checkChannels reports the channels that cannot be used, as far as that is known beforehand.
func (n *notifier) checkChannels() {
	k, err := base.OpenKit(n.env, app.Options{FilesByPlace: true, ReadOnly: true})
	if err != nil {
		return // the server reports it
	}
	services := channel.New(k.Channels(), n.env.Environ)
	for _, name := range k.ApprovalSettings().Notify {
		err := services.CheckChannel(name)
		if name == setting.Desktop {
			_, err = exec.LookPath(desktopNotifier)
		}
		if err != nil {
			n.report(fmt.Errorf("approvals.notify: %s: %w", name, err))
		}
	}
}

// desktopNotifier is the program that shows notifications on the desktop.
const desktopNotifier = "notify-send"

func notifyDesktop(ctx context.Context, env *console.Env, text string) error {
	program, err := exec.LookPath(desktopNotifier)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "--app-name=checkrein", "checkrein", text)
	cmd.Env = env.Environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", desktopNotifier, err), errors.New(string(out)))
	}
	return nil
}
