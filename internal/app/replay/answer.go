package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// An Answer is what was or would be decided about a call.
type Answer struct {
	Word    string    `json:"answer"` // denied, asked, contained, saved, pass or allowed
	By      []Decider `json:"by,omitempty"`
	Effects []string  `json:"effects,omitempty"` // what the verdict does beside that, as far as it matters
}

// A Decider is a hook that decided, with the rule by which it did.
type Decider struct {
	Hook   string `json:"hook"`
	Rule   string `json:"rule,omitempty"`
	Reason string `json:"reason,omitempty"` // of a rule hook
}

// newDecider returns the decider for a hook of the given type. Only the reasons of rule hooks are the
// same each time.
func newDecider(hook, kind, rule string, rules []string, reason string) Decider {
	d := Decider{Hook: hook}
	if kind == "builtin" || kind == "rule" {
		d.Rule = cmp.Or(strings.Join(rules, " "), rule)
	}
	if kind == "rule" {
		d.Reason = reason
	}
	return d
}

// Name returns the name by which changes are grouped: the rule or, without one, the hook.
func (d *Decider) Name() string {
	first, _, _ := strings.Cut(d.Rule, " ")
	return cmp.Or(first, d.Hook)
}

// answerOf returns the answer in out.
func answerOf(out *engine.Outcome) Answer {
	v := &out.Verdict
	a := Answer{Word: engine.AnswerWord(v), Effects: weighty(v.Effects().Words())}
	if a.Word == "pass" && v.Decision == checkrein.Allow {
		a.Word = "allowed"
	}
	decision := v.Decision
	if out.Unasked != "" { // it became a denial, because the agent cannot ask
		decision, a.Word = checkrein.Ask, "asked"
	}
	for i := range out.Steps {
		s := &out.Steps[i]
		if s.Verdict == nil || decision == checkrein.NoOpinion || s.Verdict.Decision != decision {
			continue
		}
		m := s.Verdict.Metadata
		a.By = append(a.By, newDecider(s.Hook.Label(), s.Hook.Run, m["rule"], strings.Fields(m["rules"]), s.Verdict.Reason))
	}
	return a
}

// matters lists the effects that count as changes, apart from decisions.
var matters = []string{"rewrite_input", "rewrite_output", "rewrite_messages", "redo", "halt", "summary"}

// weighty returns those of words that matter, in the order of matters.
func weighty(words []string) []string {
	var out []string
	for _, w := range matters {
		if slices.Contains(words, w) {
			out = append(out, w)
		}
	}
	return out
}

// strictness orders the words for answers, the least strict first.
var strictness = []string{"allowed", "pass", "saved", "contained", "asked", "denied"}

// A Direction is how an answer changed.
type Direction struct {
	Name  string // as options have it
	Title string
}

// The directions, in the order of reports.
var (
	NewlyAllowed   = &Direction{"newly-allowed", "Newly allowed, or less strict"}
	NewlyDenied    = &Direction{"newly-denied", "Newly denied"}
	NewlyAsked     = &Direction{"newly-asked", "Newly asked"}
	NewlySaved     = &Direction{"saved", "Newly saved first"}
	NewlyContained = &Direction{"contained", "Newly contained"}
	Changed        = &Direction{"changed", "Same answer for another reason"}

	Directions = []*Direction{NewlyAllowed, NewlyDenied, NewlyAsked, NewlySaved, NewlyContained, Changed}
)

// stricter has the direction of an answer that became stricter, by its word.
var stricter = map[string]*Direction{"denied": NewlyDenied, "asked": NewlyAsked, "contained": NewlyContained, "saved": NewlySaved, "pass": Changed}

// Compare returns how the answer to a call changed from was to is, or nil if it did not. An answer that is
// less strict than before is newly allowed, whatever it was and is.
func Compare(was, is *Answer) *Direction {
	if before, now := slices.Index(strictness, was.Word), slices.Index(strictness, is.Word); now < before {
		return NewlyAllowed
	} else if now > before {
		return stricter[is.Word]
	}
	if !slices.Equal(was.Effects, is.Effects) || !slices.Equal(was.By, is.By) {
		return Changed
	}
	return nil
}

// ruleOf returns the rule under which a change is listed: the one that decided before if it became less
// strict, and otherwise the one that decides now.
func ruleOf(d *Direction, was, is *Answer) string {
	first, second := is, was
	if d == NewlyAllowed {
		first, second = was, is
	}
	for _, a := range [...]*Answer{first, second} {
		if len(a.By) > 0 {
			return a.By[0].Name()
		}
	}
	if words := slices.Concat(first.Effects, second.Effects); len(words) > 0 && first.Word == second.Word {
		return words[0]
	}
	return first.Word
}
