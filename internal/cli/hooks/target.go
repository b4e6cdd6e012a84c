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
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A target is what a command line names: a hook by its ID, a command on all of its
// events, or with --all whatever fits.
type target struct {
	event string // "" = any
	name  string
	any   bool // whatever its name
	all   bool // however many
}

// readTarget reads [EVENT] COMMAND|ID. A command need not be quoted.
func readTarget(args []string, all bool) (target, error) {
	t := target{all: all}
	if len(args) > 1 {
		if kind, ok := checkrein.KindOf(args[0]); ok {
			t.event, args = kind.String(), args[1:]
		} else if strings.HasPrefix(args[0], "native:") {
			t.event, args = args[0], args[1:]
		}
	}
	t.name = strings.Join(args, " ")
	if n := len(t.name); n > 2 && t.name[0] == '\'' && t.name[n-1] == '\'' {
		t.name = t.name[1 : n-1] // as remedies are printed, where no shell reads them
	}
	switch {
	case len(args) > 0:
		return t, nil
	case all:
		return target{any: true, all: true}, nil
	}
	return t, errors.New("name one hook: [EVENT] COMMAND|ID, or --all")
}

// A candidate is something that a target may mean.
type candidate struct {
	event string
	ids   []string
	shows string // the command
	where string // for people
	hook  *checkrein.Hook
}

func hookCandidate(h *checkrein.Hook) candidate {
	return candidate{approval.EventOf(h), []string{h.ID, h.Label()}, approval.Shows(h), base.HookPlace(approval.EventOf(h), h.Label(), h.From.String()), h}
}

// called reports whether the command line has one of its IDs. What was printed of an
// ID is as good as the ID itself.
func (t target) called(c *candidate) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool { return t.name == id || t.name == visible.Line(id) })
}

// runs reports whether the command line has its command, as it is shown or as a starchild
// file has it. An address stands for itself.
func (t target) runs(c *candidate) bool {
	return c.hook != nil && c.hook.Dialect == starchild.Dialect.Name && starchild.Runs(c.hook, t.name) ||
		strings.TrimSpace(t.name) == strings.TrimSpace(c.shows) || t.name == strings.TrimPrefix(c.shows, "POST ")
}

// pick returns the candidates that are meant. An ID means one hook, so several of that
// ID are refused: a person who names one hook must not decide about others. A command
// means all hooks that run it, on whichever events.
func (t target) pick(list []candidate) ([]bool, error) {
	picked, where := make([]bool, len(list)), []string(nil)
	for i := range list {
		c := &list[i]
		if t.event != "" && t.event != c.event || !t.any && !t.called(c) {
			continue
		}
		picked[i], where = true, append(where, c.where)
	}
	if len(where) > 1 && !t.all {
		return nil, base.Refused(fmt.Errorf("%d hooks have that name: add the EVENT or -c FILE to choose one, or --all for all of them\n  %s",
			len(where), strings.Join(where, "\n  ")))
	}
	if len(where) > 0 && !t.all {
		return picked, nil
	}
	for i := range list {
		if c := &list[i]; (t.event == "" || t.event == c.event) && t.runs(c) {
			picked[i] = true
		}
	}
	return picked, nil
}

// unknown reports that nothing of that name was found.
func (t target) unknown(what string) error {
	hint := ""
	if word, _, several := strings.Cut(t.name, " "); several && t.event == "" {
		hint = fmt.Sprintf(" (%q is not an event, so everything was taken as the command)", visible.Line(word))
	}
	return base.Refused(fmt.Errorf("%s%s. To list all hooks, run checkrein hooks list", what, hint))
}
