package study

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
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

// judge says what a call does, whatever its tool is called; false when nothing in
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

// JudgeAll says it of each part in each place, with packs of the person's own.
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
	return checkrein.CanonicalTool(t.Name)
}

// PlaceOf is where the call says that it runs.
func PlaceOf(ev *checkrein.Event, at Ground) shell.Place {
	all := PlacesOf(ev, at, Parts(ev.Tool, tools.Dir))
	return all[len(all)-1]
}

// What is judged of one call: each part in each directory.
const (
	maxPlaces = 8
	maxWork   = 2 << 20 // bytes of parts in all of them
	partWork  = 1 << 10 // what a part costs however short it is
)

// PlacesOf is places without whether there are more.
func PlacesOf(ev *checkrein.Event, at Ground, parts []tools.Part) []shell.Place {
	list, _ := Places(ev, at, parts)
	return list
}

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

// kindOf says what lies at a path.
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

// listOf says what a directory holds, and whether that is all.
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

// reports classifies a command in every language that it may be of, where the name
// of its tool or language does not say it.
func reports(command string, p shell.Place, tool string) []shell.Report {
	name := strings.ToLower(tool)
	if strings.Contains(name, "powershell") || strings.Contains(name, "pwsh") {
		p.Dialect = shell.PowerShell
		return []shell.Report{classify.Command(command, p)}
	}
	out := []shell.Report{classify.Command(command, p)}
	if d := windows.Looks(command); d != shell.Bash {
		p.Dialect = d
		out = append(out, classify.Command(command, p))
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
