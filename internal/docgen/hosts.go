package docgen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
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
	b.WriteString("What each agent sends, what it does with an answer, and what would fool someone who did not know it.\n\n")
	b.WriteString(list.String() + "\n")
	return append(out, File{Path: "docs/hosts/README.md", Data: b.Bytes()})
}

func version(h *wire.Host) string {
	if h.Mark == wire.Observed {
		return "runs of " + h.Version
	}
	return h.Version + ", not run here"
}

// directory says where the host's shell tools run.
func directory(h *wire.Host) string {
	if len(h.Dirs) == 0 {
		return "Its shell tools run in the session's directory; where a call names another one, both are judged."
	}
	var names []string
	for _, d := range h.Dirs {
		names = append(names, code(d))
	}
	return "Its shell tools run in the directory that " + strings.Join(names, " or ") + " says, else in the session's. Where a call names one otherwise, both are judged."
}

// patience says how long the host waits for an answer.
func patience(h *wire.Host) string {
	if h.Waits == 0 {
		return "It waits for a hook as long as that takes."
	}
	text := "checkrein takes it that it waits " + waits(h.Waits)
	for i := range h.Events {
		if e := &h.Events[i]; e.Waits > 0 {
			text += ", on " + code(e.Native) + " " + waits(e.Waits)
		}
	}
	return text + " for a hook whose entry has no limit, and answers calls without `--within` before that."
}

func waits(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

func hostPage(h *wire.Host) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s from the tables in the code. Do not edit: run make generate. -->\n\n# %s\n\n", Mark, h.Title)
	fmt.Fprintf(&b, "%s\n\nKnown from %s. `checkrein install %s` wires it; the host then calls `checkrein hook %s`.\n\n%s\n\n%s\n\n## Events\n\n", h.About, version(h), h.Name, h.Name, &h.Asks, directory(h)+" "+patience(h))
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
