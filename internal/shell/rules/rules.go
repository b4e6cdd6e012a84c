// Package rules finds the effects of programs by the rules of packs.
//
// A pack is a file of rules about one kind of program. Packs are data in package program, with samples
// that test the rules. A rule names a program and its subcommands, and the flags and words that must
// and must not be present:
//
//	Cmd  "git push"        the program, then its first words that are not flags. A
//	                       word may have alternatives, "rm|remove", or be a pattern,
//	                       "delete-*"; "*" matches exactly one word
//	Any  "-f --force +*"   one of these terms is present
//	All  "-r|-R -f"        each of these is present
//	Not  "-n --dry-run"    none of these is present
//	Arg  "s3://*"          a word after those of Cmd matches
//	Bare                   no word follows those that Cmd matches
//	SQL  "DROP|DELETE FROM !WHERE"  a statement begins with one of these; "*" stands for
//	                       any text, "!X" requires that the statement lacks the word X
//
// A term is -f (also inside the bundle -rf), --flag (also abbreviated where the program allows it),
// -flag with one dash (exactly that word), --flag=pattern (a flag whose value matches, in any
// spelling; "pattern!except" excludes values that match the second pattern), --flag* (any flag with
// that prefix), -- (with words after it), <glob> (a word that the shell expands), <many> (that, or a
// word that a command prints), <here> (an address of this machine, also after a prefix: a=<here>), or
// a pattern that some word other than a flag matches, subcommands included. The last flag wins:
// --force --no-force and --force=false are not forced.
//
// The rows of programs (package program) describe how words are read: which flags take a value,
// whether -h is help and -n a dry run, and which programs are aliases. Rules need not state that
// --help, --version or --dry-run do nothing, nor repeat podman beside docker.
package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects returns the effects of c by the built-in packs and those of p, and reports whether a rule
// matched.
//
// It returns the effects of all matching rules, the worst first. Of effects with the same label and
// category, it keeps only the one with the highest impact. A safe rule counts only if no other rule
// matches. If an unknown word decides whether a destructive rule matches, the effect is unknown.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, known bool) {
	if c.Name == "" {
		return nil, false
	}
	r := newReading(substituteHead(unwrapKubectl(c)))
	if why := r.harmlessCategory(); why != shell.NoCategory {
		return []shell.Effect{harmlessEffect(r.Call, why)}, true
	}
	s := search{place: p}
	var buf [4]callName
	views := r.callNames(&buf)
	for _, v := range views {
		s.addProgramRules(&r, v)
	}
	s.addExpertEffects(r.Call)
	if p != nil {
		for _, pack := range p.Packs {
			s.addPackRules(&r, pack, views)
		}
	}
	if program.Is(r.Name, program.IsGit) {
		s.addForcedPush(&r)
		s.refineGit(&r)
	}
	effects, known = s.result()
	if !known && len(effects) == 0 {
		effects, known = r.rowEffects()
	}
	s.setSubjects(&r, effects)
	if program.NestsOf(r.Name) == program.NestsDotClient {
		s.keepDatabaseFile(&r, effects)
	}
	if r.TooLong {
		effects = append(effects, shell.LimitEffect("", "has more options than checkrein can check"))
	}
	if usesRemoteDaemon(c) {
		for i := range effects {
			if e := &effects[i]; e.Label == shell.Destructive && e.Impact == shell.ImpactLow {
				e.Impact, e.Reason = shell.ImpactMedium, e.Reason+", on another machine"
			}
		}
	}
	if r.isSecretManagerRun() {
		for i := range effects {
			if effects[i].Category == shell.SecretRead {
				effects[i].Category, effects[i].Impact = shell.SecretUse, shell.ImpactMedium
			}
		}
	}
	if known && runsLocalScript(c) && len(effects) == 1 && effects[0].Label == shell.Safe && effects[0].Category != shell.RunScript {
		// The rule is about the program that the script is named after, not about the script.
		if !allWordsKnown(c.Args) {
			return nil, false
		}
		return scriptFileEffects(c, c.Path)
	}
	return effects, known
}

// A search collects the effects of the rules that match a call.
type search struct {
	place    *shell.Place
	found    []shell.Effect
	safe     shell.Effect // the effect of the first safe rule that matched
	possible shell.Effect // the effect of the worst rule that may match
	known    bool

	possibleWeight int // the weight of possible; 0 if there is none
}

// addProgramRules adds the effects of the rules about the program v.name and the subcommand of the
// call.
func (s *search) addProgramRules(r *reading, v callName) {
	line := r.rulesFor(v.name)
	if line == "" {
		return
	}
	s.addRules(r, v, line.PlainRules(), 1)
	if v.start >= len(r.Words) {
		return
	}
	if w := r.Words[v.start].Text; !strings.Contains(w, placeholder) {
		s.addRules(r, v, line.SubcommandRules(w), 2)
		return
	}
	// The subcommand is unknown, so every rule about the program may match.
	line.EachSubcommandList(func(l program.List) { s.addRules(r, v, l, 0) })
}

// addRules adds the effects of the rules in l. The first fit words of their Cmd are known to match v.
func (s *search) addRules(r *reading, v callName, l program.List, fit int) {
	l.Each(func(rule *shell.Rule) { s.addRule(r, rule, v, fit) })
}

// hasRules reports whether there are rules about the program name.
func hasRules(name string) bool { return program.RulesFor(name) != "" }

// addExpertEffects adds the effects that no rule can express and that an expert finds (see
// expertEffects).
func (s *search) addExpertEffects(c *shell.Call) {
	effects, ok := expertEffects(c)
	s.known = s.known || ok
	for _, e := range effects {
		if e.Label != shell.Safe {
			s.addEffect(e)
		} else if !s.isEffectSet(&s.safe) {
			s.safe = e
		}
	}
}

// addPackRules adds the effects of the rules of a user's own pack, which is not indexed by program.
func (s *search) addPackRules(r *reading, pack *shell.RuleSet, views []callName) {
	for i := range pack.Rules {
		for _, v := range views {
			s.addRule(r, &pack.Rules[i], v, 0)
		}
	}
}

// addRule adds the effect of rule if it matches or may match. The first fit words of its Cmd are known
// to match v.
func (s *search) addRule(r *reading, rule *shell.Rule, v callName, fit int) {
	t, at := r.match(rule, v, fit)
	switch {
	case t == no:
	case t == yes && rule.Label == shell.Safe:
		if s.known = true; !s.isEffectSet(&s.safe) && len(s.found) == 0 {
			s.safe = s.ruleEffect(r, rule, at)
			s.safe.Uncertain = r.Open && rule.Not != "" // an unknown word may be one that rule.Not excludes
		}
	case t == yes:
		s.known = true
		if s.isHeavier(rule) {
			s.addEffect(s.ruleEffect(r, rule, at))
		}
	case rule.Label != shell.Safe:
		if weight := 10*int(rule.Label) + rule.Impact.Weight(); weight > s.possibleWeight {
			s.possible, s.possibleWeight = s.ruleEffect(r, rule, at), weight
			s.possible.Label, s.possible.Uncertain = shell.Unknown, true
			s.possible.Reason = "cannot be read in full, and possibly " + s.possible.Reason
			if r.truncated {
				s.possible = shell.LimitEffect(s.possible.Words, "has more statements than checkrein can check")
			}
		}
	}
}

// isHeavier reports whether rule has a higher impact than the effect with its label and category that
// was found before. It reports true if there is none.
func (s *search) isHeavier(rule *shell.Rule) bool {
	for i := range s.found {
		if have := &s.found[i]; have.Label == rule.Label && have.Category == rule.Category && have.Own == rule.Own && have.Impact.Weight() >= rule.Impact.Weight() {
			return false
		}
	}
	return true
}

// addEffect inserts e in s.found, which has the worst effect first. Of two effects with the same label
// and category, the one with the higher impact stays.
func (s *search) addEffect(e shell.Effect) {
	for i := range s.found {
		have := &s.found[i]
		if have.Label != e.Label || have.Category != e.Category || have.Own != e.Own {
			continue
		}
		if e.Impact.Weight() <= have.Impact.Weight() {
			return
		}
		s.found = append(s.found[:i], s.found[i+1:]...)
		break
	}
	i := 0
	for i < len(s.found) && !isWorse(&e, &s.found[i]) {
		i++
	}
	s.found = append(s.found, e)
	copy(s.found[i+1:], s.found[i:])
	s.found[i] = e
}

// isEffectSet reports whether e was set, as opposed to the zero effect.
func (s *search) isEffectSet(e *shell.Effect) bool { return e.Kind != "" }

// isWorse reports whether a has a worse label than b, or the same label and a higher impact.
func isWorse(a, b *shell.Effect) bool {
	if a.Label != b.Label {
		return a.Label > b.Label
	}
	return a.Impact.Weight() > b.Impact.Weight()
}

// result returns the effects that count and reports whether a rule matched or may match.
func (s *search) result() ([]shell.Effect, bool) {
	if s.possibleWeight > 0 && (len(s.found) == 0 || s.found[0].Label < shell.Destructive) {
		s.addEffect(s.possible)
		s.known = true
	}
	if len(s.found) == 0 && s.isEffectSet(&s.safe) {
		return []shell.Effect{s.safe}, true
	}
	return s.found, s.known
}

// harmlessEffect returns the effect of c, which only prints help or does a dry run. The category is
// why.
func harmlessEffect(c *shell.Call, why shell.Category) shell.Effect {
	return shell.Effect{
		Label: shell.Safe, Kind: "read", Category: why, Words: callText(c),
		Reason: "only shows its help, its version or what it would do",
	}
}

// ruleEffect returns the effect of a rule that matches. The operands are the words of r from the index
// at on.
func (s *search) ruleEffect(r *reading, rule *shell.Rule, at int) shell.Effect {
	e := shell.Effect{
		Label: rule.Label, Kind: rule.Kind, Category: rule.Category, Own: rule.Own, Rule: rule.ID,
		Impact: rule.Impact, Words: callText(r.Call), Reason: rule.Reason,
	}
	if strings.Contains(rule.Reason, "{args") {
		e.Reason = rule.ReasonFor(r.operandText(rule, at))
	}
	if rule.Paths {
		e.Paths = r.operandPaths(at, s.place)
	}
	if e.Keeps = rule.Keeps; e.Keeps > shell.SaveWritten {
		e.Repo = s.workTree(r)
	}
	return e
}
