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

// probe has what makes hosts' events rows that only some payloads are.
const probe = `{"session_id":"x","cwd":"/","source":"resume","session":"startup","notification_type":"idle_prompt","event":{},"ctx":{},"tool_name":"x","tool_input":{}}`

// fires reports whether a host fires a row on an event on which it calls us, and
// what it then does with a verdict; all, when that depends on the payload.
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

// could names an event of the host that is the row and is not wired.
func (h *Host) could(k checkrein.Kind) string {
	for i := range h.Events {
		if slices.ContainsFunc(h.Events[i].Rows, func(r wire.Row) bool { return r.Kind == k }) {
			return h.Events[i].Native
		}
	}
	return ""
}

// fromGit reports whether an event comes from no host: git or a command of ours
// fires it.
func fromGit(k checkrein.Kind) bool {
	return k == checkrein.PreCommit || k == checkrein.PrePush || k == checkrein.Scrub
}

// fires finds hooks on events that installed hosts never fire, and gates on
// events on which one of them cannot refuse.
func (d *doctor) fires(h *checkrein.Hook) {
	hosts := d.hostsOf(h)
	if fromGit(h.On) || h.On == checkrein.Other || len(hosts) == 0 {
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
			if native := on.could(h.On); native != "" {
				add = append(add, message.Run(fmt.Sprintf("checkrein install %s --event %s", on.Name, native), ""))
			}
		case contract.Closed && contract.Can(checkrein.CanDeny) && honours&checkrein.CanDeny == 0, d.ignoresGate(h, honours):
			deaf = append(deaf, on.Title)
		default:
			able = append(able, on.Name)
		}
	}
	if len(never) > 0 {
		f := Finding{Message: message.New(fmt.Sprintf("%s never %s %s, so the hook never runs there", and(never), verb(never, "fire"), contract.Name), add...)}
		if len(add) == 0 {
			f.Remedies = limit("never-fires", able)
		}
		if len(never) == len(hosts) && contract.Closed && guards(h) {
			f.Level = Error
			f.What += ": it guards nothing here"
		}
		d.find("never-fires", h, f)
	}
	if len(deaf) > 0 {
		f := Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("%s %s a denial on %s: the user sees a notice, but nothing is held back", and(deaf), verb(deaf, "ignore"), contract.Name), limit("host-cannot", able)...)}
		if len(able) > 0 {
			f.Level = Warn
		}
		d.find("host-cannot", h, f)
	}
}

// ignoresGate reports whether a hook that is there to refuse stands on an event on which a
// host neither denies nor goes on working.
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

// limit returns the remedies of a check, with the condition that limits a hook to the
// hosts that are able to do what it asks for.
func limit(check string, able []string) []message.Remedy {
	list := slices.Clip(named(check).Remedies)
	if len(able) > 0 {
		list = append(list, message.Do(fmt.Sprintf("limit the hook to agents that can: if: {host: {in: [%s]}}", strings.Join(able, ", "))))
	}
	return list
}

// unheeded finds what installed hosts would not do of an answer. It is a warning as long
// as one of them would.
func (d *doctor) unheeded(h *checkrein.Hook, v *checkrein.Verdict) {
	contract := checkrein.ContractOf(h.On)
	_, byRow := checkrein.Clamp(*v, contract, checkrein.AllEffects)
	var able []string
	var found []Finding
	for _, on := range d.hostsOf(h) {
		honours, ok := on.fires(h.On)
		if !ok || d.ignoresGate(h, honours) { // which was found without an answer
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
		found = append(found, Finding{Level: weakens(lost), Message: message.New(fmt.Sprintf("%s does not support on %s what the hook asks for: %s", on.Title, contract.Name, strings.Join(lost, ", ")))})
	}
	for _, f := range found {
		if len(able) > 0 {
			f.Level = Warn
		}
		f.Remedies = limit("host-cannot", able)
		d.find("host-cannot", h, f)
	}
}

// weakens is the level of lost effects: a denial or a rewrite that will not
// happen leaves something unguarded.
func weakens(lost []string) Level {
	for _, w := range lost {
		switch w {
		case "deny", "rewrite_input", "rewrite_output", "rewrite_messages", "halt", "redo":
			return Error
		}
	}
	return Warn
}

// replacing are the hosts on which a tool's output can be replaced.
func (d *doctor) replacing() []string {
	var out []string
	for i := range d.Hosts {
		if honours, ok := d.Hosts[i].fires(checkrein.ToolResponseTransform); ok && honours&checkrein.CanRewriteOutput != 0 {
			out = append(out, d.Hosts[i].Title)
		}
	}
	return out
}

// and joins names for a sentence.
func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// verb is a verb behind the names of a list.
func verb(list []string, word string) string {
	if len(list) < 2 {
		return word + "s"
	}
	return word
}
