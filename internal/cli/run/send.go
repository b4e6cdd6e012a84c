package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/channel"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/state"
)

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
	p.open = func() (io.WriteCloser, error) { return dir.Append(name) }
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
