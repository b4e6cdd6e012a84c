// Package checkrein runs people's hooks at the lifecycle points of AI agents
// and merges what they say into one verdict.
//
// The whole program is a pipe, and data flows through it one way:
//
//	bytes in → Event → plan (matched hooks, in stages) → handlers run → merged Verdict → clamp → reply
//
// This package holds the words of that pipe: what happened ([Event]), what may
// be said about it ([Contract]), who speaks ([Hook], [Handler]), what was said
// ([Answer], [Verdict]), how many opinions become one ([Merge]) and what of it
// the event and the host can carry ([Clamp]). It does no I/O.
//
// Package engine drives the pipe. Package kit wires it to configuration files,
// approvals and state, which is what most programs that embed checkrein want.
package checkrein

//go:generate go run ./internal/lab/docgen/gen
