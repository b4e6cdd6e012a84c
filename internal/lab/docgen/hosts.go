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

// hostPages are docs/hosts: a page for each host, and one that lists them.
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

// provenBuilds returns what was proven of which build, and when.
func provenBuilds() string {
	all, err := proven.All()
	if err != nil {
		panic(err) // the files are part of this build
	}
	builds := newTable("host", "build", "proven on", "honoured", "the host cannot", "not shown", "not honoured or differs")
	for i := range all {
		b := &all[i]
		builds.row(b.Title, b.Version, b.Proven.Format("2006-01-02"), rowsOf(b, capability.Honoured), rowsOf(b, capability.Cannot), rowsOf(b, capability.NotShown), rowsOf(b, capability.NotHonoured, capability.Differs))
	}
	return "## Builds that were proven\n\nThese builds ran headless on Linux, by the code of `checkrein prove`: from the command itself, or from the test lab of this\n" +
		"project. [Proofs](../prove.md) says what each row means, and [the scoreboard](../scoreboard.md) has them row by row. \"Not\n" +
		"shown\" means that the run could not show it, and says nothing about the agent.\n\n" + builds.String()
}

// rowsOf counts what is honoured, and names the rows that have another result.
func rowsOf(b *proven.Build, results ...capability.Result) string {
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

func version(h *wire.Host) string {
	if h.Mark == wire.Observed {
		return "runs of " + h.Version
	}
	return h.Version + ", not run here"
}

// directory returns where the host's shell tools run.
func directory(h *wire.Host) string {
	if len(h.Dirs) == 0 {
		return "Its shell tools run in the session's directory. If a call names another directory, checkrein judges the call in both."
	}
	var names []string
	for _, d := range h.Dirs {
		names = append(names, code(d))
	}
	return "Its shell tools run in the directory that " + strings.Join(names, " or ") + " names, or otherwise in the session's directory. If a call names a directory in another way, checkrein judges the call in both."
}

// patches returns how the host changes files, where that is not by write and edit.
func patches(h *wire.Host) string {
	if h.PatchTool == "" {
		return ""
	}
	return "\n\nIt changes files with `" + h.PatchTool + "`, which checkrein calls `patch`. The matcher `write|edit` misses it: write `write|edit|patch`, or a condition on `paths`, which sees the files of every tool."
}

// patience returns how long the host waits for an answer.
func patience(h *wire.Host) string {
	if h.Waits == 0 {
		return "It waits for a hook without a time limit."
	}
	text := "checkrein assumes that it waits " + waits(h.Waits)
	for i := range h.Events {
		if e := &h.Events[i]; e.Waits > 0 {
			text += ", on " + code(e.Native) + " " + waits(e.Waits)
		}
	}
	return text + " for a hook whose entry has no timeout. Calls without `--within` are answered before that."
}

func waits(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

func hostPage(h *wire.Host) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s from the tables in the code. Do not edit: run make generate. -->\n\n# %s\n\n", Mark, h.Title)
	fmt.Fprintf(&b, "%s\n\nKnown from %s. `checkrein install %s` connects it; the host then calls `checkrein hook %s`.\n\n%s\n\n%s\n\n## Events\n\n", h.About, version(h), h.Name, h.Name, &h.Asks, directory(h)+" "+patience(h)+patches(h))
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
		events.row(code(e.Native), strings.Join(kinds, "<br>"), strings.Join(honours, "<br>"), e.Mark.String(), mark(e.Wired), prose(e.Note))
	}
	b.WriteString(events.String() + "\n\n## Ways of its own\n\n")
	quirks := newTable("", "seen in", "what it does", "what checkrein does")
	for _, q := range h.Quirks {
		quirks.row(code(q.ID), q.Seen, prose(q.Does), prose(q.We))
	}
	b.WriteString(quirks.String() + "\n")
	return b.Bytes()
}
