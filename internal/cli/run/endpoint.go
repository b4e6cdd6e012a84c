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

// checkEndpoints returns an error if an agent file that came with a repository names a server other
// than this machine, because the user's key and the whole conversation would go there. Hosts in
// --allow-endpoint are accepted.
func (r *run) checkEndpoints() error {
	if !r.isFromRepository() {
		return nil
	}
	for _, m := range r.team.Models {
		if host, ok := r.mayReach(m.BaseURL); !ok {
			return base.AsRefusal(fmt.Errorf("model %q in %s, a file from a repository, sends the conversation and your key to %q: to allow that, add --allow-endpoint %s", m.Name, r.file, m.BaseURL, host))
		}
	}
	for _, a := range r.team.Agents {
		for _, set := range a.Toolsets {
			if set.Server == nil {
				continue
			}
			if host, ok := r.mayReach(set.Server.URL); !ok {
				return base.AsRefusal(fmt.Errorf("the MCP server %s in %s, a file from a repository, would receive the agent's calls and the configured headers at %q: to allow that, add --allow-endpoint %s", set.Server.Label, r.file, set.Server.URL, host))
			}
		}
	}
	return nil
}

// mayReach returns the host in address, and reports whether a repository's file may name it. It may
// name this machine and the hosts in --allow-endpoint. An empty address is accepted.
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

// isFromRepository reports whether the agent file came with a repository.
func (r *run) isFromRepository() bool { return config.InRepository(r.file) }

// dropAllowRules removes the allow rules of an agent file that came with a repository, because nobody
// approved them and a pull may change them. Its deny rules still count. It keeps all rules if the user
// sets project_may_allow.
func (r *run) dropAllowRules() error {
	if !r.isFromRepository() {
		return nil
	}
	k, err := r.openKit(r.firstAgent())
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
		fmt.Fprintf(r.env.Stderr, "note: %s under permissions in %s: ignored, because the file came with a repository. To use them, set project_may_allow: true in your own checkrein.yaml\n", term.FormatCount(lost, "allow rule"), visible.EscapeLine(r.file))
	}
	return nil
}

// A messenger sends the messages of a run to channels, or saves them in the outbox.
type messenger struct {
	env      *console.Env
	session  string
	channels *channel.Set
	outbox   string // the path of the outbox, for display
	open     func() (io.WriteCloser, error)
}

// newMessenger returns a messenger with the channels of the user's and the administrator's files.
// Channels in an agent file do not count.
func (r *run) newMessenger(dir state.Dir) (*messenger, error) {
	k, err := r.openKit(r.firstAgent())
	if err != nil {
		return nil, err
	}
	p := &messenger{env: r.env, session: r.id, channels: channel.New(k.Channels(), r.env.Environ)}
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

// send sends a message. If it cannot be sent, send saves it in the outbox with the reason, and returns
// an error.
func (p *messenger) send(ctx context.Context, m agent.Message) error {
	if m.Channel == agent.Outbox {
		return p.save(m, "")
	}
	err := p.channels.Send(ctx, m.Channel, m.Text)
	if err == nil {
		return nil
	}
	if lost := p.save(m, err.Error()); lost != nil {
		return fmt.Errorf("%w; nor could the message be saved in the outbox: %w", err, lost)
	}
	return fmt.Errorf("%w. The message was saved in %s", err, p.outbox)
}

// save appends a message to the outbox as a line of JSON. unsent is why it was not sent to its
// channel.
func (p *messenger) save(m agent.Message, unsent string) error {
	line, err := json.Marshal(struct {
		At      string `json:"at"`
		Session string `json:"session_id"`
		Channel string `json:"channel"`
		Message string `json:"message"`
		Unsent  string `json:"not_sent,omitempty"` // why it was not sent
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
