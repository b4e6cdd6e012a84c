// Package rules finds what programs do, by the rules of packs.
//
// A pack is a file of rules about one kind of program, which lies as data in package
// program with the samples that hold its rules to their word. A rule names a program
// and its subcommands, and the flags and words that must and must not be there:
//
//	Cmd  "git push"        the program, then its first words that are no flags. A
//	                       word may be alternatives, "rm|remove", and a pattern,
//	                       "delete-*"; "*" is any one word, and one must be there
//	Any  "-f --force +*"   one of these terms is given
//	All  "-r|-R -f"        each of these is given
//	Not  "-n --dry-run"    none of these is given
//	Arg  "s3://*"          a word after those of Cmd fits
//	Bare                   no word follows those of Cmd
//	SQL  "DROP|DELETE FROM !WHERE"  a statement begins so; "*" in it stands for any
//	                       text, "!X" says that the word X is not in the statement
//
// A term is -f (also inside the bundle -rf), --flag (also cut short where the
// program allows it), -flag with one dash (that very word), --flag=pattern (a
// flag whose value fits, however it is given; "pattern!except" leaves out what
// fits the second one), --flag* (any flag that begins so), -- (with words after
// it), <glob> (a word that the shell expands), <many> (that, or one
// that a command prints), <here> (an address of this machine, also behind a text: a=<here>),
// or a pattern that some word that is no flag fits, subcommands included. What is given last wins: --force
// --no-force and --force=false are not forced.
//
// How words are read is in the rows of programs (package program): which flags take
// a value, whether -h is help and -n only shows what would be done, and which
// programs are the same by another name. Rules need not say that --help,
// --version or --dry-run do nothing, nor repeat podman next to docker.
package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Effects returns what a call does by the built-in packs and those of the place.
//
// All rules that hold are reported, the worst first; of those that say the same,
// the heaviest. A safe rule counts only when nothing else holds. When a word that
// is not known decides whether a destructive rule holds, the effect is unknown.
// The call is known when a rule held.
func Effects(c *shell.Call, p *shell.Place) (effects []shell.Effect, known bool) {
	if c.Name == "" {
		return nil, false
	}
	r := readingOf(headed(inner(c)))
	if why := r.harmless(); why != shell.NoCategory {
		return []shell.Effect{harmlessEffect(r.Call, why)}, true
	}
	s := search{place: p}
	var buf [4]view
	views := r.views(&buf)
	for _, v := range views {
		s.program(&r, v)
	}
	s.special(r.Call)
	if p != nil {
		for _, pack := range p.Packs {
			s.pack(&r, pack, views)
		}
	}
	if program.Is(r.Name, program.IsGit) {
		s.forcedBySettings(&r)
		s.gitLoss(&r)
	}
	effects, known = s.result()
	if !known && len(effects) == 0 {
		effects, known = r.byRow()
	}
	s.about(&r, effects)
	if r.Over {
		effects = append(effects, shell.Exceeds("", "has more options than checkrein can check"))
	}
	if elsewhere(c) {
		for i := range effects {
			if e := &effects[i]; e.Label == shell.Destructive && e.Radius == shell.RadiusLow {
				e.Radius, e.Reason = shell.RadiusMedium, e.Reason+", on another machine"
			}
		}
	}
	if r.handsOn() {
		for i := range effects {
			if effects[i].Category == shell.SecretRead {
				effects[i].Category, effects[i].Radius = shell.SecretUse, shell.RadiusMedium
			}
		}
	}
	if known && isOwnScript(c) && len(effects) == 1 && effects[0].Label == shell.Safe && effects[0].Category != shell.RunScript {
		// The program of that name is another one.
		if !allKnown(c.Args) {
			return nil, false
		}
		return scriptEffect(c, c.Path)
	}
	return effects, known
}

// A search keeps what was found of a call.
type search struct {
	place *shell.Place
	found []shell.Effect
	safe  shell.Effect // the first safe rule that held
	may   shell.Effect // the heaviest rule that may hold
	known bool

	mayWeight int // of the rule that may hold; 0 = there is none
}

// program asks the rules about a program and the call's subcommand.
func (s *search) program(r *reading, v view) {
	line := r.about(v.name)
	if line == "" {
		return
	}
	s.list(r, v, line.Plain(), 1)
	if v.start >= len(r.Words) {
		return
	}
	if w := r.Words[v.start].Text; !strings.Contains(w, hole) {
		s.list(r, v, line.Of(w), 2)
		return
	}
	// The subcommand is not known: every rule of the program may be meant.
	line.Subs(func(l program.List) { s.list(r, v, l, 0) })
}

// list asks rules of whose Cmd so many of the first words are known to fit.
func (s *search) list(r *reading, v view, l program.List, fit int) {
	l.Each(func(rule *shell.Rule) { s.rule(r, rule, v, fit) })
}

// knows reports whether some rule is about a program.
func knows(name string) bool { return program.RulesAbout(name) != "" }

// special asks those who know what no rule can say.
func (s *search) special(c *shell.Call) {
	effects, ok := special(c)
	s.known = s.known || ok
	for _, e := range effects {
		if e.Label != shell.Safe {
			s.keep(e)
		} else if !s.has(&s.safe) {
			s.safe = e
		}
	}
}

// pack asks the rules of a pack that is in no index.
func (s *search) pack(r *reading, pack *shell.RuleSet, views []view) {
	for i := range pack.Rules {
		for _, v := range views {
			s.rule(r, &pack.Rules[i], v, 0)
		}
	}
}

func (s *search) rule(r *reading, rule *shell.Rule, v view, fit int) {
	t, at := r.judge(rule, v, fit)
	switch {
	case t == no:
	case t == yes && rule.Label == shell.Safe:
		if s.known = true; !s.has(&s.safe) && len(s.found) == 0 {
			s.safe = s.effect(r, rule, at)
			s.safe.Maybe = r.Open && rule.Not != "" // a word that is not known may be what the rule rules out
		}
	case t == yes:
		s.known = true
		if s.wants(rule) {
			s.keep(s.effect(r, rule, at))
		}
	case rule.Label != shell.Safe:
		if weight := 10*int(rule.Label) + rule.Radius.Weight(); weight > s.mayWeight {
			s.may, s.mayWeight = s.effect(r, rule, at), weight
			s.may.Label, s.may.Maybe = shell.Unknown, true
			s.may.Reason = "cannot be read in full, and possibly " + s.may.Reason
			if r.cut {
				s.may = shell.Exceeds(s.may.Words, "has more statements than checkrein can check")
			}
		}
	}
}

// wants reports whether a rule says more than what is kept: of effects with one
// label and category only the heaviest stays.
func (s *search) wants(rule *shell.Rule) bool {
	for i := range s.found {
		if have := &s.found[i]; have.Label == rule.Label && have.Category == rule.Category && have.Own == rule.Own && have.Radius.Weight() >= rule.Radius.Weight() {
			return false
		}
	}
	return true
}

// keep adds an effect in its place: the worst first.
func (s *search) keep(e shell.Effect) {
	for i := range s.found {
		have := &s.found[i]
		if have.Label != e.Label || have.Category != e.Category || have.Own != e.Own {
			continue
		}
		if e.Radius.Weight() <= have.Radius.Weight() {
			return
		}
		s.found = append(s.found[:i], s.found[i+1:]...)
		break
	}
	i := 0
	for i < len(s.found) && !worse(&e, &s.found[i]) {
		i++
	}
	s.found = append(s.found, e)
	copy(s.found[i+1:], s.found[i:])
	s.found[i] = e
}

// has reports whether an effect was filled in.
func (s *search) has(e *shell.Effect) bool { return e.Kind != "" }

func worse(a, b *shell.Effect) bool {
	if a.Label != b.Label {
		return a.Label > b.Label
	}
	return a.Radius.Weight() > b.Radius.Weight()
}

func (s *search) result() ([]shell.Effect, bool) {
	if s.mayWeight > 0 && (len(s.found) == 0 || s.found[0].Label < shell.Destructive) {
		s.keep(s.may)
		s.known = true
	}
	if len(s.found) == 0 && s.has(&s.safe) {
		return []shell.Effect{s.safe}, true
	}
	return s.found, s.known
}

// harmlessEffect is that of a call that only shows help or what it would do.
func harmlessEffect(c *shell.Call, why shell.Category) shell.Effect {
	return shell.Effect{
		Label: shell.Safe, Kind: "read", Category: why, Words: wordsOf(c),
		Reason: "only shows its help, its version or what it would do",
	}
}

func (s *search) effect(r *reading, rule *shell.Rule, at int) shell.Effect {
	e := shell.Effect{
		Label: rule.Label, Kind: rule.Kind, Category: rule.Category, Own: rule.Own, Rule: rule.ID,
		Radius: rule.Radius, Words: wordsOf(r.Call), Reason: rule.Reason,
	}
	if strings.Contains(rule.Reason, "{args") {
		e.Reason = rule.Says(r.operands(rule, at))
	}
	if rule.Paths {
		e.Paths = r.paths(at, s.place)
	}
	return e
}
