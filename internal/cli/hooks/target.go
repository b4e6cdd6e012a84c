package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/hook/dialect/starchild"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A target selects hooks on the command line: one by its ID, those that run a command, or with --all
// every match.
type target struct {
	event string // "" = any
	name  string
	any   bool // with any name
	all   bool // any number of hooks
}

// readTarget reads [EVENT] COMMAND|ID. A command need not be quoted.
func readTarget(args []string, all bool) (target, error) {
	t := target{all: all}
	if len(args) > 1 {
		if kind, ok := hookfile.KindOf(args[0]); ok {
			t.event, args = kind.String(), args[1:]
		} else if strings.HasPrefix(args[0], "native:") {
			t.event, args = args[0], args[1:]
		}
	}
	t.name = strings.Join(args, " ")
	if n := len(t.name); n > 2 && t.name[0] == '\'' && t.name[n-1] == '\'' {
		t.name = t.name[1 : n-1] // remedies are printed in quotes
	}
	switch {
	case len(args) > 0:
		return t, nil
	case all:
		return target{any: true, all: true}, nil
	}
	return t, errors.New("name one hook: [EVENT] COMMAND|ID, or --all")
}

// A candidate is a hook or approval that a target may select.
type candidate struct {
	event string
	ids   []string
	shows string // the command
	where string // for display
	hook  *checkrein.Hook
}

// hookCandidate returns the candidate for a hook.
func hookCandidate(h *checkrein.Hook) candidate {
	return candidate{approval.EventName(h), []string{h.ID, h.Label()}, approval.RunText(h), base.HookPlace(approval.EventName(h), h.Label(), h.From.String()), h}
}

// hasID reports whether the target names one of the candidate's IDs, also in the form in which it is
// printed.
func (t target) hasID(c *candidate) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool { return t.name == id || t.name == visible.Line(id) })
}

// hasCommand reports whether the target names the candidate's command, as it is shown or as a
// starchild file has it. A URL needs no POST in front.
func (t target) hasCommand(c *candidate) bool {
	return c.hook != nil && c.hook.Dialect == starchild.Dialect.Name && starchild.Runs(c.hook, t.name) ||
		strings.TrimSpace(t.name) == strings.TrimSpace(c.shows) || t.name == strings.TrimPrefix(c.shows, "POST ")
}

// pick returns which candidates are selected. An ID selects one hook, so it fails if several have it:
// a person who names one hook must not decide about others. A command selects all hooks that run it,
// on any events.
func (t target) pick(list []candidate) ([]bool, error) {
	picked, where := make([]bool, len(list)), []string(nil)
	for i := range list {
		c := &list[i]
		if t.event != "" && t.event != c.event || !t.any && !t.hasID(c) {
			continue
		}
		picked[i], where = true, append(where, c.where)
	}
	if len(where) > 1 && !t.all {
		return nil, base.AsRefusal(fmt.Errorf("%d hooks have that name: add the EVENT or -c FILE to choose one, or --all for all of them\n  %s",
			len(where), strings.Join(where, "\n  ")))
	}
	if len(where) > 0 && !t.all {
		return picked, nil
	}
	for i := range list {
		if c := &list[i]; (t.event == "" || t.event == c.event) && t.hasCommand(c) {
			picked[i] = true
		}
	}
	return picked, nil
}

// unknownError returns an error that nothing has this name.
func (t target) unknownError(what string) error {
	hint := ""
	if word, _, several := strings.Cut(t.name, " "); several && t.event == "" {
		hint = fmt.Sprintf(" (%q is not an event, so everything was taken as the command)", visible.Line(word))
	}
	return base.AsRefusal(fmt.Errorf("%s%s. To list all hooks, run checkrein hooks list", what, hint))
}
