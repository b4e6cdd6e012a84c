package feed

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Parameter is a parameter of the address of a feed.
type Parameter struct {
	Name, About string
	words       []string // the texts that it accepts; nil = any
	add         func(*Options, string)
}

// IsFlag reports whether the values of p are true and false.
func (p *Parameter) IsFlag() bool { return len(p.words) == 2 }

// Parameters returns the parameters that [ParseOptions] reads, except since and after.
func Parameters() []Parameter {
	list := func(of func(*index.Filter) *[]string) func(*Options, string) {
		return func(o *Options, text string) { to := of(&o.Filter); *to = append(*to, text) }
	}
	outcome := func(effects checkrein.Effect) func(*Options, string) {
		return func(o *Options, text string) {
			if text == "true" {
				o.Filter.Outcome = append(o.Filter.Outcome, effects.Words()...)
			}
		}
	}
	var decisions []string
	for d := checkrein.NoOpinion; d <= checkrein.Deny; d++ {
		decisions = append(decisions, d.String())
	}
	flag := []string{"true", "false"}
	return []Parameter{
		{"host", "only from this agent", nil, list(func(f *index.Filter) *[]string { return &f.Host })},
		{"session", "only from this session; * matches any text", nil, list(func(f *index.Filter) *[]string { return &f.Session })},
		{"agent", "only from this subagent", nil, list(func(f *index.Filter) *[]string { return &f.Agent })},
		{"event", "only this event, by any agent's name for it", nil, list(func(f *index.Filter) *[]string { return &f.Event })},
		{"tool", "only about this tool; * matches any text", nil, list(func(f *index.Filter) *[]string { return &f.Tool })},
		{"decision", "only with this decision", decisions, list(func(f *index.Filter) *[]string { return &f.Decision })},
		{"hook", "only where this hook took part; * matches any text", nil, list(func(f *index.Filter) *[]string { return &f.Hook })},
		{"effect", "only with this effect", checkrein.AllEffects.Words(), list(func(f *index.Filter) *[]string { return &f.Effect })},
		{"denied", "only denied events; with asked or changed, events that match any of these", flag, outcome(checkrein.CanDeny)},
		{"asked", "only events whose decision was to ask", flag, outcome(checkrein.CanAsk)},
		{"changed", "only where input, output or messages were changed", flag, outcome(checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages)},
		{"calls", "only calls before they run, and events with an answer other than pass", flag, func(o *Options, text string) { o.Calls = text == "true" }},
	}
}

// ParseOptions returns the options that values select, the parameters of an address. They have the
// names of the flags of audit query; names in ignored belong to others.
func ParseOptions(values url.Values, now time.Time, ignored ...string) (Options, error) {
	all := Parameters()
	names := []string{"since", "after"}
	for _, p := range all {
		names = append(names, p.Name)
	}
	var o Options
	for name, texts := range values {
		i := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == name })
		for _, text := range texts {
			var err error
			switch {
			case slices.Contains(ignored, name):
			case name == "since":
				o.Filter.Since, err = moment.Parse(text, now, false)
			case name == "after":
				o.After, err = strconv.ParseUint(text, 10, 64)
			case i < 0:
				return o, fmt.Errorf("unknown parameter %q%s", name, suggest.Hint(name, names))
			case text == "":
			case all[i].words != nil && !slices.Contains(all[i].words, text):
				return o, fmt.Errorf("%s=%s: must be one of %s", name, text, strings.Join(all[i].words, ", "))
			case name == "event":
				kind, ok := hookfile.KindOf(text)
				if !ok {
					return o, fmt.Errorf("unknown event %q", text)
				}
				all[i].add(&o, kind.String())
			default:
				all[i].add(&o, text)
			}
			if err != nil {
				return o, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return o, nil
}
