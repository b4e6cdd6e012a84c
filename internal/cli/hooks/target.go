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

// A target selects hooks on the command line: one hook by its ID, all hooks that run a command, or
// every match with --all.
type target struct {
	event string // "" = any
	name  string
	any   bool // select hooks with any name
	all   bool // select any number of hooks
}

// parseTarget reads [EVENT] COMMAND|ID. The words of a command need not be quoted.
func parseTarget(args []string, all bool) (target, error) {
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
		t.name = t.name[1 : n-1] // remedies have quotes around the name
	}
	switch {
	case len(args) > 0:
		return t, nil
	case all:
		return target{any: true, all: true}, nil
	}
	return t, errors.New("name one hook: [EVENT] COMMAND|ID, or use --all")
}

// A candidate is a hook or approval that a target may select.
type candidate struct {
	event string
	ids   []string
	shows string // the command that it runs
	where string // its event, name and place, for display
	hook  *checkrein.Hook
}

// hookCandidate returns h as a candidate.
func hookCandidate(h *checkrein.Hook) candidate {
	return candidate{approval.EventName(h), []string{h.ID, h.Label()}, approval.RunText(h), base.HookPlace(approval.EventName(h), h.Label(), h.From.String()), h}
}

// hasID reports whether the target names one of the IDs of c, as it is or as it is printed.
func (t target) hasID(c *candidate) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool { return t.name == id || t.name == visible.EscapeLine(id) })
}

// hasCommand reports whether the target names the command of c, as it is shown or as it is written in
// a Starchild file. For an http hook, the URL is enough.
func (t target) hasCommand(c *candidate) bool {
	return c.hook != nil && c.hook.Dialect == starchild.Dialect.Name && starchild.RunsCommand(c.hook, t.name) ||
		strings.TrimSpace(t.name) == strings.TrimSpace(c.shows) || t.name == strings.TrimPrefix(c.shows, "POST ")
}

// pick returns which of the candidates the target selects. An ID selects one hook. If several have it,
// pick fails, because a user who names one hook must not decide about others by accident. A command
// selects all hooks that run it, on any event.
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

// unknownError returns the error what, with a hint if the target's first word was probably meant as an
// event.
func (t target) unknownError(what string) error {
	hint := ""
	if word, _, several := strings.Cut(t.name, " "); several && t.event == "" {
		hint = fmt.Sprintf(" (%q is not an event, so everything was taken as the command)", visible.EscapeLine(word))
	}
	return base.AsRefusal(fmt.Errorf("%s%s. To list all hooks, run checkrein hooks list", what, hint))
}
