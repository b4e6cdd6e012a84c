package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A verdict is the outcome of an act in a zone: a label and a radius in one
// number, so that tables of them are plain data.
type verdict uint8

// The verdicts.
const (
	safe   = verdict(shell.Safe)<<4 | verdict(shell.ImpactLow)
	low    = verdict(shell.Destructive)<<4 | verdict(shell.ImpactLow)
	medium = verdict(shell.Destructive)<<4 | verdict(shell.ImpactMedium)
	high   = verdict(shell.Destructive)<<4 | verdict(shell.ImpactHigh)
	lost   = verdict(shell.Destructive)<<4 | verdict(shell.ImpactUnknown)
	little = verdict(shell.Unknown)<<4 | verdict(shell.ImpactLow)
	maybe  = verdict(shell.Unknown)<<4 | verdict(shell.ImpactMedium)
	grave  = verdict(shell.Unknown)<<4 | verdict(shell.ImpactHigh)
	unsure = verdict(shell.Unknown)<<4 | verdict(shell.ImpactUnknown)
)

func (v verdict) label() shell.Label   { return shell.Label(v >> 4) }
func (v verdict) radius() shell.Impact { return shell.Impact(v & 15) }

// An act is something that can be done to a path.
type act struct {
	verb     string // as in "deletes the whole project"
	kind     string
	category shell.Category
	rule     string // the rule's id is this and the zone
}

// The acts.
var (
	deletes   = act{"deletes", "delete", shell.FSDelete, "delete"}
	shreds    = act{"shreds", "delete", shell.FSSecureDelete, "wipe"}
	empties   = act{"empties or overwrites", "overwrite", shell.FSOverwrite, "truncate"}
	overwrite = act{"overwrites", "overwrite", shell.FSOverwrite, "overwrite"}
	writes    = act{"writes", "write", shell.FSWrite, "write"}
	appends   = act{"appends to", "modify", shell.FSModify, "append"}
	edits     = act{"changes", "modify", shell.FSModify, "edit"}
	moves     = act{"moves", "move", shell.FSModify, "move"}
	replaces  = act{"silently replaces", "overwrite", shell.FSModify, "replace"}
	links     = act{"puts a link in place of", "overwrite", shell.FSModify, "link"}
	creates   = act{"creates or touches", "write", shell.FSWrite, "create"}
	mirrors   = act{"overwrites and prunes", "delete", shell.FSModify, "mirror"}
	rights    = act{"changes the permissions of", "chmod", shell.FSPermissions, "rights"}
	owners    = act{"changes the owner of", "chown", shell.FSPermissions, "owner"}
	raw       = act{"writes directly to", "overwrite", shell.BlockDevice, "raw-write"}
	reads     = act{"reads", "read", shell.FSRead, "read"}
)

// A job is the work on one call.
type job struct {
	c     *shell.Call
	p     *shell.Place
	base  base
	out   []shell.Effect
	keys  []key // of out
	words string
	lists struct { // what the calls of the last word that was asked about list
		from  []*shell.Call
		spots []spot
	}
	search
}

// A search is how the paths of a job were found; the zero one names them itself.
type search struct {
	deep bool // by going through directories
	aged bool // and only what is old
}

// A key tells effects of a job apart.
type key struct {
	act  *act
	zone zone
	kind string
	v    verdict
}

func newJob(c *shell.Call, p *shell.Place) job {
	return job{c: c, p: p, base: baseOf(c, p)}
}

// spot locates a word.
func (j *job) spot(w shell.Word) spot {
	text := w.Text
	if len(w.From) > 0 {
		text = word(w, j.p)
	}
	if text == "" {
		return spot{}
	}
	s := j.base.locate(text)
	s.own, s.deep, s.aged = j.own(w.Text), j.deep, j.aged
	s.file = j.stands(&s) && !(globbed(text) && strings.HasSuffix(text, "/"))
	return s
}

// spots are those of a word that is written to: of what a program lists, each.
func (j *job) spots(w shell.Word) []spot {
	list := listed(w, j)
	if list == nil {
		if dir, ok := strings.CutSuffix(w.Text, "/"+holeText); ok && listsDirectory(w.From, dir) {
			w = shell.Word{Text: dir + "/*", Glob: true}
		}
		return []spot{j.spot(w)}
	}
	for i := range list {
		list[i].file = j.persons(&list[i]) // what is listed is there
	}
	if strings.TrimSpace(w.Text) != holeText {
		list = append(list, j.spot(w)) // it goes on behind what is listed
	}
	return list
}

// listsDirectory reports whether calls print the names in a directory.
func listsDirectory(calls []*shell.Call, dir string) bool {
	if len(calls) != 1 || calls[0] == nil || !program.Is(calls[0].Name, program.IsLister) {
		return false
	}
	for i := range calls[0].Args {
		if t := calls[0].Args[i].Text; t != "" && t[0] != '-' && path.Clean(t) == path.Clean(dir) {
			return true
		}
	}
	return false
}

// stands reports whether a spot is a file of a person that lies there by now, so
// that writing it loses something. Programs and what is kept for speed do not count.
func (j *job) stands(s *spot) bool {
	if s.hole || s.path == "" || s.own || !j.persons(s) {
		return false
	}
	if globbed(s.path) {
		return j.named(j.onDisk(s), s.deep)
	}
	return j.p != nil && j.p.Kind != nil && j.p.Kind(j.onDisk(s)) == shell.PathFile
}

// persons reports whether a spot is one where people keep files outside the project.
// Programs and what is kept for speed do not count.
func (j *job) persons(s *spot) bool {
	switch s.zone {
	case inHomeOther, inHomeDots, inOutside, inParent:
	default:
		return false
	}
	abs := j.onDisk(s)
	for _, dir := range [...]string{"/bin/", "/.cache/", "/.local/share/", "/.local/state/", "/.npm/", "/.cargo/", "/.rustup/", "/go/pkg/", "/node_modules/", "/.venv/"} {
		if strings.Contains(abs, dir) {
			return false
		}
	}
	return true
}

// own reports whether the same text made what a word names, or the directory
// that it lies in.
func (j *job) own(text string) bool {
	for i := range j.c.Files[:min(len(j.c.Files), maxPaths)] {
		f := &j.c.Files[i]
		if !f.Created || f.Path == "" {
			continue
		}
		if f.Path == text {
			return true
		}
		have, want := path.Clean(f.Path), path.Clean(text)
		if have == want && have != "." || within(want, have) && !strings.Contains(want, "..") {
			return true
		}
	}
	return false
}

// maxPaths bounds the paths of an effect.
const maxPaths = shell.MaxPaths

// mark adds the effect of an act on a spot. Equal ones become one.
func (j *job) mark(a *act, s spot, v verdict) {
	k := key{a, s.zone, s.kind, v}
	for i := range j.keys {
		if j.keys[i] == k {
			if e := &j.out[i]; len(e.Paths) < maxPaths && s.path != "" {
				e.Paths = append(e.Paths, s.path)
			}
			return
		}
	}
	e := shell.Effect{
		Label: v.label(), Kind: a.kind, Category: a.category, Impact: v.radius(),
		Rule: a.rule + "-" + s.zone.String(), Words: j.text(), Reason: reason(a, s),
	}
	if e.Label == shell.Destructive && e.Category == writes.category {
		e.Category = overwrite.category // what is written over is lost
	}
	if s.path != "" {
		e.Paths = []string{s.path}
	}
	j.keys = append(j.keys, k)
	j.out = append(j.out, e)
}

// reason is the sentence for people.
func reason(a *act, s spot) string {
	switch {
	case s.kind == "":
	case s.kind == kindCheckrein:
		return a.verb + " checkrein's own configuration or state"
	case s.kind == kindHost:
		return a.verb + " an agent's configuration"
	case knownHosts(&s):
		return a.verb + " SSH's list of known hosts"
	case s.kind == kindKeys:
		return a.verb + " SSH keys or the list of authorized keys"
	case s.kind == kindCloud:
		return a.verb + " stored credentials"
	case s.kind == kindShell:
		return a.verb + " a file that every new shell runs"
	case s.kind == kindHistory:
		return a.verb + " the shell's history"
	case s.kind == kindGitHooks:
		return a.verb + " Git's hooks or configuration"
	case s.kind == kindLogin:
		return a.verb + " files that decide who may log in"
	case s.kind == kindCron:
		return a.verb + " jobs that the system runs automatically"
	}
	if a.kind == "write" {
		switch s.zone {
		case inRoot:
			return "writes into the root directory"
		case inHome:
			return "writes into the home directory"
		case inProjectRoot:
			return "writes into the project"
		case inTempRoot:
			return "writes into the temporary directory"
		}
	}
	return a.verb + " " + s.zone.things()
}

// note adds an effect that is about no path.
func (j *job) note(v verdict, kind string, category shell.Category, rule, reason string) {
	j.keys = append(j.keys, key{})
	j.out = append(j.out, shell.Effect{
		Label: v.label(), Kind: kind, Category: category, Rule: rule,
		Impact: v.radius(), Words: j.text(), Reason: reason,
	})
}

// runs adds that another program runs, which is not followed here.
func (j *job) runs(rule, reason string) {
	j.note(unsure, "run", shell.Run, rule, reason)
}

// safely is a plain outcome without paths.
func (j *job) safely(category shell.Category, rule, reason string) {
	j.note(safe, "read", category, rule, reason)
	j.out[len(j.out)-1].Uncertain = j.c.MayHaveUnknownOption()
}

// maxWords bounds the words of an effect.
const maxWords = 200

// text is the call as it will run.
func (j *job) text() string {
	if j.words == "" {
		j.words = callText(j.c)
	}
	return j.words
}

func callText(c *shell.Call) string {
	n := len(c.Name)
	for i := range c.Args {
		n += 1 + len(c.Args[i].Text)
	}
	var b strings.Builder
	b.Grow(min(n, maxWords+4))
	b.WriteString(c.Name)
	for i := range c.Args {
		t := c.Args[i].Text
		if b.Len()+len(t) >= maxWords {
			b.WriteString(" …")
			break
		}
		b.WriteByte(' ')
		b.WriteString(t)
	}
	return b.String()
}
