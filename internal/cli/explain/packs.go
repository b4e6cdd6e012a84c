package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/text/message"
)

// adjust says how to loosen the pack that decided, and what else that changes. A
// denial can become a question, a question can go.
func adjust(s *record.Step, now *present) (do remedies, note []string) {
	if s.PackFrom != "" {
		return remedies{message.Do(fmt.Sprintf("edit %s: remove %s from the entry for %s under packs:", s.PackFrom, s.PackKey, s.Pack))},
			[]string{"a project's file makes this pack stricter, and your own files cannot override that"}
	}
	to := checkrein.Ask
	if was(s) == checkrein.Ask {
		to = checkrein.NoOpinion
	}
	key := slices.Index(checkrein.PackKeys[:], s.PackKey)
	do = now.entry(s.Pack, func(set *checkrein.PackSetting) { packs.SetDecision(set, s.PackKey, to) }, func(watches []*packguard.Watch) bool {
		return key >= 0 && packs.Strictest(watches, packs.PlainEffect(s.Pack, key)) <= to
	})
	milder, stricter := packguard.Under(s.Pack, s.PackKey, to)
	note = append(now.levelSetters(s), about(s.Pack, s.PackKey, to, milder))
	if len(stricter) > 0 {
		note = append(note, fmt.Sprintf("with this line, calls that pass today are also %s about: %s", participle[to.String()], strings.Join(stricter, ", ")))
	}
	if others := otherRules(s); len(others) > 0 {
		note = append(note, "other rules also stop this call, and this line does not change them: "+strings.Join(others, ", "))
	}
	if to == checkrein.Ask {
		note = append(note, "an agent that cannot ask denies instead. To allow it without a question, write "+s.PackKey+": none")
	}
	return do, append(note, heldNote)
}

// levelSetters names the files that set the level by which a step decided; none where it is the
// default.
func (p *present) levelSetters(s *record.Step) (out []string) {
	if p.shelf == nil {
		return nil
	}
	for i := range p.shelf.Settings {
		say := &p.shelf.Settings[i]
		for _, by := range say.By {
			if say.Name == s.Pack && by.Key == s.PackKey && by.Is == was(s) {
				out = append(out, fmt.Sprintf("%s sets %s: %s for everything in the pack %s", say.From.String(), by.Key, by.Is, s.Pack))
			}
		}
	}
	return out
}

const heldNote = "settings that you loosen while an agent is running take effect only after you run: checkrein confirm"

// was is what a step decided, whether or not it was lifted.
func was(s *record.Step) checkrein.Decision {
	if s.Lifted != nil {
		return records.DecisionOf(s.Lifted.Decision)
	}
	return records.DecisionOf(s.Decision)
}

// about says what a line about a key of a pack holds for.
func about(pack, key string, to checkrein.Decision, milder []string) string {
	what := "with " + key + " impact"
	switch key {
	case "unknown":
		what = "whose impact is unknown"
	case "exfiltration":
		what = "that sends data off the machine"
	}
	then := "passes"
	if to == checkrein.Ask {
		then = "is asked about"
	}
	text := fmt.Sprintf("with this line, everything in the pack %s %s %s, not only this call", pack, what, then)
	if len(milder) > 0 {
		text += ": " + strings.Join(milder, ", ")
	}
	return text
}

// entry says what the person's file must say of a pack. What there is of it already,
// and whether it helps, packs knows.
func (p *present) entry(pack string, with func(*checkrein.PackSetting), works func([]*packguard.Watch) bool) remedies {
	if p.shelf == nil { // another's ledger
		set := checkrein.PackSetting{Name: pack}
		with(&set)
		return remedies{message.Write("packs: ["+packs.SettingText(&set)+"]", "in your checkrein.yaml")}
	}
	report := p.shelf.Pack(pack)
	var out remedies
	for _, c := range p.shelf.Change(&report, "", with, works) {
		switch {
		case c.Line == "":
			out = append(out, message.Do(strings.TrimSuffix(c.Does+": "+c.In, ": ")))
		case !base.FileExists(c.In):
			out = append(out, message.Write("{version: 1, "+c.Line+"}", "create "+c.In+" with this content"))
		case c.How != "":
			out = append(out, message.Write(c.Line, fmt.Sprintf("in %s (%s)", c.In, c.How)))
		default:
			out = append(out, message.Write(c.Line, "add to "+c.In))
		}
	}
	return out
}

// secretsOff says how to be rid of what guard_secrets does.
func secretsOff(now *present) (do remedies, note []string) {
	off := func(set *checkrein.PackSetting) { set.Off, set.By, set.Allow = true, nil, nil }
	works := func(watches []*packguard.Watch) bool {
		return !slices.ContainsFunc(watches, func(w *packguard.Watch) bool { return w.On(packset.Secrets) })
	}
	return now.entry(packset.Secrets, off, works), []string{
		"redaction is harmless: the file keeps its secret, and the model can work with the marker",
		"this switches off the whole secrets pack: it then no longer redacts secrets in prompts, calls and results, stops them from leaving, or asks about key files",
		heldNote,
	}
}
