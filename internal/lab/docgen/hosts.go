package docgen

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/proven"
)

// hostPages returns the files of docs/hosts: a page for each host, and one that lists them.
func hostPages() []File {
	list := newTable("host", "name", "known from")
	var out []File
	for _, h := range host.Table() {
		out = append(out, File{Path: "docs/hosts/" + h.Name + ".md", Data: hostPage(h)})
		list.row(fmt.Sprintf("[%s](%s.md)", h.Title, h.Name), code(h.Name), version(h))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s from the tables in the code. Do not edit: run make generate. -->\n\n# Hosts\n\n", Mark)
	b.WriteString("What each agent sends, what it does with an answer, and which of its quirks could surprise you.\n\n")
	b.WriteString(list.String() + "\n\n" + provenBuilds() + "\n")
	return append(out, File{Path: "docs/hosts/README.md", Data: b.Bytes()})
}

// provenBuilds returns the section that lists the proven builds, with dates and results.
func provenBuilds() string {
	all, err := proven.All()
	if err != nil {
		panic(err) // the files are part of this build
	}
	builds := newTable("host", "build", "proven on", "honoured", "the host cannot", "not shown", "not honoured or differs")
	for i := range all {
		b := &all[i]
		builds.row(b.Title, b.Version, b.Proven.Format("2006-01-02"), resultCell(b, capability.Honoured), resultCell(b, capability.Cannot), resultCell(b, capability.NotShown), resultCell(b, capability.NotHonoured, capability.Differs))
	}
	return "## Builds that were proven\n\nThe code of `checkrein prove` ran these builds headless on Linux, either through the command itself or in this project's\n" +
		"test lab. [Proofs](../prove.md) explains each row, and [the scoreboard](../scoreboard.md) lists results row by row.\n" +
		"\"Not shown\" means that the run could not show it, and says nothing about the agent.\n\n" + builds.String()
}

// resultCell returns the number of honoured rows if results contains Honoured, otherwise the names of
// the rows that have one of the results.
func resultCell(b *proven.Build, results ...capability.Result) string {
	if slices.Contains(results, capability.Honoured) {
		return fmt.Sprintf("%d of %d", b.Count(capability.Honoured), len(b.Rows))
	}
	var names []string
	for _, f := range capability.Facts() {
		if slices.Contains(results, b.Rows[f.Row]) {
			names = append(names, string(f.Row))
		}
	}
	return codes(names)
}

// version returns the version that h's page is based on, and whether that version was run.
func version(h *wire.Host) string {
	if h.Mark == wire.Observed {
		return "runs of " + h.Version
	}
	return "documentation of " + h.Version + "; no build was run"
}

// describeDirectory returns sentences about the directory in which the host's shell tools run.
func describeDirectory(h *wire.Host) string {
	if len(h.Dirs) == 0 {
		return "Its shell tools run in the session's directory. If a call names another directory, checkrein judges the call in both."
	}
	var names []string
	for _, d := range h.Dirs {
		names = append(names, code(d))
	}
	return "Its shell tools run in the directory that " + strings.Join(names, " or ") + " names, or otherwise in the session's directory. If a call names a directory in another way, checkrein judges the call in both."
}

// describePatchTool returns a paragraph about the host's patch tool, or "" if it changes files with
// write and edit only.
func describePatchTool(h *wire.Host) string {
	if h.PatchTool == "" {
		return ""
	}
	return "\n\nIt changes files with `" + h.PatchTool + "`, which checkrein calls `patch`. The matcher `write|edit` misses it: write `write|edit|patch`, or a condition on `paths`, which sees the files of every tool."
}

// describeTimeout returns sentences about how long the host waits for a hook.
func describeTimeout(h *wire.Host) string {
	if h.Waits == 0 {
		return "It waits for a hook without a time limit."
	}
	text := "checkrein assumes that it waits " + formatSeconds(h.Waits)
	for i := range h.Events {
		if e := &h.Events[i]; e.Waits > 0 {
			text += ", on " + code(e.Native) + " " + formatSeconds(e.Waits)
		}
	}
	return text + " for a hook whose entry has no timeout. Calls without `--within` are answered before that."
}

func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// hostPage returns the page of a host.
func hostPage(h *wire.Host) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s from the tables in the code. Do not edit: run make generate. -->\n\n# %s\n\n", Mark, h.Title)
	fmt.Fprintf(&b, "%s\n\nBased on %s. `checkrein install %s` connects it; the host then calls `checkrein hook %s`.\n\n%s\n\n%s\n\n## Events\n\n", h.About, version(h), h.Name, h.Name, &h.Asks, describeDirectory(h)+" "+describeTimeout(h)+describePatchTool(h))
	events := newTable("event", "is", "honoured", "known", "wired", "")
	for i := range h.Events {
		e := &h.Events[i]
		var kinds, honours []string
		for _, r := range e.Rows {
			kinds = append(kinds, code(r.Kind.String()))
			words := strings.Join(r.Honours.Words(), ", ")
			if words == "" {
				words = "–"
			}
			honours = append(honours, words)
		}
		if len(kinds) == 0 {
			kinds, honours = []string{"other"}, []string{"–"}
		}
		events.row(code(e.Native), strings.Join(kinds, "<br>"), strings.Join(honours, "<br>"), e.Mark.String(), yesOrEmpty(e.Wired), escapeMarkdown(e.Note))
	}
	b.WriteString(events.String() + "\n\n## Ways of its own\n\n")
	quirks := newTable("", "seen in", "what it does", "what checkrein does")
	for _, q := range h.Quirks {
		quirks.row(code(q.ID), q.Seen, escapeMarkdown(q.Does), escapeMarkdown(q.We))
	}
	b.WriteString(quirks.String() + "\n")
	return b.Bytes()
}
