package lint

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxSamples bounds the examples of one condition.
const maxSamples = 8

// samples are short commands for which a test holds; none = it cannot be told.
func samples(t *test) []string {
	var out []string
	for _, n := range t.texts() {
		switch t.op {
		case "is", "in", "prefix", "contains":
			out = append(out, strings.TrimSpace(n.Text))
		case "glob":
			if !strings.ContainsAny(n.Text, "?[\\") {
				out = append(out, strings.TrimSpace(strings.ReplaceAll(n.Text, "*", "")))
			}
		case "regex":
			out = append(out, matching(n.Text)...)
		}
	}
	if len(out) > maxSamples {
		return nil
	}
	return out
}

// matching are texts in which an expression is found, one for each of its
// alternatives.
func matching(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	list := grow([]string{""}, re)
	compiled, err := regexp.Compile(expr)
	if err != nil || len(list) > maxSamples {
		return nil
	}
	for i, s := range list {
		if list[i] = strings.TrimSpace(s); !compiled.MatchString(list[i]) {
			return nil // it asks for more than is understood here
		}
	}
	return list
}

// grow adds to each text what an expression takes at least. Any text between two
// others is a space, as it mostly is in commands.
func grow(texts []string, re *syntax.Regexp) []string {
	add := func(s string) []string {
		out := make([]string, len(texts))
		for i, t := range texts {
			out[i] = t + s
		}
		return out
	}
	if len(texts) == 0 || len(texts) > maxSamples {
		return texts
	}
	switch re.Op {
	case syntax.OpLiteral:
		return add(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return texts
		}
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= ' ' && ' ' <= re.Rune[i+1] {
				return add(" ")
			}
		}
		return nil // any of many: what the packs make of one says little of the others
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return add(" ")
	case syntax.OpStar:
		if re.Sub[0].Op == syntax.OpAnyChar || re.Sub[0].Op == syntax.OpAnyCharNotNL {
			return add(" ")
		}
	case syntax.OpPlus, syntax.OpCapture:
		return grow(texts, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			texts = grow(texts, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, s := range re.Sub {
			texts = grow(texts, s)
		}
	case syntax.OpAlternate:
		var out []string
		for _, s := range re.Sub {
			out = append(out, grow(texts, s)...)
		}
		return out
	}
	return texts
}
