// Package checkrein runs people's hooks at the lifecycle points of AI agents and merges their answers
// into one verdict.
//
// Data flows one way:
//
//	bytes in → Event → plan (matched hooks, in stages) → handlers run → merged Verdict → clamp → reply
//
// This package holds the types of that pipe and its laws, and does no I/O. An [Event] describes what
// happened, and its [Contract] what a verdict may do there. A [Hook] declares which [Handler] runs,
// and an [Answer] is what the handler returned. [Merge] merges several verdicts into one [Verdict],
// and [Clamp] drops what the event or the agent cannot honour.
//
// Package engine runs hooks that a program declares in Go. Package kit adds configuration files,
// approvals and the built-in guards, which is what most programs that embed checkrein want. Package
// checkreintest tests handlers and embedding programs.
//
// A handler type, and a hook that uses it:
//
//	limit := checkrein.HandlerType{Name: "limit", New: func(h checkrein.Hook) (checkrein.Handler, error) {
//		return checkrein.HandlerFunc(func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
//			if len(ev.Tool.Command()) < 1000 {
//				return checkrein.Answer{}, nil // no opinion
//			}
//			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Ask, Reason: "The command is long."}}, nil
//		}), nil
//	}}
//	hook := checkrein.Hook{ID: "limit", On: checkrein.PreToolUse, Run: "limit",
//		If: checkrein.Condition{}.Test("tool", "is", "shell")}
package checkrein

//go:generate go run ./internal/lab/docgen/gen
//go:generate sh scripts/api.sh
