package hookmd

import "github.com/checkrein/checkrein"

// The format's events were renamed once. The contract table has the names of
// both generations, the older first; a single name is the current one.

// unfiredTrigger is the one event of the format that has no row: after a stop there is nothing left to
// decide, and no host reports it.
const unfiredTrigger = "post-agent-turn-stop"

// successCond is the condition that the format's after_tool implies: it has an event of its own for
// failed tools, while checkrein's post_tool_use covers both.
const successCond = `{"tool_error":{"is":false}}`

// kindOf returns the event of a trigger.
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

// triggersOf returns the format's first and current names of an event; "" if it has none.
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

// allTriggers returns the names of all events: the current ones, and those of the first generation.
func allTriggers() (current, first []string) {
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
