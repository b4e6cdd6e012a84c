package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
)

// fullAt is the share of the context at which the conversation is compacted, where the
// agent file does not say.
const fullAt = 0.9

// fits is how many tokens the conversation may have before it is compacted; 0 = as many
// as it likes.
func (t *thread) fits() int {
	spec := t.who.spec
	m, _ := t.rt.opts.Team.Model(spec.Model)
	return int(float64(t.who.model.ContextLimit()) * cmp.Or(spec.CompactAt, m.CompactAt, fullAt))
}

// Compact replaces the conversation with a summary because the person wants it.
func (r *Runtime) Compact(ctx context.Context) error {
	t := r.main
	switch {
	case len(t.messages) == 0:
		t.report(Report{Type: Warning, Text: "there is nothing to compact: the conversation is empty"})
		return nil
	case t.tail() == len(t.messages):
		t.report(Report{Type: Warning, Text: "there is nothing to compact: only the latest messages are there, and those are kept"})
		return nil
	}
	_, err := t.compact(ctx, "manual", "manual")
	return err
}

// full returns why the conversation is to be compacted, as pre_compact has it: it nearly
// fills the model's context, or does so with what tools returned since the model
// last answered. "" = there is room.
func (t *thread) full() string {
	limit := t.fits()
	in, out := t.size(len(t.messages))
	fills := func(n int) bool { return limit > 0 && n >= limit }
	if t.who.spec.NoCompaction || !fills(in+out) {
		return ""
	}
	n := len(t.messages)
	for n > 0 && t.messages[n-1].Role == model.ToolRole {
		n--
	}
	if in, out := t.size(n); n < len(t.messages) && !fills(in+out) {
		return "tool_overflow"
	}
	return "auto"
}

// size is how many tokens the next call would send, at least, were the first n
// messages all: what the model reported of the last one, and an estimate of what came
// since.
func (t *thread) size(n int) (in, out int) {
	since := 0
	for i := n - 1; i >= 0; i-- {
		if u := t.messages[i].Usage; u != nil {
			return u.Input + since, u.Output
		}
		since += estimate(&t.messages[i])
	}
	return since + len(t.summary)/4, 0
}

// estimate is a message's tokens by its length, where nobody counted them.
func estimate(m *model.Message) int {
	n := len(m.Content)
	for _, c := range m.ToolCalls {
		n += len(c.Function.Name) + len(c.Function.Arguments)
	}
	return n/4 + 4
}

// compact replaces the conversation, up to what the person said last, with a
// summary. It reports whether it did.
func (t *thread) compact(ctx context.Context, source, reason string) (bool, error) {
	kept := t.tail()
	if len(t.messages) == kept {
		return false, nil // nothing to leave out
	}
	pre := t.fire(ctx, checkrein.PreCompact, with("source", source))
	if denied(&pre) {
		t.report(Report{Type: Warning, Text: "a hook keeps the conversation from being compacted: " + why(&pre)})
		return false, nil
	}
	in, out := t.size(len(t.messages))
	counts := []about{with("input_tokens", in), with("output_tokens", out), with("compaction_reason", reason),
		with("context_limit", t.who.model.ContextLimit())} // 0 = unknown
	before := t.fire(ctx, checkrein.BeforeCompaction, counts...)
	if denied(&before) {
		t.report(Report{Type: Warning, Text: "a hook keeps the conversation from being compacted: " + why(&before)})
		return false, nil
	}
	summary := before.Verdict.Summary
	if summary == "" {
		var err error
		if summary, err = t.summarize(ctx, kept, pre.Verdict.Context); err != nil {
			return false, fmt.Errorf("the conversation could not be compacted: %w", err)
		}
	}
	t.messages = append([]model.Message(nil), t.messages[len(t.messages)-kept:]...)
	for i := range t.messages {
		t.messages[i].Usage = nil // it counted what is gone
	}
	t.summary = summary
	if t.main {
		t.rt.keep(session.Item{Kind: session.Summary, Text: summary, Kept: kept})
	}
	t.report(Report{Type: Compacted, Text: summary, Reason: reason})
	t.fire(ctx, checkrein.AfterCompaction, append(counts, text(summary), with("source", source))...)
	t.start(ctx, "compact")
	return true, nil
}

// tail is how many of the last messages stay: what the person said last and what
// followed, unless that alone is most of what fits.
func (t *thread) tail() int {
	limit, size := t.fits()/2, 0
	for i := len(t.messages) - 1; i >= 0; i-- {
		size += estimate(&t.messages[i])
		if t.messages[i].Role != model.User {
			continue
		}
		if limit == 0 || size <= limit {
			return len(t.messages) - i
		}
		return 0
	}
	return 0
}

const summarize = `Summarize the conversation so far for the one who goes on with it: what was asked for,
what was done and found, what is left, with names of files and commands as they are.
Answer with the summary alone.`

// summarize has the model write the summary. Hooks that guard what is sent to
// the model guard this too.
func (t *thread) summarize(ctx context.Context, kept int, guidance []string) (string, error) {
	prompt := summarize
	if len(guidance) > 0 {
		prompt += "\n\n" + strings.Join(guidance, "\n")
	}
	var b strings.Builder
	if t.summary != "" {
		fmt.Fprintf(&b, "Summary of what came before:\n%s\n\n", t.summary)
	}
	for _, m := range t.messages[:len(t.messages)-kept] {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "%s calls %s %s\n", m.Role, c.Function.Name, c.Function.Arguments)
		}
	}
	transcript := b.String()
	if limit := t.who.model.ContextLimit() * 2; limit > 0 && len(transcript) > limit { // about half of the context
		transcript = strings.ToValidUTF8(transcript[:limit/2]+"\n…\n"+transcript[len(transcript)-limit/2:], "")
	}
	messages := []model.Message{{Role: model.System, Content: prompt}, {Role: model.User, Content: transcript}}
	raw, err := json.Marshal(messages)
	if err != nil {
		return "", err
	}
	var answer model.Answer
	err = t.tried(ctx, func(m model.Model) (err error) {
		out := t.fire(ctx, checkrein.BeforeLLMCall, with("iteration", max(t.iteration, 1)), with("model_id", m.ID()), with("last_user_message", t.lastUser()), func(ev *checkrein.Event) { ev.Messages = raw })
		if denied(&out) || out.Verdict.Halt {
			return &blocked{why(&out)}
		}
		send := messages
		if out.Verdict.Messages != nil {
			send = nil
			if err := json.Unmarshal(out.Verdict.Messages, &send); err != nil {
				return err
			}
		}
		if err := t.checked(ctx, send); err != nil {
			return err
		}
		answer, err = m.Call(ctx, model.Request{Messages: send}, nil)
		answer.Model = m.ID()
		return err
	})
	if err != nil {
		return "", err
	}
	t.spend(&answer)
	after := t.fire(ctx, checkrein.AfterLLMCall, append(t.spent(&answer), text(answer.Text), with("last_user_message", t.lastUser()))...)
	if summary := strings.TrimSpace(rewritten(&after, answer.Text)); summary != "" {
		return summary, nil
	}
	return "", fmt.Errorf("the model wrote no summary")
}
