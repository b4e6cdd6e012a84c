package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/message"
)

// probe has the members that make hosts' events match rows that only some payloads match.
const probe = `{"session_id":"x","cwd":"/","source":"resume","session":"startup","notification_type":"idle_prompt","event":{},"ctx":{},"tool_name":"x","tool_input":{}}`

// fires reports whether a host fires a row on a wired event, and which effects it honours there; all
// of them if that depends on the payload.
func (h *Host) fires(k checkrein.Kind) (honours checkrein.Effect, ok bool) {
	for _, native := range h.Wired {
		e := h.FindEvent(native)
		if e == nil {
			continue
		}
		for _, row := range e.Rows {
			if row.Kind == k {
				return row.Honours, true
			}
		}
		for _, ev := range h.Read(h.Host, []byte(probe), native).Events {
			if ev.Kind == k {
				return checkrein.AllEffects, true
			}
		}
	}
	return 0, false
}

// unwiredEvent returns an event of the host that fires the row and is not wired, or "" if there is
// none.
func (h *Host) unwiredEvent(k checkrein.Kind) string {
	for i := range h.Events {
		if slices.ContainsFunc(h.Events[i].Rows, func(r wire.Row) bool { return r.Kind == k }) {
			return h.Events[i].Native
		}
	}
	return ""
}

// isFiredLocally reports whether an event comes from git or a command of checkrein, not from a host.
func isFiredLocally(k checkrein.Kind) bool {
	return k == checkrein.PreCommit || k == checkrein.PrePush || k == checkrein.Scrub
}

// checkFires finds hooks on events that installed hosts never fire, and gates on events on which one
// of them cannot refuse.
func (d *doctor) checkFires(h *checkrein.Hook) {
	hosts := d.hostsOf(h)
	if isFiredLocally(h.On) || h.On == checkrein.Other || len(hosts) == 0 {
		return
	}
	contract := checkrein.ContractOf(h.On)
	var never, deaf, able []string
	var add []message.Remedy
	for _, on := range hosts {
		honours, ok := on.fires(h.On)
		switch {
		case !ok:
			never = append(never, on.Title)
			if native := on.unwiredEvent(h.On); native != "" {
				add = append(add, message.Run(fmt.Sprintf("checkrein install %s --event %s", on.Name, native), ""))
			}
		case contract.Closed && contract.Can(checkrein.CanDeny) && honours&checkrein.CanDeny == 0, d.ignoresGate(h, honours):
			deaf = append(deaf, on.Title)
		default:
			able = append(able, on.Name)
		}
	}
	if len(never) > 0 {
		f := Finding{Message: message.New(fmt.Sprintf("%s never %s %s, so the hook never runs there", joinAnd(never), verb(never, "fire"), contract.Name), add...)}
		if len(add) == 0 {
			f.Remedies = limitRemedies("never-fires", able)
		}
		if len(never) == len(hosts) && contract.Closed && isGuard(h) {
			f.Level = Error
			f.What += ": it guards nothing here"
		}
		d.find("never-fires", h, f)
	}
	if len(deaf) > 0 {
		f := Finding{Level: levelFor(h), Message: message.New(fmt.Sprintf("%s %s a denial on %s: the user sees a notice, but nothing is held back", joinAnd(deaf), verb(deaf, "ignore"), contract.Name), limitRemedies("host-cannot", able)...)}
		if len(able) > 0 {
			f.Level = Warn
		}
		d.find("host-cannot", h, f)
	}
}

// ignoresGate reports whether a refusing hook is on an event on which a host neither denies nor lets
// the agent go on.
func (d *doctor) ignoresGate(h *checkrein.Hook, honours checkrein.Effect) bool {
	return d.Kit.Traits(h).Refuses && !h.Async && checkrein.ContractOf(h.On).Can(checkrein.CanDeny) && honours&(checkrein.CanDeny|checkrein.CanRedo) == 0
}

// hostsOf returns the installed hosts that h may run on.
func (d *doctor) hostsOf(h *checkrein.Hook) []*Host {
	var out []*Host
	for i := range d.Hosts {
		if match.MayRunOn(h, d.Hosts[i].Name) {
			out = append(out, &d.Hosts[i])
		}
	}
	return out
}

// limitRemedies returns the remedies of a check, with the condition that limits a hook to the hosts
// that support it.
func limitRemedies(check string, able []string) []message.Remedy {
	list := slices.Clip(checkByID(check).Remedies)
	if len(able) > 0 {
		list = append(list, message.Do(fmt.Sprintf("limit the hook to agents that can: if: {host: {in: [%s]}}", strings.Join(able, ", "))))
	}
	return list
}

// checkHonoured finds effects of an answer that installed hosts ignore. The finding is a warning if at
// least one host honours them.
func (d *doctor) checkHonoured(h *checkrein.Hook, v *checkrein.Verdict) {
	contract := checkrein.ContractOf(h.On)
	_, byRow := checkrein.Clamp(*v, contract, checkrein.AllEffects)
	var able []string
	var found []Finding
	for _, on := range d.hostsOf(h) {
		honours, ok := on.fires(h.On)
		if !ok || d.ignoresGate(h, honours) { // reported by checkFires
			continue
		}
		_, byHost := checkrein.Clamp(*v, contract, honours)
		var lost []string
		for _, l := range byHost {
			if !slices.Contains(byRow, l) {
				lost = append(lost, l.Effect)
			}
		}
		if v.Decision == checkrein.Deny && contract.Can(checkrein.CanDeny) && honours&(checkrein.CanDeny|checkrein.CanRedo) == 0 {
			lost = append(lost, "deny")
		}
		if len(lost) == 0 {
			able = append(able, on.Name)
			continue
		}
		found = append(found, Finding{Level: lostLevel(lost), Message: message.New(fmt.Sprintf("%s does not support on %s what the hook asks for: %s", on.Title, contract.Name, strings.Join(lost, ", ")))})
	}
	for _, f := range found {
		if len(able) > 0 {
			f.Level = Warn
		}
		f.Remedies = limitRemedies("host-cannot", able)
		d.find("host-cannot", h, f)
	}
}

// lostLevel returns the level of lost effects: a lost denial or rewrite leaves something unguarded.
func lostLevel(lost []string) Level {
	for _, w := range lost {
		switch w {
		case "deny", "rewrite_input", "rewrite_output", "rewrite_messages", "halt", "redo":
			return Error
		}
	}
	return Warn
}

// replacingHosts returns the hosts on which a tool's output can be replaced.
func (d *doctor) replacingHosts() []string {
	var out []string
	for i := range d.Hosts {
		if honours, ok := d.Hosts[i].fires(checkrein.ToolResponseTransform); ok && honours&checkrein.CanRewriteOutput != 0 {
			out = append(out, d.Hosts[i].Title)
		}
	}
	return out
}

// joinAnd joins names with commas and "and".
func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// verb returns a verb in the form that follows the names of a list.
func verb(list []string, word string) string {
	if len(list) < 2 {
		return word + "s"
	}
	return word
}
