package hookmd

import "github.com/checkrein/checkrein"

// The format's events were renamed once. The contract table has the names of
// both generations, the older first; where there is one, it is the current.

// unfired is the one event of the format that has no row: what follows a stop
// has nothing left to decide about, and no host tells of it.
const unfired = "post-agent-turn-stop"

// succeeded is the condition that the format's after_tool implies: it has an
// event of its own for tools that failed, and checkrein's post_tool_use is both.
const succeeded = `{"tool_error":{"is":false}}`

// kindOf finds the row of a trigger.
func kindOf(trigger string) (checkrein.Kind, bool) {
	for i := range checkrein.Contracts() {
		row := &checkrein.Contracts()[i]
		for _, a := range row.Aliases {
			if a.Dialect == dialect && a.Name == trigger {
				return row.Kind, true
			}
		}
	}
	return checkrein.Other, false
}

// triggersOf returns the format's first and current names of an event, "" when
// it has none.
func triggersOf(kind checkrein.Kind) (first, current string) {
	for _, a := range checkrein.ContractOf(kind).Aliases {
		if a.Dialect != dialect {
			continue
		}
		if first == "" {
			first = a.Name
		}
		current = a.Name
	}
	return first, current
}

// triggers lists the names of all events: the current ones, and those of the
// first generation.
func triggers() (current, first []string) {
	for i := range checkrein.Contracts() {
		old, now := triggersOf(checkrein.Kind(i))
		if now != "" {
			current = append(current, now)
		}
		if old != now {
			first = append(first, old)
		}
	}
	return current, first
}
