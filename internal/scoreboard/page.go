package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/checkrein/checkrein/internal/caps"
	"github.com/checkrein/checkrein/internal/proven"
)

// A section is a command and how its figures are read from what it prints.
type section struct {
	name, title, about string
	command            string
	read               func(text string) string // Markdown; "" = the figures are not there
}

var sections = []section{
	{
		"evasions", "Evasions", "Commands that do damage and try not to look like it, by three authors who had not read the rules. Nothing is configured.",
		"CHECKREIN_EVASIONS=1 go test -count=1 -v -run 'TestEvasions$' ./cmd/checkrein", readEvasions,
	},
	{
		"verdicts", "Verdicts", "Commands and calls that must be stopped (harmful) or must pass (everyday, calls, unused). Wrong is what got the other answer.",
		"go test -count=1 -v -run 'TestVerdicts' ./cmd/checkrein", readVerdicts,
	},
	{
		"secrets", "Secrets", "Texts with and without secrets, by families. What is missed in tuned families may be repaired; what is missed in the others is counted and not looked at.",
		"go run ./internal/secret/corpus/score", readSecrets,
	},
	{
		"latency", "Cold latency", "One process for one event, started in turns with the smallest Go program that prints a line. Processor time is what to go by: on a busy machine a program that takes long waits more often than a short one, so its ratio of elapsed time is too high. The guards in bash, Python and Node have one rule and record nothing; checkrein has its default packs and its record, cc-safety-net its own rules.",
		"go run ./internal/bench -programs bin -rows passing,denied,scripts,peers -runs 20 -cpu", readLatency,
	},
}

func render(all []proven.Build, ran []output) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make scoreboard. Do not edit. -->\n\n# Scoreboard\n\n")
	b.WriteString("What was proven and measured, each with the command that shows it. `make scoreboard` writes this page.\n\n## Hosts\n\n")
	b.WriteString("What builds of agents were seen to do with verdicts, when they ran headless. [Proofs](prove.md) says what the rows and the results mean.\n\n")
	hosts(&b, all)
	for _, o := range ran {
		figures := o.read(o.text)
		if figures == "" {
			figures = "The command printed no figures.\n"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n<!-- not run: it takes minutes -->\n```sh\n%s\n```\n\n%s", o.title, o.about, o.command, figures)
		fmt.Fprintf(&b, "\nRun on %s.", o.at.Format("2 January 2006"))
		if o.load != "" {
			fmt.Fprintf(&b, " Load of the machine before and after: %s; above the number of its cores it was busy with other work.", o.load)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// hosts is a table with a column for each build.
func hosts(b *strings.Builder, all []proven.Build) {
	b.WriteString("<!-- not run: it starts agents, which are not there in tests -->\n```sh\ncheckrein prove HOST --json\n```\n\n")
	head, under, when := "| row |", "|---|", "| proven on |"
	for i := range all {
		head += fmt.Sprintf(" %s %s |", all[i].Title, all[i].Version)
		under += "---|"
		when += " " + all[i].Proven.Format("2006-01-02") + " |"
	}
	fmt.Fprintf(b, "%s\n%s\n%s\n", head, under, when)
	for _, f := range caps.Facts() {
		fmt.Fprintf(b, "| `%s` |", f.Row)
		for i := range all {
			fmt.Fprintf(b, " %s |", all[i].Rows[f.Row])
		}
		b.WriteString("\n")
	}
}

var (
	subtest = regexp.MustCompile(`=== RUN +TestEvasions/(\w+)`)
	stopped = regexp.MustCompile(`\ball +(\d+) +(\d+) +(\d+) of (\d+), stopped ([\d.]+) %`)
	session = regexp.MustCompile(`in one session: .*stopped ([\d.]+) %`)
	verdict = regexp.MustCompile(`_test\.go:\d+: ([a-z, ]+): (\d+), none (\d+), ask (\d+), deny (\d+), wrong (\d+) \(([\d.]+) %\)`)
	family  = regexp.MustCompile(`(?m)^((?:tuned|held out), (?:recall|false positives)) +(\d+) +(\d+) +([\d.]+) %`)
)

func readEvasions(text string) string {
	var b strings.Builder
	set, share := "", ""
	for line := range strings.Lines(text) {
		if m := subtest.FindStringSubmatch(line); m != nil {
			set = m[1]
		}
		if m := stopped.FindStringSubmatch(line); m != nil {
			share = fmt.Sprintf("| %s | %s | %s | %s | %s | %s %% |", set, m[4], m[1], m[2], m[3], m[5])
		}
		if m := session.FindStringSubmatch(line); m != nil && share != "" {
			fmt.Fprintf(&b, "%s %s %% |\n", share, m[1])
			share = ""
		}
	}
	return table("| author | commands | denied | asked about | passed | stopped | stopped, when the preparation is a call of the same session |", b.String())
}

func readVerdicts(text string) string {
	var b strings.Builder
	for _, m := range verdict.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s (%s %%) |\n", m[1], m[2], m[3], m[4], m[5], m[6], m[7])
	}
	return table("| set | cases | passed | asked about | denied | wrong |", b.String())
}

func readSecrets(text string) string {
	var b strings.Builder
	for _, m := range family.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s %% |\n", m[1], m[2], m[3], m[4])
	}
	return table("| half | texts | count | share |", b.String())
}

// readLatency takes the first two columns of the bench's table: goals are told elsewhere.
func readLatency(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 4 || cells[0] == "| what" {
			continue
		}
		fmt.Fprintf(&b, "%s | %s |\n", cells[0], cells[1])
	}
	machine, _, _ := strings.Cut(text, "\n")
	if b.Len() == 0 {
		return ""
	}
	return "Measured with " + machine + ".\n\n" + table("| what | measured |", b.String())
}

// table puts a head on rows; without rows there is none.
func table(head, rows string) string {
	if rows == "" {
		return ""
	}
	return head + "\n|" + strings.Repeat("---|", strings.Count(head, "|")-1) + "\n" + rows
}
