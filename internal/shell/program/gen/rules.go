package main

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A set is the rules of one file.
type set struct {
	tag   string
	pack  shell.Pack
	rules []rule
}

// A rule is a rule with its samples.
type rule struct {
	shell.Rule
	shell.Samples
}

// readSets returns the sets of rules in the order in which they are matched, and the pseudo-rules for
// effects that code finds.
func readSets(dir string) (sets []set, coded set, err error) {
	order, err := readLines(dir, "packs/order.txt")
	if err != nil {
		return nil, set{}, err
	}
	for i := range order {
		one, err := readSet(dir, &order[i])
		if err != nil {
			return nil, set{}, err
		}
		sets = append(sets, one)
	}
	coded.tag = "coded"
	coded.rules, err = readRules(dir, "packs/coded.txt", true)
	return sets, coded, err
}

// readSet returns the rules of the file that l, a line of packs/order.txt, names.
func readSet(dir string, l *line) (set, error) {
	tag, name, _ := strings.Cut(l.text, " ")
	out := set{tag: tag}
	for p := shell.PackFilesystem; p <= shell.PackReads; p++ {
		if p.String() == strings.TrimSpace(name) {
			out.pack = p
		}
	}
	if out.pack == shell.NoPack {
		return set{}, l.errorf("unknown pack %q", strings.TrimSpace(name))
	}
	var err error
	out.rules, err = readRules(dir, "packs/"+tag+".txt", false)
	return out, err
}

// readRules returns the rules in file. If coded is set, they are pseudo-rules, which have no command.
func readRules(dir, file string, coded bool) ([]rule, error) {
	lines, err := readLines(dir, file)
	if err != nil {
		return nil, err
	}
	var out []rule
	seen := map[string]bool{}
	for i := range lines {
		l := &lines[i]
		if list, ok := strings.CutPrefix(l.text, "+ "); ok && len(out) > 0 {
			last := &out[len(out)-1]
			last.Match = append(last.Match, strings.Split(list, " ;; ")...)
			continue
		}
		if list, ok := strings.CutPrefix(l.text, "- "); ok && len(out) > 0 {
			last := &out[len(out)-1]
			last.NoMatch = append(last.NoMatch, strings.Split(list, " ;; ")...)
			continue
		}
		one, err := parseRule(l, coded)
		if err != nil {
			return nil, err
		}
		if seen[one.ID] && !coded {
			return nil, l.errorf("duplicate rule %q", one.ID)
		}
		seen[one.ID] = true
		out = append(out, rule{Rule: one})
	}
	return out, nil
}

// parseRule parses the line of a rule, or of a pseudo-rule if coded is set.
func parseRule(l *line, coded bool) (shell.Rule, error) {
	columns := l.columns()
	rule := shell.Rule{ID: columns[0]}
	conditions := columns[1:max(1, len(columns)-2)]
	if !coded && len(conditions) > 0 {
		var err error
		if rule.Cmd, err = l.expand(conditions[0]); err != nil {
			return rule, err
		}
		conditions = conditions[1:]
	}
	if len(columns) < 3 || coded && len(conditions) > 0 || !coded && rule.Cmd == "" {
		return rule, l.errorf("wrong number of columns")
	}
	rule.Reason = columns[len(columns)-1]
	for _, one := range conditions {
		if err := parseCondition(l, &rule, one); err != nil {
			return rule, err
		}
	}
	return rule, parseOutcome(l, &rule, columns[len(columns)-2])
}

// parseCondition parses text, a column with a condition, and sets it in rule.
func parseCondition(l *line, rule *shell.Rule, text string) error {
	key, list, _ := strings.Cut(text, ": ")
	field, ok := map[string]*string{"any": &rule.Any, "all": &rule.All, "not": &rule.Not, "arg": &rule.Arg, "sql": &rule.SQL}[key]
	switch {
	case ok && *field == "":
		var err error
		*field, err = l.expand(list)
		return err
	case text == "bare":
		rule.Bare = true
	case text == "paths":
		rule.Paths = true
	case key == "saves":
		var ok bool
		if rule.Keeps, ok = map[string]shell.Saving{"paths": shell.SaveRemoved, "work": shell.SaveWork, "commits": shell.SaveCommits, "all": shell.SaveAll}[list]; !ok {
			return l.errorf("%q cannot be saved", list)
		}
	default:
		return l.errorf("%q is an unknown or repeated condition", text)
	}
	return nil
}

// parseOutcome parses text, the column "label kind category radius", and sets its values in rule.
func parseOutcome(l *line, rule *shell.Rule, text string) error {
	words := strings.Fields(text)
	if len(words) == 3 && words[0] == shell.Safe.String() {
		words = append(words, shell.ImpactLow.String())
	}
	if len(words) != 4 {
		return l.errorf("%q must be: label kind category radius", text)
	}
	var label, category, radius bool
	for v := shell.Safe; v <= shell.Exfiltration; v++ {
		if v.String() == words[0] {
			rule.Label, label = v, true
		}
	}
	for v := shell.ImpactLow; v <= shell.ImpactUnknown; v++ {
		if v.String() == words[3] {
			rule.Impact, radius = v, true
		}
	}
	rule.Kind = words[1]
	rule.Category, category = shell.CategoryNamed(words[2])
	if !label || !category || !radius {
		return l.errorf("%q: unknown label, category or radius", text)
	}
	return nil
}
