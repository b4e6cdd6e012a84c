package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// newProtectPaths denies writes, moves, deletions and permission changes, by any
// tool or shell route, to what guards the machine and to the given paths.
func newProtectPaths(args []string) (Func, error) {
	return func(_ context.Context, call Call) (checkrein.Verdict, error) { return protectPaths(&call, args), nil }, nil
}

func protectPaths(call *Call, patterns []string) checkrein.Verdict {
	t := call.Event.Tool
	if call.Event.Kind != checkrein.PreToolUse || t == nil {
		return checkrein.Verdict{}
	}
	place := placeOf(&call.Event, call.Dir, call.Env.Home)
	if j, ok := judge(&call.Event, call.Dir, call.Env.Home); ok {
		for i := range j.report.Effects {
			e := &j.report.Effects[i]
			if reads(e) {
				continue
			}
			for _, path := range e.Paths {
				if what, ok := protected(path, &place, patterns); ok {
					return checkrein.Verdict{Decision: checkrein.Deny, Reason: blocked(what+" is protected", j.command),
						Metadata: metadata(shell.RadiusHigh.String(), e.Category, what+" is protected")}
				}
			}
		}
		return checkrein.Verdict{}
	}
	if !writes(t) {
		return checkrein.Verdict{}
	}
	for _, path := range pathsOf(t) {
		if what, ok := protected(path, &place, patterns); ok {
			return checkrein.Verdict{Decision: checkrein.Deny, Reason: blocked(what+" is protected", t.Name+" "+path),
				Metadata: metadata(shell.RadiusHigh.String(), "fs-modify", what+" is protected")}
		}
	}
	return checkrein.Verdict{}
}

// protected says what a path is, if nobody but a person may change it.
func protected(path string, p *shell.Place, patterns []string) (string, bool) {
	if what, ok := files.Protected(path, &shell.Call{}, p); ok {
		return what, true
	}
	if slices.ContainsFunc(patterns, func(pattern string) bool { return within(pattern, path, p) }) {
		return path, true
	}
	return "", false
}

// reads reports whether an effect changes nothing.
func reads(e *shell.Effect) bool {
	return e.Kind == "read" || e.Kind == "list" || e.Kind == "search" || strings.HasSuffix(e.Category, "-read")
}

// writes reports whether a tool changes files, also one of a server that calls
// its tools by other systems' names.
func writes(t *checkrein.Tool) bool {
	name := canonical(t)
	if rest, ok := strings.CutPrefix(name, "mcp:"); ok {
		_, tool, _ := strings.Cut(rest, "/")
		name = checkrein.CanonicalTool(tool)
		if name == "" && (strings.Contains(tool, "write") || strings.Contains(tool, "edit") || strings.Contains(tool, "move") || strings.Contains(tool, "delete")) {
			return true
		}
	}
	return name == "write" || name == "edit" || name == "patch"
}

// pathsOf are the paths that a tool's arguments name.
func pathsOf(t *checkrein.Tool) []string {
	known := *t
	known.Canonical = canonical(t)
	return append(known.Paths(), known.Destinations()...)
}
