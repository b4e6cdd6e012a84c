package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxUngroupedRules is the largest number of rules of a program that are not grouped by subcommand.
const maxUngroupedRules = 10

// indexText returns the text of the index of the rules in sets.
func indexText(sets []set) string {
	count := map[string]int{} // the number of rules of each program
	for _, set := range sets {
		for i := range set.rules {
			name, _, _ := strings.Cut(set.rules[i].Cmd, " ")
			for _, program := range strings.Split(name, "|") {
				count[program]++
			}
		}
	}
	lists := map[string]map[string][]string{} // rules as "set:id", by program and subcommand
	for _, set := range sets {
		for i := range set.rules {
			ref := set.tag + ":" + set.rules[i].ID
			for _, key := range commandKeys(set.rules[i].Cmd) {
				name, sub := key[0], key[1]
				if count[name] <= maxUngroupedRules {
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

// lineText returns the index line of a program without its name. The lists are by subcommand;
// subcommands with the same rules share one list.
func lineText(lists map[string][]string) string {
	var order []string
	subs := map[string]string{} // the subcommands that share a list
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

// listText returns refs, which have the form "set:id", as one list with each set named only once in a
// row.
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

// commandKeys returns the pairs of a program and its first subcommand that cmd, the Cmd of a rule,
// names. The subcommand is "" if there is none or if it is a pattern.
func commandKeys(cmd string) (out [][2]string) {
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
