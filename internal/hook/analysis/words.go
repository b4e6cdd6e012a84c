package analysis

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
)

// operatorWords has the words for an operator, and for its opposite.
var operatorWords = map[string][2]string{
	"is": {"is", "is not"}, "in": {"is one of", "is none of"}, "prefix": {"begins with", "does not begin with"},
	"suffix": {"ends with", "does not end with"}, "contains": {"contains", "does not contain"},
	"glob": {"matches", "does not match"}, "regex": {"matches", "does not match"},
	"under": {"is inside", "is not inside"}, "outside": {"is outside", "is not outside"},
	"gt": {"is greater than", "is not greater than"}, "ge": {"is at least", "is less than"},
	"lt": {"is less than", "is at least"}, "le": {"is at most", "is greater than"},
}

// describe returns the events of a kind to which e applies, in words.
func describe(kind checkrein.Kind, e *expr) string {
	what := kind.String() + " events"
	if checkrein.ContractOf(kind).Subject == checkrein.SubjectTool {
		what = kind.String() + " calls"
	}
	if text := words(e, true); text != "" {
		return what + " where " + text
	}
	return "all " + what
}

// maxDescribed limits the exceptions that are described by their conditions.
const maxDescribed = 2

// describeOutside returns the events of a kind to which r applies and none of others, in words. If
// there are many of those, their labels are returned instead.
func describeOutside(kind checkrein.Kind, r *rule, others []*rule) (where string, labels []string) {
	if len(others) > maxDescribed {
		for _, o := range others {
			if label := o.hook.Label(); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		return describe(kind, r.cond), labels
	}
	all := &expr{op: isAll, kids: []*expr{r.cond}}
	for _, o := range others {
		all.kids = append(all.kids, &expr{op: isNot, kids: []*expr{o.cond}})
	}
	return describe(kind, all), nil
}

// words returns e, or its opposite, in words: "command begins with 'git' and tool is not 'read'". It
// is "" if e always holds.
func words(e *expr, holds bool) string {
	switch {
	case e.op == isAtom:
		return e.atom.words(holds)
	case e.op == isNot:
		return words(e.kids[0], !holds)
	case len(e.kids) == 1:
		return words(e.kids[0], holds)
	}
	joint := " and "
	if (e.op == isAll) != holds {
		joint = " or "
	}
	var out []string
	for _, k := range e.kids {
		text := words(k, holds)
		if text == "" {
			continue
		}
		if strings.Contains(text, " or ") && joint == " and " || strings.Contains(text, " and ") && joint == " or " {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, joint)
}

// words returns the test in words.
func (a *atom) words(holds bool) string {
	name := a.field.name
	switch name {
	case matcherField:
		name = "the tool's name"
	case argumentsField:
		name = "an argument"
	case payloadField:
		name = "the payload"
	}
	if a.exists {
		if holds {
			return name + " is present"
		}
		return name + " is absent"
	}
	verb := operatorWords[a.op][0]
	if !holds {
		verb = operatorWords[a.op][1]
	}
	if a.view == asNumber {
		return name + " " + verb + " " + a.want[0]
	}
	if (name == "the tool's name" || a.op == "is") && len(a.want) > 1 {
		verb = map[bool]string{true: "is one of", false: "is none of"}[holds]
	}
	quoted := make([]string, len(a.want))
	for i, w := range a.want {
		quoted[i] = "'" + w + "'"
		if a.op == "regex" {
			quoted[i] = "/" + w + "/"
		}
	}
	return name + " " + verb + " " + strings.Join(quoted, ", ")
}
