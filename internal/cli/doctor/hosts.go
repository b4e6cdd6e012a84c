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

// probePayload has the members that make a host's payload fire rows that only some payloads fire.
const probePayload = `{"session_id":"x","cwd":"/","source":"resume","session":"startup","notification_type":"idle_prompt","event":{},"ctx":{},"tool_name":"x","tool_input":{}}`

// fires reports whether the host fires events of the kind k on one of its wired events, and which
// effects it honours there. If the row depends on the payload, it returns all effects.
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
		for _, ev := range h.Read(h.Host, []byte(probePayload), native).Events {
			if ev.Kind == k {
				return checkrein.AllEffects, true
			}
		}
	}
	return 0, false
}

// unwiredEvent returns an event of the host that fires events of the kind k, or "" if there is none.
// The caller has checked that no wired event does.
func (h *Host) unwiredEvent(k checkrein.Kind) string {
	for i := range h.Events {
		if slices.ContainsFunc(h.Events[i].Rows, func(r wire.Row) bool { return r.Kind == k }) {
			return h.Events[i].Native
		}
	}
	return ""
}

// isFiredLocally reports whether events of the kind k come from git or a checkrein command rather than
// from a host.
func isFiredLocally(k checkrein.Kind) bool {
	return k == checkrein.PreCommit || k == checkrein.PrePush || k == checkrein.Scrub
}

// checkFires adds a finding if installed hosts never fire the event of h, and one if h is a gate there
// and installed hosts ignore a denial.
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
		f := Finding{Message: message.New(fmt.Sprintf("%s never %s %s, so the hook never runs there", joinAnd(never), conjugate(never, "fire"), contract.Name), add...)}
		if len(add) == 0 {
			f.Remedies = limitRemedies("never-fires", able)
		}
		if len(never) == len(hosts) && contract.Closed && isGuard(h) {
			f.Level = Error
			f.What += ": it guards nothing here"
		}
		d.addFinding("never-fires", h, f)
	}
	if len(deaf) > 0 {
		f := Finding{Level: breakageLevel(h), Message: message.New(fmt.Sprintf("%s %s a denial on %s: the user sees a notice, but nothing is held back", joinAnd(deaf), conjugate(deaf, "ignore"), contract.Name), limitRemedies("host-cannot", able)...)}
		if len(able) > 0 {
			f.Level = Warn
		}
		d.addFinding("host-cannot", h, f)
	}
}

// ignoresGate reports whether h may refuse, but a host that honours only these effects on its event
// neither denies nor lets the agent continue instead.
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

// limitRemedies returns the remedies of a check. If there are hosts that support the hook, one more
// remedy limits the hook to them.
func limitRemedies(check string, able []string) []message.Remedy {
	list := slices.Clip(checkByID(check).Remedies)
	if len(able) > 0 {
		list = append(list, message.Do(fmt.Sprintf("limit the hook to agents that can: if: {host: {in: [%s]}}", strings.Join(able, ", "))))
	}
	return list
}

// checkHonoured adds findings about effects of v that installed hosts ignore. They are warnings if at
// least one host honours all effects.
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
		found = append(found, Finding{Level: lostLevel(lost), Message: message.New(fmt.Sprintf("on %s, %s does not support what the hook asks for: %s", contract.Name, on.Title, strings.Join(lost, ", ")))})
	}
	for _, f := range found {
		if len(able) > 0 {
			f.Level = Warn
		}
		f.Remedies = limitRemedies("host-cannot", able)
		d.addFinding("host-cannot", h, f)
	}
}

// lostLevel returns the level of a finding about lost effects. It is Error for a denial or a rewrite,
// since without it something is unguarded.
func lostLevel(lost []string) Level {
	for _, w := range lost {
		switch w {
		case "deny", "rewrite_input", "rewrite_output", "rewrite_messages", "halt", "redo":
			return Error
		}
	}
	return Warn
}

// outputReplacingHosts returns the titles of the hosts on which hooks can replace a tool's output.
func (d *doctor) outputReplacingHosts() []string {
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

// conjugate returns the verb word in the third person: singular if list has one name, plural
// otherwise.
func conjugate(list []string, word string) string {
	if len(list) < 2 {
		return word + "s"
	}
	return word
}
