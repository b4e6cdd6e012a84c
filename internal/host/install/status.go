package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A Report describes the state of checkrein's installation in a host on this machine.
type Report struct {
	Host      string `json:"host"`
	Title     string `json:"title"`
	Blind     string `json:"-"`       // see wire.Host.BlindOption
	Present   bool   `json:"present"` // the host seems to be on this machine
	Installed []Site `json:"installed"`
	Enabled   *Check `json:"enabled,omitempty"`
	Trusted   *Check `json:"trusted,omitempty"`
	// TrustsFolders is set if a hook that ran outweighs the state NotYet of Trusted.
	TrustsFolders bool              `json:"-"`
	Seen          Seen              `json:"seen"`
	Proven        Proof             `json:"proven"`
	Notes         []message.Message `json:"notes,omitempty"`
	Problems      []message.Message `json:"problems,omitempty"` // why an installation does not work
	Gone          []message.Message `json:"gone,omitempty"`     // about entries that were installed and are missing now
	Foreign       []message.Message `json:"foreign,omitempty"`  // hooks of the project that the host runs without checkrein
	Silent        *Silent           `json:"silent,omitempty"`   // set if the host runs calls without sending events
	// Unstarted counts sessions that asked about calls without a session start in the ledger.
	Unstarted *Unstarted `json:"unstarted,omitempty"`
	// Ended counts sessions that asked about calls after their session end.
	Ended *Ended `json:"ended,omitempty"`
	// Unread counts transcripts that could not be searched for calls without an event.
	Unread *Unread `json:"unread,omitempty"`
}

// An Ended counts sessions that asked about calls after a session end, without another session start.
type Ended struct {
	Since    time.Time `json:"since"` // when the first of them ended
	Sessions int       `json:"sessions"`
}

// Add counts a session that ended at since, and returns the result. e may be nil.
func (e *Ended) Add(since time.Time) *Ended {
	u := (*Unstarted)(e).Add(since)
	return (*Ended)(u)
}

// Message describes the sessions in text that follows the title of the host. host is the host's name
// in commands.
func (e *Ended) Message(host string) message.Message {
	their := "their"
	if e.Sessions == 1 {
		their = "its"
	}
	what := fmt.Sprintf("%s asked about calls after %s end was reported on %s, and no new start was reported: another program sent the events, or the session went on without reporting it",
		countNoun(e.Sessions, "session"), their, e.Since.Local().Format(time.DateTime))
	return message.New(what, message.Run("checkrein audit query --host "+host+" -a", ""))
}

// An Unread counts transcripts of a host that cannot be read completely, and so may have calls that
// checkrein was not asked about.
type Unread struct {
	Files int    `json:"files"`
	Path  string `json:"path"` // of the first
	Why   string `json:"why"`  // why the first cannot be read
}

// Add counts the transcript at path, which cannot be read because of why, and returns the result. u
// may be nil.
func (u *Unread) Add(path, why string) *Unread {
	if u == nil {
		return &Unread{Files: 1, Path: path, Why: why}
	}
	u.Files++
	return u
}

// Message describes the transcripts in text that follows the title of the host.
func (u *Unread) Message() message.Message {
	text := fmt.Sprintf("%s of the last week cannot be read in full, so calls may be unseen: %s: %s", countNoun(u.Files, "transcript"), u.Path, u.Why)
	if u.Files > 1 {
		text = fmt.Sprintf("%s of the last week cannot be read in full, so calls may be unseen; the first is %s: %s", countNoun(u.Files, "transcript"), u.Path, u.Why)
	}
	return message.New(text, message.Run("checkrein misses --since 7d", ""))
}

// An Unstarted counts sessions that asked about calls without a session start, while other sessions of
// the host have one.
type Unstarted struct {
	Since    time.Time `json:"since"` // the first event of the first of them
	Sessions int       `json:"sessions"`
}

// Add counts a session whose first event was at since, and returns the result. u may be nil.
func (u *Unstarted) Add(since time.Time) *Unstarted {
	if u == nil {
		return &Unstarted{Since: since, Sessions: 1}
	}
	u.Sessions++
	if since.Before(u.Since) {
		u.Since = since
	}
	return u
}

// Message describes the sessions in text that follows the title of the host. host is the host's name
// in commands.
func (u *Unstarted) Message(host string) message.Message {
	their := "their"
	if u.Sessions == 1 {
		their = "its"
	}
	what := fmt.Sprintf("%s since %s asked about calls, but %s start was never reported: the settings leave that event out, another program sent the events, or the session was open before checkrein was installed",
		countNoun(u.Sessions, "session"), u.Since.Local().Format(time.DateTime), their)
	return message.New(what, message.Run("checkrein install "+host, ""))
}

// A Silent counts calls in a host's transcripts that checkrein was not asked about, although it is
// installed in the host.
type Silent struct {
	Since    time.Time `json:"since"` // the first call
	Last     time.Time `json:"last"`
	Calls    int       `json:"calls"`
	Sessions int       `json:"sessions"`
	Started  int       `json:"started,omitempty"` // how many of Sessions have a session start in the ledger
	// Now is set if the host has sent no event since, so that it is silent as a whole, not just in some sessions.
	Now bool `json:"now"`
}

// Message describes the calls in text that follows the title of the host. r is the report that s is
// part of.
func (s *Silent) Message(r *Report) message.Message {
	m := message.New(s.describe(), message.Do("quit "+r.Title+" and start it again"), message.Run("checkrein install "+r.Host, "if that does not help"))
	if r.Blind != "" && s.Started == 0 {
		m = m.With(message.Do("while an editor drives " + r.Title + " (" + r.Blind + "), it does not ask checkrein about tools: run it in a terminal"))
	}
	return m
}

// describe returns the counts and times as text.
func (s *Silent) describe() string {
	since := s.Since.Local().Format(time.DateTime)
	if s.Now {
		text := fmt.Sprintf("installed, silent since %s: %s ran in %s, and checkrein was not asked", since, countNoun(s.Calls, "call"), countNoun(s.Sessions, "session"))
		if s.Started > 0 {
			text += fmt.Sprintf(", although the start of %s was reported", countNoun(s.Started, "session"))
		}
		return text
	}
	if s.Calls == 1 {
		return fmt.Sprintf("1 call ran at %s, and checkrein was not asked about it, but about other calls", since)
	}
	return fmt.Sprintf("%d calls ran in %s from %s to %s, and checkrein was not asked about them, but about other calls", s.Calls, countNoun(s.Sessions, "session"), since, s.Last.Local().Format(time.DateTime))
}

// countNoun returns n followed by the noun one, in the plural unless n is 1.
func countNoun(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Works reports whether everything that is or was installed works.
func (r *Report) Works() bool {
	for _, c := range [...]*Check{r.Enabled, r.Trusted} {
		if c != nil && (c.State == No || c.State == NotYet) {
			return false // the host skips checkrein's hooks
		}
	}
	if r.Silent != nil && r.Silent.Now {
		return false
	}
	return len(r.Problems)+len(r.Gone) == 0 && !r.Proven.IgnoresDenials() && !slices.ContainsFunc(r.Installed, func(s Site) bool { return len(s.Gates) > 0 })
}

// A Seen summarizes the events of a host in the ledger.
type Seen struct {
	Count int        `json:"count"`
	Last  *time.Time `json:"last,omitempty"`
	Event string     `json:"event,omitempty"` // the kind of the last one
	Why   string     `json:"why,omitempty"`   // why the ledger could not be read
}

// Status returns the report on the host called name. The error is [ErrUnknownHost] if this build does
// not support it.
func (m *Machine) Status(name string) (Report, error) {
	s, h, err := m.findSpec(name)
	if err != nil {
		return Report{}, err
	}
	r := Report{Host: name, Title: h.Title, Blind: h.BlindOption, Present: m.isPresent(s), Installed: []Site{}, Proven: m.loadProof(s, h)}
	seen := map[string]bool{}
	for _, scope := range m.scopes(s) {
		site, err := m.checkSite(s, h, scope, seen)
		if err != nil && !errors.Is(err, ErrNoPlace) {
			r.Problems = append(r.Problems, message.FromError(err))
		}
		r.Gone = append(r.Gone, site.gone...)
		if err == nil && (len(site.Files) > 0 || len(site.Problems) > 0) {
			r.Installed = append(r.Installed, site)
			r.Problems = append(r.Problems, site.Problems...)
		}
	}
	r.Problems = append(r.Problems, m.checkWalls(s, h)...)
	if len(r.Installed) > 0 {
		m.addHostChecks(&r, s, h)
		m.noteOldWrapper(&r.Installed[0], s.Name)
	}
	return r, nil
}

// NamesState reports whether an entry of checkrein in the host's files names dir as the state
// directory.
func (r *Report) NamesState(dir string) bool {
	return slices.ContainsFunc(r.Installed, func(s Site) bool {
		return slices.ContainsFunc(s.lines, func(l hostfiles.Line) bool { return l.State != "" && samePath(l.State, dir) })
	})
}

// addHostChecks adds to r whether the host runs checkrein's hooks, and notes about other files that it
// loads.
func (m *Machine) addHostChecks(r *Report, s *Spec, h *wire.Host) {
	enabled, trusted := Check{State: Yes}, Check{State: NotNeeded}
	if s.Enabled != nil {
		enabled = s.Enabled(m, r.Installed)
	}
	m.eachProjectFile(s.Name, func(path string, f *hostfiles.File, text []byte) {
		if off := f.OffSwitches(text); len(off) > 0 && enabled.State == Yes {
			enabled = NewCheck(No, fmt.Sprintf("%s turns hooks off (%s)", m.ShortPath(path), strings.Join(off, ", ")), RemoveIt)
		}
		if events := f.ForeignHooks(text); len(events) > 0 && !slices.Contains(m.filesRead(), path) {
			r.Foreign = append(r.Foreign, message.New(fmt.Sprintf("%s adds hooks that run without checkrein: %s", m.ShortPath(path), strings.Join(events, ", "))))
		}
	})
	r.Notes = append(r.Notes, m.hookFileNotes(s, h)...)
	if s.Trusted != nil {
		trusted = s.Trusted(m, r.Installed)
	}
	r.Enabled, r.Trusted, r.TrustsFolders = &enabled, &trusted, s.TrustsFolders
	if enabled.State == No {
		r.Problems = append(r.Problems, enabled.Message())
	}
	if len(r.Installed) > 1 {
		var at []Scope
		for _, site := range r.Installed {
			at = append(at, site.Scope)
		}
		switch s.repeatsIn(at...) {
		case RunsOnce:
			r.Notes = append(r.Notes, message.New(h.Title+" is connected in two scopes, but runs the identical command line only once"))
		case RunsTwice:
			r.Notes = append(r.Notes, message.New(h.Title+" is connected in two scopes and calls checkrein twice", message.Do("uninstall one of them")))
		default:
			r.Notes = append(r.Notes, message.New(h.Title+" is connected in two scopes and may call checkrein twice", message.Do("uninstall one of them")))
		}
	}
	for _, line := range m.crossLoadWarnings(s, h, m.allInstalledFiles(s, h)) {
		r.Notes = append(r.Notes, message.New(line))
	}
}

// filesRead returns the files from which checkrein reads hooks.
func (m *Machine) filesRead() []string {
	if m.Reads == nil {
		return nil
	}
	return m.Reads()
}

// hookFileNotes returns a note for each hook file that both the host and checkrein read. The host may
// skip the hooks in such a file, because of a setting or for lack of trust; checkrein always runs
// them.
func (m *Machine) hookFileNotes(s *Spec, h *wire.Host) (out []message.Message) {
	const twice = ": they run twice then, unless you leave the file out of checkrein's include"
	for _, path := range m.filesRead() {
		f, near := hostfiles.FindSymlinked(path, m.Home, m.Getenv, m.Project)
		if f == nil || !near {
			continue
		}
		src, err := ReadHostFile(path)
		events := f.ForeignHooks(src)
		known := slices.ContainsFunc(events, func(event string) bool { return h.FindEvent(event) != nil })
		line := ""
		switch {
		case err != nil || len(events) == 0:
		case f.Host == h.Name && known && f.Placed:
			line = "%s also runs the hooks of %s itself, once you trust them there" + twice
		case f.Host == h.Name && known:
			line = "%s runs the hooks of %s itself, so checkrein runs them on other agents only"
		case !slices.Contains(s.Loads, f.Host):
		case !s.TrustsFolders:
			line = "%s may also run the hooks of %s itself" + twice
		case IsWithin(m.Project, path):
			line = "%s also runs the hooks of %s itself in a folder that you trust there" + twice
		}
		if line != "" {
			out = append(out, message.New(fmt.Sprintf(line, h.Title, m.ShortPath(path))))
		}
	}
	return out
}

// eachProjectFile calls visit for each existing project file that the host reads. It does nothing if
// the project is the home directory.
func (m *Machine) eachProjectFile(host string, visit func(path string, f *hostfiles.File, text []byte)) {
	if m.Project == m.Home {
		return // the files there are the user's own
	}
	for i := range hosts.Files {
		f := (*hostfiles.File)(&hosts.Files[i])
		if f.Host != host || f.Where&hosts.Project == 0 {
			continue
		}
		paths, _ := filepath.Glob(filepath.Join(m.Project, filepath.FromSlash(f.Path))) // patterns of the table are valid
		for _, path := range paths {
			if src, err := ReadHostFile(path); err == nil && src != nil {
				visit(path, f, src)
			}
		}
	}
}

// addGone adds a message to site.gone that what install wrote to path is missing, with what as the
// description. It does nothing if old has no record of the file.
func (m *Machine) addGone(site *Site, s *Spec, old *record, path, what string) {
	if old.findFile(path) == nil {
		return
	}
	scope := s.Name + " --scope " + string(site.Scope)
	site.gone = append(site.gone, message.New(fmt.Sprintf("%s: %s (installed on %s)", m.ShortPath(path), what, old.Time.Format(time.DateOnly)),
		message.Run("checkrein install "+scope, "to restore it"), message.Run("checkrein uninstall "+scope, "if this was intended")))
}

// checkSite checks a host's files for one scope. It skips the files in seen, which belong to a scope
// that was checked before, and adds the others to seen.
func (m *Machine) checkSite(s *Spec, h *wire.Host, scope Scope, seen map[string]bool) (Site, error) {
	site := Site{Scope: scope, Files: []SiteFile{}, Events: []string{}}
	if s.Files == nil {
		return site, nil
	}
	old, err := m.loadRecord(s.Name, scope)
	if err != nil {
		return site, err
	}
	want, err := m.wantedEntries(s, h, scope, old.Events)
	if err != nil {
		return site, err
	}
	files, err := m.scopeFiles(s, h, scope, want)
	if err != nil {
		return site, err
	}
	var unlinked []string
	var without []string
	for _, f := range files {
		if seen[f.Path] {
			continue
		}
		seen[f.Path] = true
		src, err := ReadHostFile(f.Path)
		if err != nil {
			site.addProblem(fmt.Sprintf("%s: %v", m.ShortPath(f.Path), err))
			continue
		}
		if e, ok := baseForm(f.Form).(*PluginList); ok {
			if !e.listsPlugin(src) {
				unlinked = append(unlinked, f.Path)
			}
			if later := e.pluginsAfter(src); len(later) > 0 {
				site.addNote(fmt.Sprintf("plugins that load after checkrein's plugin can change what it has already checked: %s", strings.Join(later, ", ")))
			}
		}
		if src == nil {
			m.addGone(&site, s, &old, f.Path, "the file is missing")
			continue
		}
		if f.Mode&0o111 != 0 {
			if err := checkRunnable(f.Path); err != nil {
				site.addProblem(fmt.Sprintf("%s %v, so %s skips it", m.ShortPath(f.Path), err, h.Title), message.Run("checkrein install "+s.Name, "to repair it"))
			}
		}
		have, err := f.Form.Find(src)
		if err != nil {
			if old.findFile(f.Path) != nil {
				site.addProblem(fmt.Sprintf("%s: %v", m.ShortPath(f.Path), err))
			}
			continue
		}
		if p, ok := baseForm(f.Form).(Manifest); ok && p.isOwnSource(src) { // it has no entries
			continue
		}
		if len(have) == 0 {
			if _, ok := baseForm(f.Form).(*PluginList); !ok { // it has no entries, and was checked above
				m.addGone(&site, s, &old, f.Path, "checkrein's hooks are missing")
			}
			without = append(without, f.Path)
			continue
		}
		site.addFile(f.Path, have)
	}
	if len(site.Files) == 0 {
		return site, nil
	}
	for _, path := range unlinked {
		site.addProblem(m.ShortPath(path)+" does not list the plugin", message.Run("checkrein install "+s.Name, "to repair it"))
	}
	m.compareSite(&site, s, want, without)
	m.noteDrift(&site, s, h, old.Events)
	return site, nil
}

// noteDrift adds a note for each file that differs from what install would write now. It assumes the
// program and the directories that the file names.
func (m *Machine) noteDrift(site *Site, s *Spec, h *wire.Host, extra []string) {
	if len(site.Programs) != 1 || len(site.Missing) > 0 {
		return
	}
	same := *m
	same.Program = site.Programs[0]
	if l := site.lines[0]; l.Config != "" && l.State != "" { // checkPins reports other directories
		same.Config, same.State = l.Config, state.NewDir(l.State)
	}
	want, err := same.wantedEntries(s, h, site.Scope, extra)
	if err != nil {
		return
	}
	files, err := same.scopeFiles(s, h, site.Scope, want)
	if err != nil {
		return
	}
	for _, f := range files {
		src, err := ReadHostFile(f.Path)
		if err != nil || src == nil {
			continue
		}
		if out, err := f.Form.Put(src, f.Want); err == nil && !bytes.Equal(out, src) {
			site.addNote(m.ShortPath(f.Path)+" differs from what this version would write", message.Run("checkrein install "+s.Name, "to update it"))
		}
	}
}

func (s *Site) addProblem(what string, remedies ...message.Remedy) {
	s.Problems = append(s.Problems, message.New(what, remedies...))
}

func (s *Site) addNote(what string, remedies ...message.Remedy) {
	s.Notes = append(s.Notes, Note{Message: message.New(what, remedies...)})
}

// addFile adds a file with its entries, and their events.
func (s *Site) addFile(path string, have []Entry) {
	s.Files = append(s.Files, SiteFile{Path: path, Entries: have})
	for _, e := range have {
		if !slices.Contains(s.Events, e.Event) {
			s.Events = append(s.Events, e.Event)
		}
	}
}

// compareSite compares a site with the entries that install would write, and adds notes and problems.
// without lists the files that have no entries.
func (m *Machine) compareSite(site *Site, s *Spec, want []Entry, without []string) {
	for _, w := range want {
		if !slices.Contains(site.Events, w.Event) {
			site.Missing = append(site.Missing, w.Event)
			if w.Closed {
				site.Gates = append(site.Gates, w.Event)
			}
		}
	}
	if len(site.Missing) > 0 {
		site.addNote("not connected: "+strings.Join(site.Missing, ", "), message.Run("checkrein install "+s.Name, "to add them"))
		site.Notes[len(site.Notes)-1].Missing = true
	}
	if s.Agents {
		for _, path := range without {
			site.addNote(m.ShortPath(path)+" has no checkrein hooks, so nothing guards that agent", message.Run("checkrein install "+s.Name, "to add them"))
		}
	}
	for _, f := range site.Files {
		for _, e := range f.Entries {
			if e.Narrowed != "" {
				site.addNote(fmt.Sprintf("%s does not always call checkrein: %s in %s", e.Event, e.Narrowed, m.ShortPath(f.Path)))
				site.Notes[len(site.Notes)-1].Narrowed = e.Event
			}
			if l, ok := hostfiles.ParseLine(e.Command, s.Name); ok && !slices.Contains(site.lines, l) {
				site.lines = append(site.lines, l)
			}
		}
	}
	m.checkPins(site, s)
	for _, p := range site.Programs {
		m.checkProgram(site, s.Name, p)
	}
}

// checkPins sets site.Programs to the programs that the command lines name, and adds a message for
// each directory that they name but this terminal does not use.
func (m *Machine) checkPins(site *Site, s *Spec) {
	here := m.HookLine()
	for _, l := range site.lines {
		if !slices.Contains(site.Programs, l.Program) {
			site.Programs = append(site.Programs, l.Program)
		}
		for _, pin := range []struct{ flag, theirs, ours string }{{"--config", l.Config, here.Config}, {"--state", l.State, here.State}} {
			if pin.theirs == "" || pin.ours == "" || samePath(pin.theirs, pin.ours) {
				continue
			}
			note := fmt.Sprintf("the agent calls checkrein with %s %s, but this terminal uses %s: settings that you change here have no effect there", pin.flag, pin.theirs, pin.ours)
			if !slices.ContainsFunc(site.Elsewhere, func(m message.Message) bool { return m.What == note }) {
				site.Elsewhere = append(site.Elsewhere, message.New(note, message.Run("checkrein install "+s.Name+" --scope "+string(site.Scope), "to make the agent use this terminal's directories")))
			}
		}
	}
}

// samePath reports whether a and b lead to the same file or directory.
func samePath(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// checkProgram adds problems and notes about program, which the host would call.
func (m *Machine) checkProgram(site *Site, host, program string) {
	install := "checkrein install " + host + " --scope " + string(site.Scope)
	path := program
	if !filepath.IsAbs(path) {
		if path = m.lookPath(path); path == "" {
			site.addProblem(fmt.Sprintf("the program %s is not in your PATH", program), message.Run(install, "to write its full path into the agent's configuration"))
			return
		}
	}
	if err := checkRunnable(path); err != nil {
		site.addProblem(fmt.Sprintf("the program %s %v", path, err), message.Do("put it there"), message.Run(install, "to name this one"))
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if beside := filepath.Join(filepath.Dir(real), executableName(companion)); checkRunnable(beside) != nil {
		site.addProblem(fmt.Sprintf("%s is not in the same directory as %s, so hooks that need it fail", companion, path), message.Do("install both in the same directory"))
	}
	if m.Program == "" {
		return
	}
	this, err := os.Stat(m.Program)
	that, err2 := os.Stat(path)
	if err == nil && err2 == nil && !os.SameFile(this, that) {
		site.addNote(fmt.Sprintf("the agent calls %s, not the checkrein that is running now (%s)", path, m.Program))
	}
}
