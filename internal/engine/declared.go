package engine

import (
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CheckDeclared returns the joined mistakes in hooks that a program declares in Go which would make
// them run never, or be taken for each other. Hooks in files cannot have them.
func CheckDeclared(hooks []checkrein.Hook) error {
	var errs []error
	seen := map[string]bool{}
	for i := range hooks {
		h := &hooks[i]
		add := func(remedy, format string, args ...any) {
			errs = append(errs, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: fmt.Errorf(format, args...), Remedy: remedy})
		}
		switch {
		case h.ID == "":
			add("set ID: redos and records refer to hooks by it", "hook %d of Options.Hooks has no ID", i+1)
		case seen[h.ID]:
			add("give each hook an ID of its own", "another hook has the same ID %q", h.ID)
		}
		seen[h.ID] = true
		if h.On == checkrein.Other && h.Event == "" {
			add("set On to an event, such as checkrein.PreToolUse, or Event to the name of one of the agent's own events", "hook %d of Options.Hooks has no On", i+1)
		}
		if h.Shadow && (h.From.Scope > checkrein.ScopeUser || h.From.File == "") {
			add("remove Shadow, or set Async if the hook must not decide", "Shadow has no effect, because the hook is not in the user's or a managed file")
		}
	}
	return errors.Join(errs...)
}

// whyUnjudgeable returns what is wrong with ev if it is a tool call that must not run unjudged but that
// hooks cannot judge, or "".
func whyUnjudgeable(ev *checkrein.Event) string {
	row := checkrein.ContractOf(ev.Kind)
	if !row.Closed || row.Subject != checkrein.SubjectTool {
		return ""
	}
	wrong := ""
	switch t := ev.Tool; {
	case t == nil:
		wrong = "Event.Tool is nil"
	case t.Name == "":
		wrong = "Event.Tool has no Name"
	case len(t.Input) > 0: // a tool may have no arguments
		if err := rawjson.CheckObject(t.Input); err != nil {
			wrong = "Event.Tool.Input is not a JSON object: " + err.Error()
		}
	}
	if wrong == "" {
		return ""
	}
	return "Hooks cannot judge this call, because the program that runs the agent describes it wrongly in the " + row.Name + " event: " + wrong + "."
}
