package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/channel"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// endpoints refuses an agent file that came with a repository and names a server
// of its own: the person's key and the whole conversation would go there. What
// the person allows by name, and this machine, is fine.
func (r *run) endpoints() error {
	if !r.brought() {
		return nil
	}
	for _, m := range r.team.Models {
		if host, ok := r.mayReach(m.BaseURL); !ok {
			return base.Refused(fmt.Errorf("model %q in %s, a file from a repository, sends the conversation and your key to %q: to allow that, add --allow-endpoint %s", m.Name, r.file, m.BaseURL, host))
		}
	}
	for _, a := range r.team.Agents {
		for _, set := range a.Toolsets {
			if set.Server == nil {
				continue
			}
			if host, ok := r.mayReach(set.Server.URL); !ok {
				return base.Refused(fmt.Errorf("the MCP server %s in %s, a file from a repository, would receive the agent's calls and the configured headers at %q: to allow that, add --allow-endpoint %s", set.Server.Label, r.file, set.Server.URL, host))
			}
		}
	}
	return nil
}

// mayReach reports whether a file of a repository may name an address: this machine, or
// what the person allows.
func (r *run) mayReach(address string) (host string, ok bool) {
	if address == "" {
		return "", true
	}
	if u, err := url.Parse(address); err == nil {
		host = u.Hostname()
	}
	ip := net.ParseIP(host)
	return host, host == "localhost" || ip != nil && ip.IsLoopback() || host != "" && slices.Contains(r.allowed, host)
}

// brought reports whether the agent file came with a repository.
func (r *run) brought() bool { return config.InRepository(r.file) }

// bound takes the allow rules out of an agent file that came with a repository:
// nobody approved them, and with a pull there may be others. Its refusals count.
func (r *run) bound() error {
	if !r.brought() {
		return nil
	}
	k, err := r.kit(r.beginner())
	if err != nil || k.ProjectMayAllow() {
		return err
	}
	lost := len(r.team.Permissions.Allow)
	r.team.Permissions.Allow = nil
	for i := range r.team.Agents {
		lost += len(r.team.Agents[i].Permissions.Allow)
		r.team.Agents[i].Permissions.Allow = nil
	}
	if lost > 0 {
		fmt.Fprintf(r.env.Stderr, "note: %s under permissions in %s: ignored, because the file came with a repository. To use them, set project_may_allow: true in your own checkrein.yaml\n", term.Count(lost, "allow rule"), visible.Line(r.file))
	}
	return nil
}

// A post carries the messages of a run.
type post struct {
	env      *console.Env
	session  string
	channels *channel.Set
	outbox   string // its path, for people
	open     func() (io.WriteCloser, error)
}

// post sets up the outbox, and the channels of the person's and the administrator's
// files: an agent file names none.
func (r *run) post(dir state.Dir) (*post, error) {
	k, err := r.kit(r.beginner())
	if err != nil {
		return nil, err
	}
	p := &post{env: r.env, session: r.id, channels: channel.New(k.Channels(), r.env.Environ)}
	if r.outbox != "" {
		p.outbox = r.env.Path(r.outbox)
		p.open = func() (io.WriteCloser, error) {
			return os.OpenFile(p.outbox, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		}
		return p, nil
	}
	name := "outbox/" + r.id + ".jsonl"
	p.outbox = dir.Path(name)
	p.open = func() (io.WriteCloser, error) { return dir.OpenAppend(name) }
	return p, nil
}

// send sends a message. One that cannot be sent stays in the outbox, with the reason.
func (p *post) send(ctx context.Context, m agent.Message) error {
	if m.Channel == agent.Outbox {
		return p.keep(m, "")
	}
	err := p.channels.Send(ctx, m.Channel, m.Text)
	if err == nil {
		return nil
	}
	if lost := p.keep(m, err.Error()); lost != nil {
		return fmt.Errorf("%w; the message could not be saved in the outbox either: %w", err, lost)
	}
	return fmt.Errorf("%w. The message was saved in %s", err, p.outbox)
}

// keep writes a message to the outbox, a line of JSON.
func (p *post) keep(m agent.Message, unsent string) error {
	line, err := json.Marshal(struct {
		At      string `json:"at"`
		Session string `json:"session_id"`
		Channel string `json:"channel"`
		Message string `json:"message"`
		Unsent  string `json:"not_sent,omitempty"` // why
	}{p.env.Now().UTC().Format(time.RFC3339), p.session, m.Channel, m.Text, unsent})
	if err != nil {
		return err
	}
	f, err := p.open()
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
