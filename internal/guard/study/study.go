// Package study finds out what a tool call does, whatever the tool is called: which commands, code and
// deletions it contains, in which directories they may run, and what their effects are. All builtins
// share one study of a call.
package study

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/shell/scriptfile"
	"github.com/checkrein/checkrein/internal/shell/windows"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A PartReport is one thing that a call runs or deletes, with its effects.
type PartReport struct {
	Command string // the command, for display
	Report  shell.Report
	Place   shell.Place // the place for which it was judged
}

// A CallEnv describes the environment in which calls run.
type CallEnv struct {
	Dir  string // the session's directory
	Home string
	// DirArgs returns the names of arguments with which the host's own tools set the working
	// directory; nil means that none are known.
	DirArgs func(host string) []string
	Environ []string // the hook's environment, inherited from the host
	// Wrote reports whether an earlier call of the session wrote the file path; nil means that this
	// is unknown.
	Wrote func(path string) bool
	// Secret returns the file whose secrets an earlier call of the session put into the file path; see
	// [shell.Place.Secret]. It may be nil.
	Secret func(path string) (source string, partial bool)
	// Moved returns the calls with which the session moved files before; nil means that there are none.
	Moved func() []*shell.Call
	Seen  *seen.Seen

	Over func() bool // reports whether no time is left; nil means that there is no limit
}

// NewCallEnv returns the environment in which the programs of a call run.
func NewCallEnv(c *builtin.Call) CallEnv {
	g := CallEnv{Dir: c.Dir, Home: c.Machine.Home, DirArgs: c.Machine.DirArgs, Environ: c.Variables()}
	if c.Machine.Earlier != nil {
		w := &sessionWrites{ev: &c.Event, home: c.Machine.Home, load: c.Machine.Earlier, sought: c.Machine.Sought}
		g.Wrote, g.Secret, g.Moved = w.wrote, w.secret, w.moveCalls
		if also := c.Machine.WrittenInside; also != nil {
			g.Wrote = func(path string) bool { return w.wrote(path) || also(path) }
		}
	}
	return g
}

// getenv returns the value of an environment variable; "" if it is not set.
func (g *CallEnv) getenv(name string) string { v, _ := environ.Lookup(g.Environ, name); return v }

// worstPart returns the worst part of a call in any place where it may run, because only the host
// knows the actual one. It returns false if nothing in the call runs or is deleted.
func worstPart(ev *checkrein.Event, at CallEnv) (PartReport, bool) {
	all, ok := JudgeAll(ev, at, nil)
	var out PartReport
	for i := range all {
		if i == 0 || isWorse(&all[i].Report, &out.Report) {
			out = all[i]
		}
	}
	return out, ok
}

// JudgeAll judges each part of a call in each place where it may run, by the builtin rules and those
// of own. It returns false if nothing in the call runs or is deleted.
func JudgeAll(ev *checkrein.Event, at CallEnv, own []*shell.RuleSet) ([]PartReport, bool) {
	t := ev.Tool
	if t == nil {
		return nil, false
	}
	at.Seen = seen.ForEvent(ev)
	parts := Parts(t, tools.Runs|tools.DeletePath|tools.Dir|tools.Unread)
	isShell := CanonicalName(t) == "shell"
	settings := slices.DeleteFunc(Parts(t, tools.WritePath), func(p tools.Part) bool { return hostfiles.FindCommandFile(p.Text) == nil })
	if len(parts) == 0 && len(settings) == 0 {
		return nil, isShell
	}
	var out []PartReport
	list, all := Places(ev, at, parts)
	if !all {
		out = limitReport(t, &list[0], "names more directories than checkrein can check")
	}
	for _, place := range list {
		place.Packs, place.Real = own, ResolveParents
		for i := range parts {
			if at.Over != nil && at.Over() {
				return append(out, limitReport(t, &place, "takes too long to check in the time allowed")...), true
			}
			s := Study{}
			if len(own) == 0 {
				s = Analyze(&parts[i], t, &place, &at)
			} else {
				s = newStudy(&parts[i], t, &place, &at)
			}
			out = append(out, s.all...)
			out = append(out, judgePlanted(s.Planted, t, &place, &at)...)
		}
		out = append(out, judgePlanted(PlantedCommands(t, settings, &place), t, &place, &at)...)
		out = append(out, judgeDeletions(parts, t, &place)...)
	}
	return out, isShell || len(out) > 0
}

// Parts returns the arguments of t that have a role in want, in the order in which they are written.
// Other arguments are not decoded.
func Parts(t *checkrein.Tool, want tools.Role) []tools.Part {
	return tools.PartsOf(t.Name, t.Canonical, t.Input, want)
}

// CanonicalName returns the canonical name of t, from t.Canonical if that is set, or "" if it has
// none.
func CanonicalName(t *checkrein.Tool) string {
	if t.Canonical != "" {
		return t.Canonical
	}
	return tools.CanonicalTool(t.Name)
}

// isWorse reports whether the report a is worse than b.
func isWorse(a, b *shell.Report) bool { return shell.IsWorse(a.Label, a.Impact, b.Label, b.Impact) }

// EffectKey returns a key for what the call of ev does. Calls with the same effects have the same key.
// It returns "" if ev is not a tool call.
func EffectKey(ev *checkrein.Event, at CallEnv) string {
	if ev.Tool == nil {
		return ""
	}
	j, ok := worstPart(ev, at)
	if !ok {
		paths := ev.Tool.Paths()
		slices.Sort(paths)
		return CanonicalName(ev.Tool) + "\x00" + ev.Tool.Name + "\x00" + strings.Join(paths, "\x00")
	}
	var parts []string
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		if e.Label != j.Report.Label {
			continue
		}
		part := e.Row().Name + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Paths)), "\x01") + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Hosts)), "\x01")
		switch {
		case e.Subject != "":
			part += e.Subject
		case len(e.Paths)+len(e.Hosts) == 0:
			part += strings.Join(strings.Fields(e.Words), " ")
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return "shell\x00" + strings.Join(slices.Compact(parts), "\x00")
}

// CallPlace returns the place where the call of ev runs according to its arguments.
func CallPlace(ev *checkrein.Event, at CallEnv) shell.Place {
	list, _ := Places(ev, at, Parts(ev.Tool, tools.Dir))
	return list[len(list)-1]
}

// Limits of the work for one call, whose parts are judged in each directory.
const (
	maxPlaces = 8
	maxWork   = 2 << 20 // bytes of all parts in all places
	partWork  = 1 << 10 // the minimum cost of a part
)

// placeLimit returns the maximum number of places in which parts are judged, so that the work is
// bounded.
func placeLimit(parts []tools.Part) int {
	work := 0
	for i := range parts {
		if parts[i].Role != tools.Dir {
			work += partWork + len(parts[i].Text)
		}
	}
	return min(max(maxWork/max(work, 1), 1), maxPlaces)
}

// Places returns the places where a call may run, and whether these are all. If the host is known to
// honour the argument that names a directory, only that directory counts. Otherwise the host may
// ignore the argument, so that the session's directory counts as well.
func Places(ev *checkrein.Event, at CallEnv, parts []tools.Part) (list []shell.Place, complete bool) {
	base := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home, Kind: pathKind, List: listDir, Getenv: at.getenv, Secret: at.Secret, Moved: at.Moved}
	base.Repo = recordRepo(seen.ForEvent(ev), func(dir string) *shell.Repo { return gitconfig.Read(dir, at.Home, os.Environ()) })
	var obeyed []string
	if at.DirArgs != nil && !strings.HasPrefix(CanonicalName(ev.Tool), "mcp:") {
		obeyed = at.DirArgs(ev.Host)
	}
	room := placeLimit(parts)
	out := make([]shell.Place, 1, 2)
	out[0], complete = base, true
	for _, honoured := range [...]bool{true, false} {
		for i := range parts {
			p := &parts[i]
			if p.Role != tools.Dir || slices.Contains(obeyed, p.Key) != honoured {
				continue
			}
			place := base
			if place.Dir = p.Text; place.Dir == "~" || strings.HasPrefix(place.Dir, "~/") {
				place.Dir = at.Home + place.Dir[1:]
			} else if !filepath.IsAbs(place.Dir) {
				place.Dir = filepath.Join(base.Dir, place.Dir)
			}
			switch {
			case honoured && len(out) == 1:
				out[0] = place
			case !slices.ContainsFunc(out, func(have shell.Place) bool { return have.Dir == filepath.Clean(place.Dir) }):
				if len(out) >= room {
					return out, false
				}
				out = append(out, place)
			}
		}
	}
	return out, complete
}

// pathKind returns what is at path, without following a symlink.
func pathKind(path string) shell.PathKind {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return shell.NoPath
	case info.IsDir():
		return shell.PathDir
	}
	return shell.PathFile
}

// listDir returns the entries of dir, and whether these are all. A directory that does not exist has
// none.
func listDir(dir string) ([]shell.Entry, bool) {
	f, err := OpenNonblock(dir) // dir may be a pipe
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	list, err := f.ReadDir(shell.MaxEntries + 1)
	if err != nil && err != io.EOF {
		return nil, false
	}
	all := len(list) <= shell.MaxEntries
	list = list[:min(len(list), shell.MaxEntries)]
	out := make([]shell.Entry, len(list))
	for i, e := range list {
		out[i] = shell.Entry{Name: e.Name(), Dir: e.IsDir(), Link: e.Type()&fs.ModeSymlink != 0}
	}
	return out, all
}

// recordRepo returns a function that calls read and records its results in notes.
func recordRepo(notes *seen.Seen, read func(dir string) *shell.Repo) func(dir string) *shell.Repo {
	if notes == nil {
		return read
	}
	return func(dir string) *shell.Repo {
		r := read(dir)
		if r == nil {
			notes.AddRepo(seen.Repo{Dir: dir, None: true})
			return nil
		}
		notes.AddRepo(seen.Repo{Dir: dir, Head: r.Head, Settings: r.SettingsText})
		if known := r.Default; known != nil {
			r.Default = func(remote string) string {
				ref := known(remote)
				notes.AddDefault(dir, seen.Default{Remote: remote, Ref: ref})
				return ref
			}
		}
		return r
	}
}

// A Study describes what one part of a call does.
type Study struct {
	List  []PartReport // the effects without those of the files that it runs
	Read  []PartReport // the effects including those of the files that it runs; nil if it runs none
	all   []PartReport // all of these effects; see [classify.WithFiles]
	Calls []Text       // its own calls, and those of nested commands
	// ReadCalls are Calls and the calls in files that it runs; nil if it runs none.
	ReadCalls []Text
	// OnlyReads reports, for each call with effects, whether none of them changes anything. Effects
	// of redirections do not count.
	OnlyReads map[*shell.Call]bool
	// Written holds the files that it writes and whose whole contents it contains, by path.
	Written map[string][]byte
	Planted []tools.Part // commands that agents will run because it writes them into their settings
	Reads   []string     // the files that it names and would run
	Repos   []string     // the directories whose repositories were read

	judged []*judgement
}

// A Text holds the calls of one shell text.
type Text struct {
	Dir   string // the directory in which they start
	Calls []*shell.Call
}

// A studyCache holds the studies of one event. Builtins, denial memory and grants share it, possibly
// concurrently.
type studyCache struct {
	mu   sync.Mutex
	list []*cachedStudy
}

// A cachedStudy is a study that is computed once.
type cachedStudy struct {
	input           []byte // the call's arguments; kept so that their address stays unique
	text, dir, home string
	lang            string
	role            tools.Role
	once            sync.Once
	study           Study
}

// studyCacheKey is the type of the key for the studyCache in [seen.Seen].
type studyCacheKey struct{}

// Analyze returns the study of the part p of a call in a place: without the files that it runs and, if
// there may be some, with them. Each study of an event is computed once.
func Analyze(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *CallEnv) Study {
	all, _ := at.Seen.LoadOrMake(studyCacheKey{}, func() any { return new(studyCache) }).(*studyCache)
	if all == nil || len(t.Input) == 0 {
		return newStudy(p, t, place, at)
	}
	one := all.findOrAdd(p, t, place)
	if one == nil {
		return newStudy(p, t, place, at)
	}
	one.once.Do(func() { one.study = newStudy(p, t, place, at) })
	return one.study
}

// findOrAdd returns the entry for the part p in a place, and adds it if it is missing. It returns nil
// if the cache is full.
func (all *studyCache) findOrAdd(p *tools.Part, t *checkrein.Tool, place *shell.Place) *cachedStudy {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.list {
		if len(s.input) == len(t.Input) && &s.input[0] == &t.Input[0] && s.role == p.Role && s.lang == p.Lang && s.text == p.Text && s.dir == place.Dir && s.home == place.Home {
			return s
		}
	}
	if len(all.list) >= maxPlaces*4 {
		return nil
	}
	s := &cachedStudy{input: t.Input, text: p.Text, dir: place.Dir, home: place.Home, lang: p.Lang, role: p.Role}
	all.list = append(all.list, s)
	return s
}

// newStudy computes the study of the part p in a place.
func newStudy(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *CallEnv) Study {
	s := judgeWithFiles(p, t, place, at)
	for _, path := range slices.Sorted(maps.Keys(s.Written)) {
		s.Planted = addPlanted(s.Planted, path, s.Written[path], place)
	}
	return s
}

// judgeWithFiles returns the study of the part p in a place, except for what follows from the files that it writes.
func judgeWithFiles(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *CallEnv) Study {
	var s Study
	where := *place
	where.Real = ResolveParents
	if place.Repo != nil {
		where.Repo = func(dir string) *shell.Repo {
			s.Repos = append(s.Repos, dir)
			return place.Repo(dir)
		}
	}
	where.Written = s.addWritten
	own := judge(p, t, where, place.Repo, nil)
	s.List, s.Calls, s.OnlyReads, s.Reads, s.judged = own.reports, own.calls, own.onlyReads, own.reads, []*judgement{own}
	s.all = s.List
	if !slices.ContainsFunc(s.Reads, func(path string) bool { return scriptfile.IsFile(path) && len(OwnPrograms(path)) == 0 }) {
		return s
	}
	files := scriptfile.Reader{OnRead: at.Seen.AddFile, Wrote: at.Wrote, Skip: func(path string) bool {
		return len(OwnPrograms(path)) > 0 // checkrein's commands are known, even if its program is a script
	}}
	where.Wrote = at.Wrote
	with := judge(p, t, where, place.Repo, files.Read)
	s.Read, s.ReadCalls, s.judged = with.reports, with.calls, append(s.judged, with)
	s.OnlyReads = maps.Clone(s.OnlyReads)
	maps.Copy(s.OnlyReads, with.onlyReads)
	if len(s.Read) != len(s.List) {
		return s
	}
	s.all = slices.Clone(s.List)
	for i := range s.all {
		s.all[i].Report = classify.WithFiles(s.List[i].Report, s.Read[i].Report, place)
	}
	return s
}

// addWritten adds the file at path to those that the call writes; see [shell.Place.Written].
func (s *Study) addWritten(path, text string, whole bool) {
	if !whole {
		delete(s.Written, path)
		return
	}
	if s.Written == nil {
		s.Written = map[string][]byte{}
	}
	s.Written[path] = []byte(text)
}

// isRedirect reports whether e is the effect of a redirection of c.
func isRedirect(c *shell.Call, e *shell.Effect) bool {
	return len(e.Paths) == 1 && slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool {
		return strings.Contains(r.Op, ">") && strings.HasSuffix(e.Paths[0], strings.TrimLeft(r.Target.Text, "./~"))
	})
}

// readNone is a file reader that finds no file.
func readNone(string) (string, bool) { return "", false }

// JudgePart judges the part p of a call as if a shell ran it.
func JudgePart(p *tools.Part, t *checkrein.Tool, place *shell.Place) []PartReport {
	if p.Role == tools.Unread {
		return limitReport(t, place, "has more or deeper arguments than checkrein can check")
	}
	var out []PartReport
	for _, c := range partCommands(p, t) {
		out = append(out, newPartReports(c.shown, classifyCommand(c, *place), place)...)
	}
	return out
}

// A command is the shell command for a part of a call.
type command struct {
	text, shown string
	tool        string // the name of its tool or language, which suggests the dialect
	foreign     bool   // it may be a Windows command
}

// partCommands returns shell commands with the effect of the part p. Code becomes a command of the
// interpreter for its language or, if the call does not name the language, one command for each common
// interpreter.
func partCommands(p *tools.Part, t *checkrein.Tool) []command {
	switch p.Role {
	case tools.Command, tools.Argv:
		return []command{{p.Text, p.Text, cmp.Or(p.Lang, t.Name), true}}
	case tools.SQL: // any client will do, since only the statements matter
		return []command{{text: "psql -c " + tools.Quote(p.Text), shown: p.Text}}
	case tools.Code:
		var out []command
		for _, text := range CodeCommands(p) {
			out = append(out, command{text: text, shown: p.Text})
		}
		if p.Lang == "python" || p.Lang == "" {
			if text := CellCommands(p.Text); text != "" {
				out = append(out, command{text, text, "", true})
			}
		}
		return out
	}
	return nil
}

// classifyCommand returns a report for each dialect in which c may be written. There is only one if
// the name of its tool or language determines the dialect.
func classifyCommand(c command, p shell.Place) []shell.Report {
	name := strings.ToLower(c.tool)
	named := strings.Contains(name, "powershell") || strings.Contains(name, "pwsh")
	if named {
		p.Dialect = shell.PowerShell
	}
	out := []shell.Report{classify.Command(c.text, p)}
	if !c.foreign || named {
		return out
	}
	if d := windows.GuessDialect(c.text); d != shell.Bash {
		p.Dialect = d
		out = append(out, classify.Command(c.text, p))
		out[0] = dropSyntaxErrors(out[0])
	}
	return out
}

// dropSyntaxErrors returns r without effects of syntax errors, because the text is in another dialect,
// in which it is judged as well.
func dropSyntaxErrors(r shell.Report) shell.Report {
	own := func(e shell.Effect) bool { return e.Rule == shell.RuleSyntax }
	if !slices.ContainsFunc(r.Effects, own) {
		return r
	}
	return shell.NewReport(slices.DeleteFunc(slices.Clone(r.Effects), own), 0)
}

// limitReport returns the report for a call of which a part is not judged because it exceeds a limit.
func limitReport(t *checkrein.Tool, place *shell.Place, reason string) []PartReport {
	return newPartReports(t.Name, []shell.Report{shell.NewReport([]shell.Effect{shell.LimitEffect(t.Name, reason)}, 0)}, place)
}

// newPartReports returns a PartReport with the command text for each report in list.
func newPartReports(text string, list []shell.Report, place *shell.Place) []PartReport {
	out := make([]PartReport, len(list))
	for i := range list {
		out[i] = PartReport{shortenCommand(text), list[i], *place}
	}
	return out
}

// maxShown is the maximum length of a command that is displayed.
const maxShown = 1000

// shortenCommand shortens s to about maxShown bytes. It cuts between words, because a part of a secret
// would not be recognised as one. If the last word is long, it redacts secrets first.
func shortenCommand(s string) string {
	if len(s) <= maxShown {
		return s
	}
	if at := strings.LastIndexAny(s[:maxShown], " \t\n"); at > maxShown/2 {
		return strings.ToValidUTF8(s[:at], "") + " …"
	}
	s = secret.Redactor{}.MaskText(s[:min(len(s), 5*maxShown)])
	return strings.ToValidUTF8(s[:min(len(s), maxShown)], "") + " …"
}

// interpreters lists commands that run code in an argument.
var interpreters = [...]struct{ lang, command string }{
	{"python", "python3 -c "}, {"javascript", "node -e "}, {"applescript", "osascript -e "}, {"julia", "julia -e "}, {"lua", "lua -e "},
	{"perl", "perl -e "}, {"php", "php -r "}, {"r", "Rscript -e "}, {"ruby", "ruby -e "},
}

// CodeCommands returns commands that run the code p with the interpreter for its language, or with
// common interpreters if the language is unknown.
func CodeCommands(p *tools.Part) []string {
	var out []string
	for i, in := range interpreters {
		if in.lang == p.Lang || p.Lang == "" && i < 2 {
			out = append(out, in.command+tools.Quote(p.Text))
		}
	}
	return out
}

// CellCommands returns the lines of a notebook cell that run in a shell, or "": !cmd, %sx cmd, and all
// of a cell that begins with %%bash.
func CellCommands(code string) string {
	if !strings.ContainsAny(code, "!%") {
		return ""
	}
	var b strings.Builder
	whole := false
	for line := range strings.Lines(code) {
		text := strings.TrimSpace(line)
		switch {
		case whole:
			b.WriteString(line)
			continue
		case b.Len() == 0 && (strings.HasPrefix(text, "%%bash") || strings.HasPrefix(text, "%%sh") || strings.HasPrefix(text, "%%script")):
			whole = true
			continue
		}
		if _, rest, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "!") && strings.HasPrefix(strings.TrimSpace(rest), "!") {
			text = strings.TrimSpace(rest) // names = !ls
		}
		for _, mark := range [...]string{"!", "%sx ", "%system ", "%sc "} {
			if rest, ok := strings.CutPrefix(text, mark); ok {
				b.WriteString(strings.TrimLeft(rest, "!"))
				b.WriteByte('\n')
				break
			}
		}
	}
	return b.String()
}

// A pathBatch judges the paths of a call, as operands of a command, in batches.
type pathBatch struct {
	place *shell.Place
	out   []PartReport
	shown string // the tool's name
	each  string // the option to put before each path

	words, said strings.Builder
	n, all      int
}

// Limits for the paths of one call. A batch has at most as many as an effect can list.
const (
	maxBatch = shell.MaxPaths
	maxSwept = 64 * maxBatch
)

// add adds a path. It returns false if there are too many.
func (s *pathBatch) add(command, path string) bool {
	if s.all++; s.all > maxSwept {
		return false
	}
	if s.n == maxBatch {
		s.flush(command)
	}
	s.n++
	s.words.WriteString(" " + s.each)
	s.words.WriteString(tools.Quote(expandHome(path, s.place)))
	if s.said.Len() < maxShown {
		s.said.WriteByte(' ')
		s.said.WriteString(path)
	}
	return true
}

// flush judges the paths added since the last call.
func (s *pathBatch) flush(command string) {
	if s.n == 0 {
		return
	}
	s.out = append(s.out, PartReport{shortenCommand(s.shown + s.said.String()), classify.Command(command+s.words.String(), *s.place), *s.place})
	s.words.Reset()
	s.said.Reset()
	s.n = 0
}

// judgeDeletions judges the paths that a call deletes as if rm deleted them.
func judgeDeletions(parts []tools.Part, t *checkrein.Tool, place *shell.Place) []PartReport {
	command := "rm --"
	if slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.DeletePath && p.Tree }) {
		command = "rm -rf --"
	}
	return judgePaths(parts, tools.DeletePath, command, t, place)
}

// judgePaths judges the paths in parts with the given role as operands of command.
func judgePaths(parts []tools.Part, role tools.Role, command string, t *checkrein.Tool, place *shell.Place) []PartReport {
	s := pathBatch{place: place, shown: t.Name}
	for i := range parts {
		if parts[i].Role == role && !s.add(command, parts[i].Text) {
			return append(s.out, limitReport(t, place, "names more files than checkrein can check")...)
		}
	}
	s.flush(command)
	return s.out
}

// JudgeReads judges the files that a call reads as if cat read them, so that a read tool may not read
// a key that a shell command may not read.
func JudgeReads(ev *checkrein.Event, at CallEnv) []PartReport {
	if ev.Tool == nil {
		return nil
	}
	switch name := CanonicalName(ev.Tool); {
	case name == "list", name == "glob", strings.HasPrefix(name, "mcp:") && isListTool(ev.Tool.Name): // these tools return names only
		return nil
	}
	parts := Parts(ev.Tool, tools.ReadPath|tools.Dir)
	if !slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.ReadPath }) {
		return nil
	}
	var out []PartReport
	list, _ := Places(ev, at, parts)
	for i := range list {
		place := shell.Place{Dir: list[i].Dir, Root: list[i].Root, Home: list[i].Home, Real: ResolveParents}
		out = append(out, judgePaths(parts, tools.ReadPath, "cat --", ev.Tool, &place)...)
	}
	return out
}

// isListTool reports whether the tool name suggests that it lists or describes files without returning
// their contents.
func isListTool(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, "__")+1:])
	for _, word := range [...]string{"list", "tree", "file_info", "stat", "exists"} {
		if strings.Contains(name, word) {
			return !strings.Contains(name, "read")
		}
	}
	return false
}

// expandHome expands a leading ~ in path, which a shell would not expand in quotes.
func expandHome(path string, place *shell.Place) string {
	if place.Home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return place.Home + path[1:]
	}
	return path
}
