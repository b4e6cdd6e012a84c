package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/loosen"
	"github.com/checkrein/checkrein/internal/trust"
)

// print writes a summary for people.
func (s *summary) print(env *console.Env) {
	out := env.Stdout
	if s.Events == 0 {
		fmt.Fprintln(out, "no events")
		return
	}
	who := amount(len(s.Sessions), "session")
	if len(s.Sessions) == 1 {
		who = trust.VisibleLine(s.Sessions[0])
	}
	fmt.Fprintf(out, "%s, %s to %s\n", who, s.From.In(zone(env)).Format(time.DateTime), s.To.In(zone(env)).Format(time.TimeOnly))
	asked := ""
	if s.Unasked > 0 {
		asked = fmt.Sprintf(" (%d reached no person, so that they were denied)", s.Unasked)
	}
	fmt.Fprintf(out, "%s: %d denied, %d asked%s, %d changed, %d lifted by grants, %s\n", amount(s.Events, "event"), s.Denied, s.Asked, asked, s.Changed, s.Lifted, amount(s.Faults, "fault"))
	if len(s.Packs) > 0 {
		fmt.Fprintf(out, "packs that were off: %s\n", strings.Join(s.Packs, ", "))
	}
	if s.Foreign > 0 {
		fmt.Fprintf(out, "foreign: %s did not come from the host of the session; checkrein explain ID shows from whom\n", amount(s.Foreign, "event"))
	}
	if s.Shadow > 0 {
		fmt.Fprintf(out, "in shadow or paused: %d more would have been denied or asked about, and were not\n", s.Shadow)
	}
	for _, item := range s.Held {
		fmt.Fprintf(out, "held back until checkrein confirm: %s\n", trust.VisibleLine(loosen.Words(item)))
	}
	for _, g := range s.Grants {
		fmt.Fprintf(out, "lifted %s by grant %s\n", amount(g.Times, "call"), trust.VisibleLine(g.ID))
	}
	entries := ""
	for _, b := range s.Blocked {
		fmt.Fprintf(out, "\nblocked %d×: %s\n", b.Times, trust.VisibleLine(b.Call))
		fmt.Fprintf(out, "  why: %s [%s]\n", trust.VisibleLine(b.Reason), trust.VisibleLine(strings.Join(b.Rules, ", ")))
		if b.Unasked != "" {
			fmt.Fprintf(out, "  no person was asked: %s\n", trust.VisibleLine(b.Unasked))
		}
		if b.NoGrant != "" {
			fmt.Fprintf(out, "  no grant lifts it: %s\n", trust.VisibleLine(b.NoGrant))
		}
		entries += strings.TrimPrefix(b.Grant, "grants:\n")
	}
	if entries != "" {
		fmt.Fprint(out, "\nTo let these calls pass in runs like this one, review them and add to your own checkrein.yaml:\n\ngrants:\n")
		for line := range strings.Lines(entries) {
			fmt.Fprintln(out, trust.VisibleLine(strings.TrimSuffix(line, "\n")))
		}
	}
}
