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

// defaultCompactAt is the share of the model's context at which the conversation is compacted, unless
// the agent file sets another.
const defaultCompactAt = 0.9

// compactionLimit returns the number of tokens at which the conversation is compacted; 0 = never.
func (t *thread) compactionLimit() int {
	spec := t.agent.spec
	m, _ := t.rt.opts.Team.Model(spec.Model)
	return int(float64(t.agent.model.ContextLimit()) * cmp.Or(spec.CompactAt, m.CompactAt, defaultCompactAt))
}

// Compact replaces the conversation with a summary at the user's request.
func (r *Runtime) Compact(ctx context.Context) error {
	t := r.main
	switch {
	case len(t.messages) == 0:
		t.report(Report{Type: Warning, Text: "there is nothing to compact: the conversation is empty"})
		return nil
	case t.keptMessages() == len(t.messages):
		t.report(Report{Type: Warning, Text: "there is nothing to compact: the conversation has only the latest messages, which are kept"})
		return nil
	}
	_, err := t.compact(ctx, "manual", "manual")
	return err
}

// compactionSource returns why the conversation must be compacted, as the source of pre_compact:
// "auto" if the conversation nearly fills the model's context, "tool_overflow" if it does so only
// because of the results since the model's last answer, and "" if there is room.
func (t *thread) compactionSource() string {
	limit := t.compactionLimit()
	in, out := t.estimateSize(len(t.messages))
	fills := func(n int) bool { return limit > 0 && n >= limit }
	if t.agent.spec.NoCompaction || !fills(in+out) {
		return ""
	}
	n := len(t.messages)
	for n > 0 && t.messages[n-1].Role == model.ToolRole {
		n--
	}
	if in, out := t.estimateSize(n); n < len(t.messages) && !fills(in+out) {
		return "tool_overflow"
	}
	return "auto"
}

// estimateSize returns how many tokens the next call would send if there were only the first n
// messages: the usage that the model reported last, plus an estimate for the messages after it.
func (t *thread) estimateSize(n int) (in, out int) {
	since := 0
	for i := n - 1; i >= 0; i-- {
		if u := t.messages[i].Usage; u != nil {
			return u.Input + since, u.Output
		}
		since += estimateTokens(&t.messages[i])
	}
	return since + len(t.summary)/4, 0
}

// estimateTokens estimates the number of tokens of m by its length.
func estimateTokens(m *model.Message) int {
	n := len(m.Content)
	for _, c := range m.ToolCalls {
		n += len(c.Function.Name) + len(c.Function.Arguments)
	}
	return n/4 + 4
}

// compact replaces the conversation before the messages that keptMessages counts with a summary, and
// reports whether it did. Hooks may prevent it or write the summary.
func (t *thread) compact(ctx context.Context, source, reason string) (bool, error) {
	kept := t.keptMessages()
	if len(t.messages) == kept {
		return false, nil // nothing to replace
	}
	pre := t.fire(ctx, checkrein.PreCompact, withDetail("source", source))
	if isDenied(&pre) {
		t.report(Report{Type: Warning, Text: "a hook prevented the conversation from being compacted: " + denialReason(&pre)})
		return false, nil
	}
	in, out := t.estimateSize(len(t.messages))
	counts := []eventOption{withDetail("input_tokens", in), withDetail("output_tokens", out), withDetail("compaction_reason", reason),
		withDetail("context_limit", t.agent.model.ContextLimit())} // 0 = unknown
	before := t.fire(ctx, checkrein.BeforeCompaction, counts...)
	if isDenied(&before) {
		t.report(Report{Type: Warning, Text: "a hook prevented the conversation from being compacted: " + denialReason(&before)})
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
		t.messages[i].Usage = nil // it counted the replaced messages
	}
	t.summary = summary
	if t.main {
		t.rt.save(session.Item{Kind: session.Summary, Text: summary, Kept: kept})
	}
	t.report(Report{Type: Compacted, Text: summary, Reason: reason})
	t.fire(ctx, checkrein.AfterCompaction, append(counts, withText(summary), withDetail("source", source))...)
	t.start(ctx, "compact")
	return true, nil
}

// keptMessages returns how many of the last messages compaction keeps: the user's last message and
// what followed it, or 0 if these fill more than half of the limit.
func (t *thread) keptMessages() int {
	limit, size := t.compactionLimit()/2, 0
	for i := len(t.messages) - 1; i >= 0; i-- {
		size += estimateTokens(&t.messages[i])
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

const summaryPrompt = `Summarize the conversation so far for the agent that continues it: what was asked for,
what was done and found, and what is left, with the exact names of files and commands.
Answer with the summary alone.`

// summarize returns a summary, written by the model, of all but the last kept messages. guidance is
// added to the prompt. Hooks on before_llm_call run for this call too.
func (t *thread) summarize(ctx context.Context, kept int, guidance []string) (string, error) {
	prompt := summaryPrompt
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
	if limit := t.agent.model.ContextLimit() * 2; limit > 0 && len(transcript) > limit { // in bytes, about half of the context
		transcript = strings.ToValidUTF8(transcript[:limit/2]+"\n…\n"+transcript[len(transcript)-limit/2:], "")
	}
	messages := []model.Message{{Role: model.System, Content: prompt}, {Role: model.User, Content: transcript}}
	raw, err := json.Marshal(messages)
	if err != nil {
		return "", err
	}
	var answer model.Answer
	err = t.tryModels(ctx, func(m model.Model) (err error) {
		out := t.fire(ctx, checkrein.BeforeLLMCall, withDetail("iteration", max(t.iteration, 1)), withDetail("model_id", m.ID()), withDetail("last_user_message", t.lastUserMessage()), func(ev *checkrein.Event) { ev.Messages = raw })
		if isDenied(&out) || out.Verdict.Halt {
			return &blockedError{denialReason(&out)}
		}
		send := messages
		if out.Verdict.Messages != nil {
			send = nil
			if err := json.Unmarshal(out.Verdict.Messages, &send); err != nil {
				return err
			}
		}
		if err := t.checkWithheld(ctx, send); err != nil {
			return err
		}
		answer, err = m.Call(ctx, model.Request{Messages: send}, nil)
		answer.Model = m.ID()
		return err
	})
	if err != nil {
		return "", err
	}
	t.countCall(&answer)
	after := t.fire(ctx, checkrein.AfterLLMCall, append(t.costDetails(&answer), withText(answer.Text), withDetail("last_user_message", t.lastUserMessage()))...)
	if summary := strings.TrimSpace(rewrittenText(&after, answer.Text)); summary != "" {
		return summary, nil
	}
	return "", fmt.Errorf("the model wrote no summary")
}
