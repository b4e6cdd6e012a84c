package misses

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A Cause is the reason why checkrein received no event about calls.
type Cause string

// The causes. Causes returns a sentence and remedies for each.
const (
	NotInstalled Cause = "not-installed"
	Elsewhere    Cause = "other-settings"
	Disabled     Cause = "disabled"
	Silent       Cause = "silent"
	Headless     Cause = "headless"
	SubAgent     Cause = "sub-agent"
	Tool         Cause = "tool"
	Editor       Cause = "editor"
	BuiltIn      Cause = "built-in"
	Died         Cause = "hook-died"
	Unrecorded   Cause = "unrecorded"
	Forged       Cause = "other-program"
	Other        Cause = "other-content"
	Unnamed      Cause = "no-id"
	Undated      Cause = "no-time"
	Callless     Cause = "no-call"
	TooMany      Cause = "too-many"
)

// A CauseRow describes what a cause means and what to do about it. In its texts, HOST stands for the
// host's name and TITLE for its title.
type CauseRow struct {
	Cause    Cause
	Why      string
	Remedies []message.Remedy
}

type remedies = []message.Remedy

// Causes returns the description of each cause.
func Causes() []CauseRow {
	return []CauseRow{
		{NotInstalled, "checkrein's hooks were not in the settings of TITLE while the session ran", remedies{message.Run("checkrein install HOST", "")}},
		{Elsewhere, "the session read settings without checkrein's hooks: other sessions of TITLE called checkrein at the same time, or checkrein is installed only in a project", remedies{message.Run("checkrein install HOST --scope user", "in the home directory that the session used")}},
		{Disabled, "TITLE skips checkrein's hooks", remedies{message.Run("checkrein status HOST", "to see how to enable them")}},
		{Silent, "checkrein is installed, but TITLE sent nothing about the session", remedies{message.Do("restart TITLE"), message.Run("checkrein status HOST", message.Then)}},
		{Headless, "the session ran headless, and TITLE sent nothing about it, although it does report sessions at a terminal", remedies{message.Do("make headless runs read the settings with checkrein's hooks"), message.Run("checkrein status HOST -v", "to see the files")}},
		{SubAgent, "TITLE asked about the calls of the session itself, and not about those of its sub-agent", remedies{message.Do("update TITLE, or keep it from starting sub-agents")}},
		{Tool, "TITLE asked about other calls of the session, but never about this tool: the entry in its settings excludes the tool", remedies{message.Run("checkrein install HOST", "")}},
		{Editor, "the session seems to have been driven by an editor: TITLE then asks about no tool, and nothing is guarded", remedies{message.Do("run TITLE in a terminal, or have the editor ask you about every tool")}},
		{BuiltIn, "TITLE never asked about this tool, although its settings exclude none: it runs the tool without calling hooks", remedies{message.Do("switch the tool off in TITLE, if it matters")}},
		{Died, "the hook died or did not answer in time, and TITLE continued without an answer", remedies{message.Run("checkrein doctor", ""), message.Run("checkrein audit query --host HOST", "")}},
		{Unrecorded, "checkrein could not write its record: the ledger says that records are missing from this time", remedies{message.Run("checkrein doctor", "")}},
		{Forged, "the event about the call came from a program other than TITLE, so it does not count", remedies{message.Run("checkrein audit query --host HOST -a", "")}},
		{Other, "checkrein was asked about something else under the ID of the call: the transcript was altered, or TITLE ran another call than it asked about", remedies{message.Do("find out what else writes to the transcripts of TITLE"), message.Run("checkrein audit query --host HOST", "to see what it asked about")}},
		{Unnamed, "the call has no ID in the transcript, and TITLE gives every call one: the transcript was altered", remedies{message.Do("find out what else writes to the transcripts of TITLE")}},
		{Undated, "the call has no usable time in the transcript, and the ledger does not have it: the transcript was altered, or the clock was wrong", remedies{message.Do("find out what else writes to the transcripts of TITLE")}},
		{Callless, "the transcript has the result of a call, and neither it nor the ledger has the call: the transcript was altered", remedies{message.Do("find out what else writes to the transcripts of TITLE")}},
		{TooMany, "there are too many sessions with unseen calls to examine all of them", remedies{message.Run("checkrein misses --since 1d", "")}},
	}
}

// A timeRange spans the unseen calls of a session.
type timeRange struct{ first, last time.Time }

// findCauses determines the cause of each group of unseen calls, and adds the groups to the report.
func (j *join) findCauses() error {
	spans := map[string]*timeRange{}
	for _, m := range j.sorted {
		key := m.Host + "\x00" + m.root
		s := spans[key]
		if s == nil {
			s = &timeRange{m.First, m.Last}
			spans[key] = s
		}
		if m.First.Before(s.first) {
			s.first = m.First
		}
		if m.Last.After(s.last) {
			s.last = m.Last
		}
	}
	a := ledgerCounter{join: j, counts: map[string]int{}}
	for _, m := range j.sorted {
		cause := a.causeOf(m, spans[m.Host+"\x00"+m.root])
		if a.err != nil {
			return a.err
		}
		j.setCause(m, cause)
		j.report.Misses = append(j.report.Misses, *m)
	}
	slices.SortStableFunc(j.report.Misses, func(a, b Miss) int { return a.First.Compare(b.First) })
	return nil
}

// setCause sets the cause of m, with its description and remedies.
func (j *join) setCause(m *Miss, cause Cause) {
	table := Causes()
	row := table[slices.IndexFunc(table, func(r CauseRow) bool { return r.Cause == cause })]
	h := j.hostInfo(m.Host)
	words := strings.NewReplacer("TITLE", h.Title, "HOST", h.Name)
	m.Cause, m.Why, m.Remedies = cause, words.Replace(row.Why), row.Remedies
	for i, r := range m.Remedies {
		m.Remedies[i].Command, m.Remedies[i].Text = words.Replace(r.Command), words.Replace(r.Text)
	}
	if cause == Disabled && h.Off != "" {
		m.Why += ": " + h.Off
	}
}

// hostInfo returns the Host with this name, or an installed one without details if it is unknown.
func (j *join) hostInfo(name string) Host {
	i := slices.IndexFunc(j.o.Hosts, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return Host{Name: name, Title: name, Installed: true}
	}
	return j.o.Hosts[i]
}

// A ledgerCounter counts records in the ledger, and caches the results.
type ledgerCounter struct {
	*join
	counts map[string]int
	err    error
}

// countRecords returns how many records f accepts, by default of events. After an error, which it
// stores in a.err, it returns 0.
func (a *ledgerCounter) countRecords(f index.Filter) int {
	if f.Kind == "" {
		f.Kind = ledger.KindEvent
	}
	key := fmt.Sprint(f)
	n, ok := a.counts[key]
	if !ok && a.err == nil {
		n, a.err = a.ledger.Count(a.ctx, f)
		a.counts[key] = n
	}
	return n
}

// causeOf returns why checkrein did not see the calls of m, according to the ledger's records around
// s.
func (a *ledgerCounter) causeOf(m *Miss, s *timeRange) Cause {
	switch m.found {
	case late:
		// With a single call, the missing event about its tool may be a coincidence.
		if (m.Calls > 1 || a.hostInfo(m.Host).Narrow) && a.countRecords(a.askedFilter(m)) == 0 {
			return Tool
		}
		return Died
	case canceled:
		return Died
	case forged:
		return Forged
	case differs:
		return Other
	case unnamed:
		return Unnamed
	case undated:
		return Undated
	case callless:
		return Callless
	case nothing:
	}
	if m.Session == "" && m.Tool == "" {
		return TooMany
	}
	host := []string{m.Host}
	own := a.countRecords(index.Filter{Host: host, Session: []string{m.Session}})
	if own == 0 && m.root != m.Session && a.countRecords(index.Filter{Host: host, Session: []string{m.root}}) > 0 {
		return SubAgent
	}
	if own == 0 {
		return a.silentCause(m, s)
	}
	return a.partialCause(m)
}

// silentCause returns the cause for calls of a session that sent no events at all.
func (a *ledgerCounter) silentCause(m *Miss, s *timeRange) Cause {
	h, host := a.hostInfo(m.Host), []string{m.Host}
	later := a.countRecords(index.Filter{Host: host, Since: s.last}) > 0
	switch {
	case m.Headless && a.reportsOnlyTerminal(m, s):
		return Headless
	case a.countRecords(index.Filter{Host: host, Since: s.first, Until: s.last.Add(1)}) > 0, h.ProjectOnly:
		return Elsewhere
	case later, !h.Installed, h.Since.After(s.first):
		return NotInstalled
	case h.Off != "":
		return Disabled
	}
	return Silent
}

// reportsOnlyTerminal reports whether the host sent events before the session of m ended, but only
// about sessions at a terminal. The cause is then that the session ran headless.
func (a *ledgerCounter) reportsOnlyTerminal(m *Miss, s *timeRange) bool {
	if a.seenCalls[mode{m.Host, true}] > 0 || a.seenCalls[mode{m.Host, false}] == 0 {
		return false
	}
	h := a.hostInfo(m.Host)
	return h.Installed && h.Off == "" && !h.ProjectOnly && !h.Since.After(s.first) && a.countRecords(index.Filter{Host: []string{m.Host}, Until: s.last.Add(slack)}) > 0
}

// partialCause returns the cause for calls of a session that did send other events.
func (a *ledgerCounter) partialCause(m *Miss) Cause {
	asked := index.Filter{Host: []string{m.Host}, Session: []string{m.Session}, Event: []string{"pre_tool_use"}}
	if m.Agent != "" {
		child := asked
		child.Agent = []string{m.Agent}
		if a.countRecords(child) == 0 {
			return SubAgent
		}
	}
	before, after := index.Filter{Host: asked.Host, Session: asked.Session, Until: m.First}, index.Filter{Host: asked.Host, Session: asked.Session, Since: m.Last}
	if a.countRecords(before) == 0 || a.countRecords(after) == 0 {
		return NotInstalled // events cover only a part of the session
	}
	if a.hostInfo(m.Host).Blind != "" && a.countRecords(asked) == 0 {
		return Editor
	}
	tool := a.askedFilter(m)
	ever := index.Filter{Host: asked.Host, Event: asked.Event, Tool: tool.Tool}
	switch {
	case a.countRecords(tool) > 0:
	case a.hostInfo(m.Host).Narrow, a.countRecords(ever) > 0:
		return Tool
	default:
		return BuiltIn
	}
	if a.countRecords(index.Filter{Kind: ledger.KindGap, Since: m.First, Until: m.Last.Add(time.Hour)}) > 0 {
		return Unrecorded
	}
	return Died
}

// askedFilter returns a filter for the events before calls of the tool and session of m.
func (a *ledgerCounter) askedFilter(m *Miss) index.Filter {
	return index.Filter{Host: []string{m.Host}, Session: []string{m.Session}, Event: []string{"pre_tool_use"}, Tool: []string{withoutStars(m.Tool)}}
}

// withoutStars returns tool without "*", which would match any text in a filter.
func withoutStars(tool string) string { return strings.ReplaceAll(tool, "*", "") }
