package hookmd

import "github.com/checkrein/checkrein"

// The format's events were renamed once. The contract table has the names of
// both generations, the older first; a single name is the current one.

// unfiredTrigger is the only event of the format without a contract. After a stop there is nothing
// left to decide, and no host reports it.
const unfiredTrigger = "post-agent-turn-stop"

// successCond is the condition that the format's after_tool implies. The format has another event for
// failed tools, while checkrein's post_tool_use includes them.
const successCond = `{"tool_error":{"is":false}}`

// triggerKind returns the kind of the format's event trigger, or false if there is none.
func triggerKind(trigger string) (checkrein.Kind, bool) {
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

// triggerNames returns the format's first and current names for events of a kind, or "" if it has
// none.
func triggerNames(kind checkrein.Kind) (first, current string) {
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

// allTriggers returns the current names of all events, and their original names if these differ.
func allTriggers() (current, first []string) {
	for i := range checkrein.Contracts() {
		old, now := triggerNames(checkrein.Kind(i))
		if now != "" {
			current = append(current, now)
		}
		if old != now {
			first = append(first, old)
		}
	}
	return current, first
}
