package main

import (
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/lab/corpora"
)

// A count is the number of commands in a set, and how many of them are stopped with and without the
// part.
type count struct{ all, before, after int }

// A change is a command whose answer is different without the part.
type change struct{ set, command, before, after string }

// A comparison is what changes when a part is switched off.
type comparison struct {
	counts  map[string]*count
	changes []change
}

// compare compares verdicts about the same commands in the same order.
func compare(before, after []corpora.Verdict) *comparison {
	c := &comparison{counts: map[string]*count{}}
	for i := range before {
		b, a := &before[i], &after[i]
		n := c.counts[b.Set]
		if n == nil {
			n = new(count)
			c.counts[b.Set] = n
		}
		n.all++
		if stops(b.Answer) {
			n.before++
		}
		if stops(a.Answer) {
			n.after++
		}
		if b.Answer != a.Answer {
			c.changes = append(c.changes, change{b.Set, b.Command, b.Answer, a.Answer})
		}
	}
	return c
}

// kinds lists the kinds of changes and how to recognize them.
var kinds = []struct {
	title string
	is    func(c *change) bool
}{
	{"passes now", func(c *change) bool { return c.after == "pass" }},
	{"saved or contained now", func(c *change) bool { return c.after == "saved" || c.after == "contained" }},
	{"stopped now", func(c *change) bool { return !stops(c.before) && stops(c.after) }},
	{"denied, asked now", func(c *change) bool { return c.before == "denied" && c.after == "asked" }},
	{"asked, denied now", func(c *change) bool { return c.before == "asked" && c.after == "denied" }},
}

// stops reports whether a command with this answer does not run without a question.
func stops(answer string) bool { return answer == "asked" || answer == "denied" }

// print prints the rates of all sets and up to shown commands of each kind of change, or all if shown
// is 0.
func (c *comparison) print(out io.Writer, lines, shown int) {
	fmt.Fprintf(out, "%d lines off\n\n%-10s %8s %10s %10s %8s\n", lines, "set", "commands", "as it is", "without", "points")
	for _, set := range corpora.Sets() {
		n := c.counts[set.Name]
		if n == nil {
			continue
		}
		before, after := percent(n.before, n.all), percent(n.after, n.all)
		fmt.Fprintf(out, "%-10s %8d %8.2f %% %8.2f %% %+8.2f  %s\n", set.Name, n.all, before, after, after-before, set.About)
	}
	for _, kind := range kinds {
		for _, set := range corpora.Sets() {
			var those []change
			for i := range c.changes {
				if ch := &c.changes[i]; ch.set == set.Name && kind.is(ch) {
					those = append(those, *ch)
				}
			}
			if len(those) == 0 {
				continue
			}
			fmt.Fprintf(out, "\n%s: %s, %d\n", set.Name, kind.title, len(those))
			for i, ch := range those {
				if shown > 0 && i == shown {
					fmt.Fprintf(out, "  … and %d more (-show 0 prints all)\n", len(those)-shown)
					break
				}
				fmt.Fprintf(out, "  %s → %s  %s\n", ch.before, ch.after, ch.command)
			}
		}
	}
	if len(c.changes) == 0 {
		fmt.Fprintln(out, "\nNo verdict changes.")
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
