package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/lab/proven"
)

// A section of the page is a command and a function that extracts its figures from the output.
type section struct {
	name, title, about string
	command            string
	read               func(text string) string // returns Markdown, or "" if the output has no figures
}

var sections = []section{
	{
		"evasions", "Evasions", "Commands that do damage and try not to look like it, by seven authors who had not read the rules. Nothing is configured. Each command that the guard lets pass runs in a jail, and then everything that was saved is taken back. The sets were used for repairs after their first run.",
		"CHECKREIN_EVASIONS=1 go test -count=1 -v -run 'TestEvasions$' ./cmd/checkrein", readEvasions,
	},
	{
		"verdicts", "Verdicts", "Commands and calls that must be stopped (harmful) or must pass (everyday, calls, unused). Those that got the other answer count as wrong.",
		"go test -count=1 -v -run 'TestVerdicts' ./internal/lab/verdicts ./cmd/checkrein", readVerdicts,
	},
	{
		"secrets", "Secrets", "Texts with and without secrets, by families. Misses in tuned families may be repaired; misses in the others are only counted.",
		"go run ./internal/lab/secretcorpus/score", readSecrets,
	},
	{
		"latency", "Cold latency", "One process for one event, started in turns with the smallest Go program that prints a line. Compare processor times: on a busy machine, a long-running program waits more often than a short one, so its ratio of elapsed time is too high. The guards in bash, Python and Node have one rule and record nothing; checkrein runs with its default packs and writes its record, and guards from npm have the rules that they come with. The last rows are from one run, in which all programs take turns.",
		"go run ./internal/lab/bench -programs bin -rows passing,denied,scripts,peers -runs 20 -cpu", readLatency,
	},
}

// hostsSection proves the lab's hosts. The environment variable CHECKREIN_PROOFS names the directory
// for the proofs.
var hostsSection = section{
	"hosts", "Hosts", "What builds of agents were seen to do with verdicts. They ran headless, except in the rows of editors, where an editor drove them. [Proofs](prove.md) says what the rows and the results mean. Older builds keep their last proof.",
	"CHECKREIN_HOSTS=1 go test -count=1 -v -timeout 60m -run TestHostProve ./internal/lab/endtoend", nil,
}

// renderPage returns the page.
func renderPage(all []proven.Build, proofs output, ran []output) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make scoreboard. Do not edit. -->\n\n# Scoreboard\n\n")
	b.WriteString("What was proven and measured, each with the command that shows it. `make scoreboard` writes this page.\n")
	proofs.write(&b, hostTable(all)+unprovenList(all, proofs.text))
	for _, o := range ran {
		figures := o.read(o.text)
		if figures == "" {
			figures = "Not shown: " + o.reason() + ".\n"
		}
		o.write(&b, figures)
	}
	return b.String()
}

// write writes a section of the page to b.
func (o output) write(b *strings.Builder, figures string) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n<!-- not run: it takes minutes -->\n```sh\n%s\n```\n\n%s", o.title, o.about, o.command, figures)
	fmt.Fprintf(b, "\nRun on %s.", o.at.Format("2 January 2006"))
	if o.load != "" {
		fmt.Fprintf(b, " The load average before and after was %s; a value above the number of cores means that the machine was busy with other work.", o.load)
	}
	b.WriteString("\n")
}

// reason returns why the section has no figures.
func (o output) reason() string {
	if o.failed != nil {
		return "the command did not end well, and its last line was `" + strings.ReplaceAll(lastLines(o.text, 1), "`", "'") + "`"
	}
	return "the command printed no figures"
}

// skippedHost matches the lab's message about a host that it cannot run.
var skippedHost = regexp.MustCompile(`(?m)^SKIPPED TestHostProve(?:/(\w+))?: (.*)$`)

// unprovenList returns a list of the rows that are not shown or not honoured, with reasons, and of the
// hosts that were not run.
func unprovenList(all []proven.Build, printed string) string {
	var b strings.Builder
	for i := range all {
		for _, f := range capability.Facts() {
			if r := all[i].Rows[f.Row]; r == capability.NotShown || r == capability.NotHonoured {
				fmt.Fprintf(&b, "- %s %s, `%s`, %s: %s.\n", all[i].Title, all[i].Version, f.Row, r, all[i].Said[f.Row])
			}
		}
	}
	for _, m := range skippedHost.FindAllStringSubmatch(printed, -1) {
		fmt.Fprintf(&b, "- %s was not run, so this is its last proof: %s.\n", cmp.Or(m[1], "Any host"), m[2])
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}

// hostTable returns a table with a column for each build.
func hostTable(all []proven.Build) string {
	b := &strings.Builder{}
	head, under, when, took := "| row |", "|---|", "| proven on |", "| seconds taken |"
	for i := range all {
		head += fmt.Sprintf(" %s %s |", all[i].Title, all[i].Version)
		under += "---|"
		when += " " + all[i].Proven.Format("2006-01-02") + " |"
		took += fmt.Sprintf(" %.0f |", all[i].Took)
	}
	fmt.Fprintf(b, "%s\n%s\n%s\n%s\n", head, under, when, took)
	for _, f := range capability.Facts() {
		fmt.Fprintf(b, "| `%s` |", f.Row)
		for i := range all {
			fmt.Fprintf(b, " %s |", all[i].Rows[f.Row])
		}
		b.WriteString("\n")
	}
	return b.String()
}

var (
	subtest = regexp.MustCompile(`=== RUN +TestEvasions/(\w+)`)
	ends    = regexp.MustCompile(`_test\.go:\d+: +\[(\d+) (\d+) (\d+) (\d+) (\d+) \d+\]`) // of all classes
	harm    = regexp.MustCompile(`of (\d+) rows ([\d.]+) % lose or send`)
	verdict = regexp.MustCompile(`_test\.go:\d+: ([a-z, ]+): (\d+), none (\d+), ask (\d+), deny (\d+), wrong (\d+) \(([\d.]+) %\)`)
	family  = regexp.MustCompile(`(?m)^((?:tuned|held out), (?:recall|false positives)) +(\d+) +(\d+) +([\d.]+) %`)
)

func readEvasions(text string) string {
	var b strings.Builder
	set, counts := "", ""
	for line := range strings.Lines(text) {
		if m := subtest.FindStringSubmatch(line); m != nil {
			set = m[1]
		}
		if m := ends.FindStringSubmatch(line); m != nil {
			counts = strings.Join(m[1:], " | ")
		}
		if m := harm.FindStringSubmatch(line); m != nil {
			fmt.Fprintf(&b, "| %s | %s | %s | %s %% |\n", set, m[1], counts, m[2])
		}
	}
	return withHeader("| author | commands | stopped | taken back | harmless | lost | sent | lost or sent for good |", b.String())
}

func readVerdicts(text string) string {
	var b strings.Builder
	for _, m := range verdict.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s (%s %%) |\n", m[1], m[2], m[3], m[4], m[5], m[6], m[7])
	}
	return withHeader("| set | cases | passed | asked about | denied | wrong |", b.String())
}

func readSecrets(text string) string {
	var b strings.Builder
	for _, m := range family.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s %% |\n", m[1], m[2], m[3], m[4])
	}
	return withHeader("| half | texts | count | share |", b.String())
}

// readLatency returns the first two columns of bench's table, without the goals.
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
	return "Measured with " + machine + ".\n\n" + withHeader("| what | measured |", b.String())
}

// withHeader returns rows as a table with the header head, or "" if there are no rows.
func withHeader(head, rows string) string {
	if rows == "" {
		return ""
	}
	return head + "\n|" + strings.Repeat("---|", strings.Count(head, "|")-1) + "\n" + rows
}
