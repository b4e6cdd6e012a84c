package audit

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/secret"
)

// maxShownCall is how much of a call a summary shows.
const maxShownCall = 200

// stoppedOf is the call of a record that was denied, with what would let it pass.
func stoppedOf(r *record.Record) *stoppedCall {
	b := &stoppedCall{Call: r.Event, Times: 1, Reason: base.OneLine(r.Reason), Unasked: r.Unasked, Handle: r.Handle, Seq: r.Seq, Rules: []string{}}
	var input []byte
	if r.Subject != nil && r.Subject.Input != nil {
		input = r.Subject.Input.JSON
	}
	var tool checkrein.Tool
	if r.Tool != nil {
		tool = checkrein.Tool{Name: r.Tool.Name, Canonical: r.Tool.Canonical, Input: input}
		b.Tool, b.Call = tool.Name, tool.Name
		if list := tool.Commands(); len(list) > 0 {
			b.Call = list[0]
		} else if paths := tool.Paths(); len(paths) > 0 {
			b.Call += " " + paths[0]
		}
	}
	b.Call = base.Truncate(base.OneLine(b.Call), maxShownCall)
	var why []string
	for i := range r.Plan {
		step := &r.Plan[i]
		if step.Decision != "deny" && step.Decision != "ask" {
			continue
		}
		for _, name := range deciderNames(step) {
			if !slices.Contains(b.Rules, name) {
				b.Rules = append(b.Rules, name)
			}
		}
		if step.Why != "" && step.Decision == "deny" || step.Why != "" && r.Unasked != "" {
			why = append(why, base.OneLine(step.Why))
		}
		if final := finalOf(step); final != "" && b.NoGrant == "" {
			b.NoGrant = final
		}
	}
	if len(why) > 0 {
		b.Reason = strings.Join(why, "; ")
	}
	b.key = strings.Join([]string{r.Root, b.Tool, b.Call, strings.Join(b.Rules, " "), string(input)}, "\x00")
	b.grant(r, &tool)
	return b
}

// deciderNames are what a grant calls the one who decided.
func deciderNames(s *record.Step) []string {
	switch {
	case len(s.Rules) > 0:
		return s.Rules
	case s.Rule != "":
		return []string{s.Rule}
	}
	return []string{s.Hook}
}

// finalOf says why no grant lifts what a step decided, "" = one does.
func finalOf(s *record.Step) string {
	switch {
	case s.Outcome == "fault":
		return "a hook could not answer (to see why, run checkrein doctor)"
	case s.Scope == checkrein.ScopeManaged.String():
		return "the machine's administrator decided it"
	case s.Final != "":
		return "it is checkrein's " + s.Final
	}
	return ""
}

// grant writes the entry that lets a call pass, or says why there is none.
func (b *stoppedCall) grant(r *record.Record, tool *checkrein.Tool) {
	switch {
	case b.NoGrant != "":
		return
	case tool.Name == "":
		b.NoGrant = "only tool calls can be granted"
	case len(b.Rules) == 0:
		b.NoGrant = "the record does not say who decided"
	case len(tool.Input) == 0:
		b.NoGrant = "the record does not contain the whole call"
	case bytes.Contains(tool.Input, []byte(secret.Marker)):
		b.NoGrant = "the call contains a secret, and secrets are not recorded"
	}
	if b.NoGrant != "" {
		return
	}
	g := checkrein.GrantSetting{Rules: b.Rules, In: r.Root, Reason: "was blocked on " + r.Time.UTC().Format(time.DateOnly) + ": " + base.Truncate(b.Reason, maxShownCall)}
	if list := tool.Commands(); len(list) == 1 && tool.Canonical == "shell" {
		g.Call = list[0]
	} else {
		g.Tool, g.Input = tool.Name, tool.Input
	}
	b.Grant = native.WriteGrants([]checkrein.GrantSetting{g})
}
