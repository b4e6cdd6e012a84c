package desk

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

// A hookSheet lays hooks out for people, within a width.
type hookSheet struct {
	sheet
	width int
	root  string
	now   time.Time
	zone  *time.Location
}

// usualWidth is how wide a list is unless the terminal says otherwise.
const usualWidth = 100

func printHookList(env *console.Env, r *listReport) {
	s := &hookSheet{width: usualWidth, root: r.Root, now: env.Now(), zone: zone(env)}
	columns, _ := workplace.Lookup(env.Environ, "COLUMNS")
	if n, err := strconv.Atoi(columns); err == nil && n > 40 {
		s.width = n
	}
	s.head(r)
	for _, layer := range []checkrein.Layer{checkrein.ToolCall, checkrein.Lifecycle, checkrein.Boundary} {
		s.layer(r, layer)
	}
	if len(r.Hooks) == 0 {
		s.WriteString("no hooks\n")
	}
	s.git(r)
	for _, v := range r.Vanished {
		fmt.Fprintln(s, "vanished:", v)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(s, "not known:", trust.VisibleLine(p))
	}
	if l := r.Ledger; l != nil && !l.Whole {
		fmt.Fprintf(s, "runs are of the newest %s, since %s\n", amount(l.Records, "record"), l.Since.In(s.zone).Format(time.DateTime))
	}
	_, _ = env.Stdout.Write([]byte(s.String()))
}

func (s *hookSheet) head(r *listReport) {
	state := "on"
	if !r.On {
		state = "off (managed hooks still run; switch on with: checkrein hooks on)"
	}
	fmt.Fprintf(s, "hooks are %s\n", state)
	for _, line := range append(r.Off, r.Guards...) {
		fmt.Fprintln(s, "  "+trust.VisibleLine(line))
	}
	for _, f := range r.Files {
		status := amount(f.Hooks, "hook")
		if f.Broken {
			status = "broken: run checkrein validate"
		}
		fmt.Fprintf(s, "  %-7s  %s  %s\n", f.Scope, trust.VisibleLine(nearer(r.Root, f.Path)), status)
	}
}

// layerTitle is what people call a layer.
func layerTitle(l checkrein.Layer) string {
	return [...]string{"lifecycle", "tool calls", "boundary"}[l]
}

// columns are how wide each is; the state takes what is left.
var columns = [...]struct {
	name  string
	width int
}{{"", 21}, {"MATCH", 12}, {"LAST RUN", 9}, {"LAST CATCH", 10}, {"MEDIAN", 8}, {"P95", 8}}

// layer writes the hooks of a layer, event by event in the contract's order.
func (s *hookSheet) layer(r *listReport, layer checkrein.Layer) {
	var hooks []*hookReport
	for i := range r.Hooks {
		if r.Hooks[i].Layer == layer.String() {
			hooks = append(hooks, &r.Hooks[i])
		}
	}
	if len(hooks) == 0 {
		return
	}
	slices.SortStableFunc(hooks, func(a, b *hookReport) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return strings.Compare(a.Event, b.Event)
	})
	cells := []string{layerTitle(layer)}
	for _, c := range columns[1:] {
		cells = append(cells, c.name)
	}
	s.WriteString("\n")
	s.row(append(cells, "APPROVAL, HEALTH"))
	event := ""
	for _, h := range hooks {
		if h.Event != event {
			event = h.Event
			fmt.Fprintf(s, " %s\n", trust.VisibleLine(event))
		}
		s.hook(h)
	}
}

// row writes cells in their columns; the last one as long as it is.
func (s *hookSheet) row(cells []string) {
	var b strings.Builder
	last := len(cells) - 1
	for i, cell := range cells[:last] {
		cell = cut(cell, columns[i].width)
		b.WriteString(cell + strings.Repeat(" ", columns[i].width-utf8.RuneCountInString(cell)+1))
	}
	s.WriteString(strings.TrimRight(b.String()+cells[last], " ") + "\n")
}

// hook writes a row, what runs below it, and what a person should know.
func (s *hookSheet) hook(h *hookReport) {
	match := h.Match
	if match == "" {
		match = "*"
	}
	state := h.Approval
	if h.Health != h.Approval {
		state += ", " + h.Health
	}
	cells := []string{"  " + trust.VisibleLine(h.ID), trust.VisibleLine(match), s.ago(h.LastRun), s.ago(h.LastCatch), "-", "-", state}
	if l := h.Latency; l != nil {
		cells[4], cells[5] = brief(l.Median), brief(l.P95)
	}
	if utf8.RuneCountInString(cells[0]) > columns[0].width { // a name is never cut: people have to type it
		s.WriteString(cells[0] + "\n")
		cells[0] = ""
	}
	s.row(cells)
	shows := h.Shows
	if filepath.IsAbs(shows) { // a long way to the project would hide the script's name
		shows = nearer(s.root, shows)
	}
	s.WriteString(cut("      "+short(shows)+"  ("+h.Scope+" "+trust.VisibleLine(h.place)+")", s.width) + "\n")
	if h.Folder != "" {
		s.note("in the folder " + h.Folder)
	}
	if why := h.HealthWhy; why != "" && h.Health != "changed" {
		s.note(h.Health + ": " + why)
	}
	if h.Approval == "not approved" && h.Health != "not approved" {
		s.note("not approved: " + h.Why)
	}
	s.runs(h)
	s.drifted(h)
	if c := h.LastCatch; c != nil {
		s.note(s.catch(c))
	}
	if h.Earlier {
		s.note("its definition was another one when it last ran")
	}
}

// runLines is how much of what would run is listed.
const runLines = 6

// runs shows what a person's own hook would run of the project.
func (s *hookSheet) runs(h *hookReport) {
	for _, r := range h.Runs {
		s.note("would run " + partName(nearer(s.root, r.Path), r.Part) + ":")
		n := 0
		for line := range strings.Lines(r.Text) {
			if n++; n <= runLines {
				s.WriteString(cut("        | "+trust.VisibleLine(strings.TrimRight(line, "\n")), s.width) + "\n")
			}
		}
		if n > runLines || n == 0 {
			s.note("all of it is shown by: " + h.look)
		}
	}
}

// drifted says what is not as it was approved, with the times of the files.
func (s *hookSheet) drifted(h *hookReport) {
	if h.Approval == "changed" && len(h.Drift) == 0 {
		s.note("changed: " + h.Why)
	}
	for _, d := range h.Drift {
		text := "changed: " + d.Name + " " + d.Why
		if !d.MTime.IsZero() {
			text += ", written " + s.when(d.MTime)
		}
		if !d.Approved.IsZero() {
			text += ", approved as of " + s.when(d.Approved)
		}
		s.note(text)
	}
}

func (s *hookSheet) catch(c *ran) string {
	what := c.Decision
	if what != "deny" && what != "ask" {
		what = strings.Join(c.Effects, ", ")
	}
	text := fmt.Sprintf("last catch: %s, record %d", what, c.Record)
	if c.Session != "" {
		text += ", session " + shortSession(c.Session) + " of " + c.Host
	}
	if c.Reason != "" {
		text += ": " + cut(oneLine(c.Reason), 120)
	}
	return text
}

// note writes a sentence below a hook, on as many lines as it takes. A command
// that people may copy stays in one piece.
func (s *hookSheet) note(text string) {
	text = trust.VisibleLine(oneLine(text))
	words := strings.Fields(text)
	if i := strings.Index(text, ": checkrein "); i >= 0 {
		words = append(strings.Fields(text[:i+1]), text[i+2:])
	}
	line := "     "
	for _, word := range words {
		if len(line) > 8 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > s.width {
			s.WriteString(line + "\n")
			line = "       "
		}
		line += " " + word
	}
	s.WriteString(line + "\n")
}

func (s *hookSheet) when(t time.Time) string { return t.In(s.zone).Format(time.DateTime) }

// ago is how long ago something was, in one unit.
func (s *hookSheet) ago(r *ran) string {
	if r == nil {
		return "never"
	}
	d := max(0, s.now.Sub(r.At))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// brief is a time in three digits.
func brief(ms float64) string {
	switch {
	case ms < 0.1:
		return fmt.Sprintf("%.0f µs", ms*1000)
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// git writes the layer that git runs itself.
func (s *hookSheet) git(r *listReport) {
	g := r.Git
	if g == nil {
		return
	}
	where := trust.VisibleLine(nearer(r.Root, g.Path))
	if g.Setting != "" {
		where += ", by core.hooksPath in " + trust.VisibleLine(nearer(r.Root, g.From))
	}
	fmt.Fprintf(s, "\ngit, which runs these itself (%s)\n", where)
	for _, h := range g.Hooks {
		whose, tracked, health := "foreign", "not tracked", "ok"
		if h.Ours {
			whose = "ours"
		}
		if h.Tracked {
			tracked = "tracked"
		}
		if h.Health != "ok" {
			health = "not run"
		}
		fmt.Fprintf(s, "  %-22s %-8s %-12s %s\n", h.Name, whose, tracked, health)
		if h.Health != "ok" {
			s.note(filepath.Base(h.Path) + " " + h.Health)
		}
	}
	if len(g.Hooks) == 0 && len(g.Warnings) == 0 {
		s.WriteString("  none\n")
	}
	for _, w := range g.Warnings {
		s.note("warning: " + w)
	}
}
