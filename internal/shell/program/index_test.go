package program

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

var update = flag.Bool("update", false, "write index.txt anew")

// TestIndex holds index.txt against the packs. After adding a rule, or changing a
// rule's Cmd or the order of rules, run:
//
//	go test ./internal/shell/program -run TestIndex -update
func TestIndex(t *testing.T) {
	want := indexText(Packs[:])
	if *update {
		if err := os.WriteFile("index.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if index != want {
		t.Fatal("index.txt is stale; run: go test ./internal/shell/program -run TestIndex -update")
	}
}

// TestIndexFinds asks the index for every program and subcommand that rules name.
func TestIndexFinds(t *testing.T) {
	for _, set := range Packs {
		for i := range set.Rules {
			rule := &set.Rules[i]
			for _, key := range keys(rule.Cmd) {
				found := false
				is := func(r *shell.Rule) { found = found || r == rule }
				line := RulesAbout(key[0])
				line.Plain().Each(is)
				if key[1] != "" {
					line.Of(key[1]).Each(is)
				}
				if !found {
					t.Errorf("%s/%s is not found for %q", set.Tag, rule.ID, key)
				}
			}
		}
	}
	for _, name := range []string{"", " ", "\n", "a", "gi", "gits", "git ", "git look:look-git", "zzz", "\x7f", "\x00", "!", "é", strings.Repeat("git", 9)} {
		if line := RulesAbout(name); line != "" {
			t.Errorf("%q has rules: %s", name, line)
		}
	}
	for _, sub := range []string{"", " ", "pus", "push ", "ush", "push git:push-force", "|", "|push"} {
		if list := RulesAbout("git").Of(sub); list != "" {
			t.Errorf("git %q has rules: %s", sub, list)
		}
	}
}

// TestOneRuleChangesOneLine adds rules about one program, in front of all others.
func TestOneRuleChangesOneLine(t *testing.T) {
	for n, cmd := range []string{"git push", "git", "docker volume|network rm", "ls", "psql", "a-program-that-is-new"} {
		for _, i := range []int{n, len(Packs) - 1} {
			sets := slices.Clone(Packs[:])
			more := *sets[i].RuleSet
			more.Rules = slices.Insert(slices.Clone(more.Rules), 0, shell.Rule{ID: "a-rule-that-is-new", Cmd: cmd})
			sets[i].RuleSet = &more
			before, after := strings.Split(index, "\n"), strings.Split(indexText(sets), "\n")
			if n := changed(before, after); n != 1 {
				t.Errorf("a rule for %q in %s changes %d lines of the index", cmd, sets[i].Tag, n)
			}
		}
	}
}

// changed is how many lines of a text are new or others.
func changed(before, after []string) int {
	n := 0
	for len(before) > 0 && len(after) > 0 {
		switch {
		case before[0] == after[0]:
			before = before[1:]
		case len(after) > len(before): // one was put in
			n++
		default:
			n++
			before = before[1:]
		}
		after = after[1:]
	}
	return n + len(before) + len(after)
}

// fewRules is how many rules of a program are asked one by one. Only programs
// with more are worth lists for their subcommands.
const fewRules = 10

// indexText writes the index of sets.
func indexText(sets []Set) string {
	count := map[string]int{} // rules about a program
	for _, set := range sets {
		for i := range set.Rules {
			name, _, _ := strings.Cut(set.Rules[i].Cmd, " ")
			for _, program := range strings.Split(name, "|") {
				count[program]++
			}
		}
	}
	lists := map[string]map[string][]string{} // "set:id" of a program and its subcommand
	for _, set := range sets {
		for i := range set.Rules {
			ref := set.Tag + ":" + set.Rules[i].ID
			for _, key := range keys(set.Rules[i].Cmd) {
				name, sub := key[0], key[1]
				if count[name] <= fewRules {
					sub = ""
				}
				if lists[name] == nil {
					lists[name] = map[string][]string{}
				}
				if have := lists[name][sub]; !slices.Contains(have, ref) {
					lists[name][sub] = append(have, ref)
				}
			}
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintln(&out, name, lineText(lists[name]))
	}
	return out.String()
}

// lineText writes the lists of a program. Subcommands with the same rules share one.
func lineText(lists map[string][]string) string {
	var order []string
	subs := map[string]string{} // of a list
	for _, sub := range slices.Sorted(maps.Keys(lists)) {
		if sub == "" {
			continue
		}
		text := listText(lists[sub])
		if subs[text] == "" {
			order = append(order, text)
		}
		subs[text] += "|" + sub
	}
	line := listText(lists[""])
	for _, text := range order {
		line += subs[text] + " " + text
	}
	return line
}

// listText writes "set:id" rules, the set only where it changes.
func listText(refs []string) string {
	var out strings.Builder
	last := ""
	for i, ref := range refs {
		tag, id, _ := strings.Cut(ref, ":")
		switch {
		case tag == last:
			out.WriteString("," + id)
		case i > 0:
			out.WriteString(" " + ref)
		default:
			out.WriteString(ref)
		}
		last = tag
	}
	return out.String()
}

// keys are the programs and first subcommands that a Cmd names.
func keys(cmd string) (out [][2]string) {
	words := strings.Fields(cmd)
	subs := []string{""}
	if len(words) > 1 && !strings.ContainsAny(words[1], "*?") {
		subs = strings.Split(words[1], "|")
	}
	for _, program := range strings.Split(words[0], "|") {
		for _, sub := range subs {
			out = append(out, [2]string{program, sub})
		}
	}
	return out
}
