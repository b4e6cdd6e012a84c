// Package study finds what a tool call does, whatever its tool is called: which commands,
// code and deletions are in it, in which directories they may run, and with what effect.
// One study of a call serves every builtin that asks about it.
package study

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/shell/scriptfile"
	"github.com/checkrein/checkrein/internal/shell/windows"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Judged part is one thing that a call runs or deletes, and what that does.
type Judged struct {
	Command string // for people
	Report  shell.Report
	Place   shell.Place // where it was judged
}

// A Ground is what is known of where calls run.
type Ground struct {
	Dir  string // the session's directory
	Home string
	// DirArgs lists the arguments by which a host's own tools take a directory, and
	// which it obeys; nil knows of none.
	DirArgs func(host string) []string
	Environ []string // of the hook, which is the host's
	// Wrote reports whether the session wrote a file before; nil knows of none.
	Wrote func(path string) bool
	Seen  *checkrein.Seen

	Over func() bool // no time is left; nil = there is always some
}

// GroundOf returns where the programs of a call run.
func GroundOf(c *builtin.Call) Ground {
	g := Ground{Dir: c.Dir, Home: c.Machine.Home, DirArgs: c.Machine.DirArgs, Environ: c.Variables()}
	if c.Machine.Earlier != nil {
		g.Wrote = (&writing{ev: &c.Event, home: c.Machine.Home, load: c.Machine.Earlier}).wrote
	}
	return g
}

func (g *Ground) getenv(name string) string { v, _ := environ.Lookup(g.Environ, name); return v }

// judge returns what a call does, whatever its tool is called; false when nothing in
// it runs or is deleted. Of several parts and places the worst counts: only the
// host knows which one it is.
func judge(ev *checkrein.Event, at Ground) (Judged, bool) {
	all, ok := JudgeAll(ev, at, nil)
	var out Judged
	for i := range all {
		if i == 0 || worse(&all[i].Report, &out.Report) {
			out = all[i]
		}
	}
	return out, ok
}

// JudgeAll judges each part in each place, with packs of the person's own.
func JudgeAll(ev *checkrein.Event, at Ground, own []*shell.RuleSet) ([]Judged, bool) {
	t := ev.Tool
	if t == nil {
		return nil, false
	}
	at.Seen = ev.Seen
	parts := Parts(t, tools.Runs|tools.DeletePath|tools.Dir|tools.Unread)
	isShell := Canonical(t) == "shell"
	if len(parts) == 0 {
		return nil, isShell
	}
	var out []Judged
	list, all := Places(ev, at, parts)
	if !all {
		out = exceeds(t, &list[0], "names more directories than checkrein can check")
	}
	for _, place := range list {
		place.Packs, place.Real = own, ThroughLinks
		for i := range parts {
			if at.Over != nil && at.Over() {
				return append(out, exceeds(t, &place, "takes too long to check in the time allowed")...), true
			}
			if len(own) == 0 {
				out = append(out, Of(&parts[i], t, &place, &at).all...)
			} else {
				out = append(out, newStudy(&parts[i], t, &place, &at).all...)
			}
		}
		out = append(out, judgeDeleted(parts, t, &place)...)
	}
	return out, isShell || len(out) > 0
}

// Parts returns what the arguments of a call are, as far as they have a wanted role,
// in the order in which they are written. Others are not even decoded.
func Parts(t *checkrein.Tool, want tools.Role) []tools.Part {
	return tools.Of(t.Name, t.Canonical, t.Input, want)
}

// Canonical is the tool's name in our words, whether or not someone has filled
// it in.
func Canonical(t *checkrein.Tool) string {
	if t.Canonical != "" {
		return t.Canonical
	}
	return tools.Canonical(t.Name)
}

func worse(a, b *shell.Report) bool { return shell.Worse(a.Label, a.Radius, b.Label, b.Radius) }

// EffectKey names what a tool call does, so that another way to do the same has
// the same key; "" = it does nothing that could be told apart.
func EffectKey(ev *checkrein.Event, at Ground) string {
	if ev.Tool == nil {
		return ""
	}
	j, ok := judge(ev, at)
	if !ok {
		paths := ev.Tool.Paths()
		slices.Sort(paths)
		return Canonical(ev.Tool) + "\x00" + ev.Tool.Name + "\x00" + strings.Join(paths, "\x00")
	}
	var parts []string
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		if e.Label != j.Report.Label {
			continue
		}
		part := e.Row().Name + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Paths)), "\x01") + "\x01" + strings.Join(slices.Sorted(slices.Values(e.Hosts)), "\x01")
		switch {
		case e.On != "":
			part += e.On
		case len(e.Paths)+len(e.Hosts) == 0:
			part += strings.Join(strings.Fields(e.Words), " ")
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return "shell\x00" + strings.Join(slices.Compact(parts), "\x00")
}

// PlaceOf is where the call says that it runs.
func PlaceOf(ev *checkrein.Event, at Ground) shell.Place {
	list, _ := Places(ev, at, Parts(ev.Tool, tools.Dir))
	return list[len(list)-1]
}

// What is judged of one call: each part in each directory.
const (
	maxPlaces = 8
	maxWork   = 2 << 20 // bytes of parts in all of them
	partWork  = 1 << 10 // what a part costs however short it is
)

// roomFor is in how many places the parts of a call can be judged.
func roomFor(parts []tools.Part) int {
	work := 0
	for i := range parts {
		if parts[i].Role != tools.Dir {
			work += partWork + len(parts[i].Text)
		}
	}
	return min(max(maxWork/max(work, 1), 1), maxPlaces)
}

// Places are those where a call may run, and whether these are all. An argument
// that names a directory counts alone where the host is known to obey it; elsewhere
// it may be one that the host ignores, so that both count.
func Places(ev *checkrein.Event, at Ground, parts []tools.Part) (list []shell.Place, all bool) {
	base := shell.Place{Dir: at.Dir, Root: ev.Session.Root, Home: at.Home, Kind: kindOf, List: listOf, Getenv: at.getenv}
	base.Repo = seenRepo(ev.Seen, func(dir string) *shell.Repo { return gitconfig.Read(dir, at.Home, os.Environ()) })
	var obeyed []string
	if at.DirArgs != nil && !strings.HasPrefix(Canonical(ev.Tool), "mcp:") {
		obeyed = at.DirArgs(ev.Host)
	}
	room := roomFor(parts)
	out := make([]shell.Place, 1, 2)
	out[0], all = base, true
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
	return out, all
}

// kindOf returns what lies at a path.
func kindOf(path string) shell.PathKind {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return shell.NoPath
	case info.IsDir():
		return shell.PathDir
	}
	return shell.PathFile
}

// listOf returns what a directory holds, and whether that is all.
func listOf(dir string) ([]shell.Entry, bool) {
	f, err := OpenNoWait(dir) // it may be a pipe
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

// seenRepo is a reader of repositories whose answers are noted.
func seenRepo(seen *checkrein.Seen, read func(dir string) *shell.Repo) func(dir string) *shell.Repo {
	if seen == nil {
		return read
	}
	return func(dir string) *shell.Repo {
		r := read(dir)
		if r == nil {
			seen.Repo(checkrein.SeenRepo{Dir: dir, None: true})
			return nil
		}
		seen.Repo(checkrein.SeenRepo{Dir: dir, Head: r.Head, Settings: r.SettingsText})
		if known := r.Default; known != nil {
			r.Default = func(remote string) string {
				ref := known(remote)
				seen.Default(dir, checkrein.SeenDefault{Remote: remote, Ref: ref})
				return ref
			}
		}
		return r
	}
}

// A Study is what one part of a call does, as it stands.
type Study struct {
	List  []Judged // without the files that it runs
	Read  []Judged // with them; nil = it runs none
	all   []Judged // both: see [classify.WithFiles]
	Calls []Text   // its own calls, and those of texts that these run
	// ReadCalls are the calls with those of the files that it runs; nil = it runs none.
	ReadCalls []Text
	// OnlyReads holds the calls that have effects, and whether all of these, redirections
	// aside, leave everything as it is.
	OnlyReads map[*shell.Call]bool
	Reads     []string // the files that it would run, as far as it names them itself
	Repos     []string // the directories whose repositories it asked about
}

// A Text is the calls of one text for a shell.
type Text struct {
	Dir   string // where they start
	Calls []*shell.Call
}

// studies are those of one event: several builtins ask about each of its parts, at the
// same time too, and so do denial memory and whoever binds a grant.
type studies struct {
	mu   sync.Mutex
	list []*oneStudy
}

// oneStudy is a study, or the wait for it.
type oneStudy struct {
	input           []byte // of the call; held, so that no other has its address
	text, dir, home string
	lang            string
	role            tools.Role
	once            sync.Once
	study           Study
}

type studiesKey struct{}

// Of is JudgePart, once for all who ask about the same call: first without the
// files that it runs, and where there may be some, with them.
func Of(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) Study {
	all, _ := at.Seen.Kept(studiesKey{}, func() any { return new(studies) }).(*studies)
	if all == nil || len(t.Input) == 0 {
		return newStudy(p, t, place, at)
	}
	one := all.of(p, t, place)
	if one == nil {
		return newStudy(p, t, place, at)
	}
	one.once.Do(func() { one.study = newStudy(p, t, place, at) })
	return one.study
}

// of finds the study of a part in a place, or makes room for it; nil = there is none left.
func (all *studies) of(p *tools.Part, t *checkrein.Tool, place *shell.Place) *oneStudy {
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
	s := &oneStudy{input: t.Input, text: p.Text, dir: place.Dir, home: place.Home, lang: p.Lang, role: p.Role}
	all.list = append(all.list, s)
	return s
}

func newStudy(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) Study {
	var s Study
	where := *place
	where.Real = ThroughLinks
	runs := false
	if place.Repo != nil {
		where.Repo = func(dir string) *shell.Repo {
			s.Repos = append(s.Repos, dir)
			return place.Repo(dir)
		}
	}
	where.Read = func(path string) (string, bool) {
		s.Reads = append(s.Reads, path)
		runs = runs || scriptfile.IsFile(path) && len(OwnPrograms(path)) == 0
		return "", false
	}
	where.Calls = func(dir string, calls []*shell.Call) { s.Calls = append(s.Calls, Text{dir, calls}) }
	s.OnlyReads = map[*shell.Call]bool{}
	where.Effect = func(c *shell.Call, e *shell.Effect) {
		if !isRedirect(c, e) {
			reads, ok := s.OnlyReads[c]
			s.OnlyReads[c] = (reads || !ok) && (e.Reads() || e.Kind == "read")
		}
	}
	s.List = JudgePart(p, t, &where)
	release(s.List, place, readNone)
	s.all = s.List
	if !runs {
		return s
	}
	files := scriptfile.Reader{Seen: at.Seen.File, Wrote: at.Wrote, Skip: func(path string) bool {
		return len(OwnPrograms(path)) > 0 // what our commands do is known, also behind a wrapper of our name
	}}
	where.Read, where.Wrote = files.Read, at.Wrote
	where.Calls = func(dir string, calls []*shell.Call) { s.ReadCalls = append(s.ReadCalls, Text{dir, calls}) }
	s.Read = JudgePart(p, t, &where)
	release(s.Read, place, files.Read)
	if len(s.Read) != len(s.List) {
		return s
	}
	s.all = slices.Clone(s.List)
	for i := range s.all {
		s.all[i].Report = classify.WithFiles(s.List[i].Report, s.Read[i].Report, place)
	}
	return s
}

// isRedirect reports whether an effect is that of a redirection of a call.
func isRedirect(c *shell.Call, e *shell.Effect) bool {
	return len(e.Paths) == 1 && slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool {
		return strings.Contains(r.Op, ">") && strings.HasSuffix(e.Paths[0], strings.TrimLeft(r.Target.Text, "./~"))
	})
}

// release lets go of what notes files and repositories: whoever asks later asks for
// itself.
func release(list []Judged, place *shell.Place, read func(string) (string, bool)) {
	for i := range list {
		list[i].Place.Repo, list[i].Place.Read = place.Repo, read
		list[i].Place.Calls, list[i].Place.Effect = nil, nil
	}
}

func readNone(string) (string, bool) { return "", false }

// JudgePart judges one thing that a call runs, as what a shell would run.
func JudgePart(p *tools.Part, t *checkrein.Tool, place *shell.Place) []Judged {
	if p.Role == tools.Unread {
		return exceeds(t, place, "has more or deeper arguments than checkrein can check")
	}
	var out []Judged
	for _, c := range commandsOf(p, t) {
		out = append(out, judgeReports(c.shown, reports(c, *place), place)...)
	}
	return out
}

// A command is what a shell would run in the stead of a part of a call.
type command struct {
	text, shown string
	tool        string // its tool or language, by which its own language is guessed
	foreign     bool   // it may be of Windows
}

// commandsOf returns the commands that a part of a call stands for: code is run in its
// language, and in the usual ones where the call does not say which it is.
func commandsOf(p *tools.Part, t *checkrein.Tool) []command {
	switch p.Role {
	case tools.Command, tools.Argv:
		return []command{{p.Text, p.Text, cmp.Or(p.Lang, t.Name), true}}
	case tools.SQL: // any client would do: the statements decide
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

// reports classifies a command in every language that it may be of, where the name
// of its tool or language does not say it.
func reports(c command, p shell.Place) []shell.Report {
	name := strings.ToLower(c.tool)
	named := strings.Contains(name, "powershell") || strings.Contains(name, "pwsh")
	if named {
		p.Dialect = shell.PowerShell
	}
	out := []shell.Report{classify.Command(c.text, p)}
	if !c.foreign || named {
		return out
	}
	if d := windows.Looks(c.text); d != shell.Bash {
		p.Dialect = d
		out = append(out, classify.Command(c.text, p))
		out[0] = withoutSyntax(out[0])
	}
	return out
}

// withoutSyntax drops from a report that a shell cannot read the text: it is in
// another language, and judged in that one too.
func withoutSyntax(r shell.Report) shell.Report {
	own := func(e shell.Effect) bool { return e.Rule == shell.RuleSyntax }
	if !slices.ContainsFunc(r.Effects, own) {
		return r
	}
	return shell.NewReport(slices.DeleteFunc(slices.Clone(r.Effects), own), 0)
}

// exceeds is what is known of a call of which a part is not looked at.
func exceeds(t *checkrein.Tool, place *shell.Place, reason string) []Judged {
	return judgeReports(t.Name, []shell.Report{shell.NewReport([]shell.Effect{shell.Exceeds(t.Name, reason)}, 0)}, place)
}

func judgeReports(text string, list []shell.Report, place *shell.Place) []Judged {
	out := make([]Judged, len(list))
	for i := range list {
		out[i] = Judged{clipped(text), list[i], *place}
	}
	return out
}

// maxShown is how much of what was judged people are shown.
const maxShown = 1000

// clipped cuts what is shown between words, since half a secret would not be known for
// one; where the last word is long, it is masked first.
func clipped(s string) string {
	if len(s) <= maxShown {
		return s
	}
	if at := strings.LastIndexAny(s[:maxShown], " \t\n"); at > maxShown/2 {
		return strings.ToValidUTF8(s[:at], "") + " …"
	}
	s = secret.Redactor{}.Text(s[:min(len(s), 5*maxShown)])
	return strings.ToValidUTF8(s[:min(len(s), maxShown)], "") + " …"
}

// interpreters run code that is given as an argument.
var interpreters = [...]struct{ lang, command string }{
	{"python", "python3 -c "}, {"javascript", "node -e "}, {"applescript", "osascript -e "}, {"julia", "julia -e "}, {"lua", "lua -e "},
	{"perl", "perl -e "}, {"php", "php -r "}, {"r", "Rscript -e "}, {"ruby", "ruby -e "},
}

// CodeCommands are the commands that run code as its language does.
func CodeCommands(p *tools.Part) []string {
	var out []string
	for i, in := range interpreters {
		if in.lang == p.Lang || p.Lang == "" && i < 2 {
			out = append(out, in.command+tools.Quote(p.Text))
		}
	}
	return out
}

// CellCommands are the lines that notebooks hand to a shell: !cmd, %sx cmd, and all
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

// A sweep is the paths of a call as the words of one program, in batches.
type sweep struct {
	place *shell.Place
	out   []Judged
	shown string // the tool's name
	each  string // before every path

	words, said strings.Builder
	n, all      int
}

// What is swept of one call: batches are as long as effects list paths.
const (
	maxBatch = shell.MaxPaths
	maxSwept = 64 * maxBatch
)

// add takes in one path; false = there are too many.
func (s *sweep) add(command, path string) bool {
	if s.all++; s.all > maxSwept {
		return false
	}
	if s.n == maxBatch {
		s.flush(command)
	}
	s.n++
	s.words.WriteString(" " + s.each)
	s.words.WriteString(tools.Quote(inHome(path, s.place)))
	if s.said.Len() < maxShown {
		s.said.WriteByte(' ')
		s.said.WriteString(path)
	}
	return true
}

// flush judges the paths that are waiting.
func (s *sweep) flush(command string) {
	if s.n == 0 {
		return
	}
	s.out = append(s.out, Judged{clipped(s.shown + s.said.String()), classify.Command(command+s.words.String(), *s.place), *s.place})
	s.words.Reset()
	s.said.Reset()
	s.n = 0
}

// judgeDeleted judges what a call deletes, as rm would.
func judgeDeleted(parts []tools.Part, t *checkrein.Tool, place *shell.Place) []Judged {
	command := "rm --"
	if slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.DeletePath && p.Tree }) {
		command = "rm -rf --"
	}
	return swept(parts, tools.DeletePath, command, t, place)
}

// swept judges the paths of some role as the words of a command.
func swept(parts []tools.Part, role tools.Role, command string, t *checkrein.Tool, place *shell.Place) []Judged {
	s := sweep{place: place, shown: t.Name}
	for i := range parts {
		if parts[i].Role == role && !s.add(command, parts[i].Text) {
			return append(s.out, exceeds(t, place, "names more files than checkrein can check")...)
		}
	}
	s.flush(command)
	return s.out
}

// JudgeShown judges the files that a call shows, as cat would: a key is no more for
// a tool that reads files than for a shell.
func JudgeShown(ev *checkrein.Event, at Ground) []Judged {
	if ev.Tool == nil {
		return nil
	}
	switch name := Canonical(ev.Tool); {
	case name == "list", name == "glob", strings.HasPrefix(name, "mcp:") && listsOnly(ev.Tool.Name): // which show names
		return nil
	}
	parts := Parts(ev.Tool, tools.ReadPath|tools.Dir)
	if !slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.ReadPath }) {
		return nil
	}
	var out []Judged
	list, _ := Places(ev, at, parts)
	for i := range list {
		place := shell.Place{Dir: list[i].Dir, Root: list[i].Root, Home: list[i].Home, Real: ThroughLinks}
		out = append(out, swept(parts, tools.ReadPath, "cat --", ev.Tool, &place)...)
	}
	return out
}

// listsOnly reports whether a tool says by its name that it lists files, or tells
// about them, and shows nothing of what is in them.
func listsOnly(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, "__")+1:])
	for _, word := range [...]string{"list", "tree", "file_info", "stat", "exists"} {
		if strings.Contains(name, word) {
			return !strings.Contains(name, "read")
		}
	}
	return false
}

// inHome reads the ~ of a path, which shells do not where it is quoted.
func inHome(path string, place *shell.Place) string {
	if place.Home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return place.Home + path[1:]
	}
	return path
}
