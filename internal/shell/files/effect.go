package files

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A verdict is the judgement of an act in a zone: a label and an impact in one number, so that tables
// of verdicts are plain data.
type verdict uint8

// The verdicts.
const (
	safe          = verdict(shell.Safe)<<4 | verdict(shell.ImpactLow)
	low           = verdict(shell.Destructive)<<4 | verdict(shell.ImpactLow)
	medium        = verdict(shell.Destructive)<<4 | verdict(shell.ImpactMedium)
	high          = verdict(shell.Destructive)<<4 | verdict(shell.ImpactHigh)
	unbounded     = verdict(shell.Destructive)<<4 | verdict(shell.ImpactUnknown)
	unknownLow    = verdict(shell.Unknown)<<4 | verdict(shell.ImpactLow)
	unknownMedium = verdict(shell.Unknown)<<4 | verdict(shell.ImpactMedium)
	unknownHigh   = verdict(shell.Unknown)<<4 | verdict(shell.ImpactHigh)
	unknownImpact = verdict(shell.Unknown)<<4 | verdict(shell.ImpactUnknown)
)

// label returns the label of v.
func (v verdict) label() shell.Label { return shell.Label(v >> 4) }

// impact returns the impact of v.
func (v verdict) impact() shell.Impact { return shell.Impact(v & 15) }

// An act is something that a program does to a path.
type act struct {
	verb     string // as in "deletes the whole project"
	kind     string
	category shell.Category
	rule     string // first part of the rule id; the zone follows
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
	rawWrites = act{"writes directly to", "overwrite", shell.BlockDevice, "raw-write"}
	reads     = act{"reads", "read", shell.FSRead, "read"}
)

// A job is the evaluation of one call. Its judge and add methods add effects to out.
type job struct {
	c     *shell.Call
	p     *shell.Place
	base  base
	out   []shell.Effect
	keys  []key // keys of out
	words string
	lists struct { // a cache of printedLocations for the sources of one word
		from  []*shell.Call
		spots []location
	}
	search
}

// A search describes how the paths of a job were found. In the zero search, the call names them.
type search struct {
	deep bool // by searching directories
	aged bool // only files that were not changed for a while
}

// A key identifies an effect of a job, so that paths with equal effects share one.
type key struct {
	act  *act
	zone zone
	kind string
	v    verdict
}

// newJob returns a job for c at p without effects.
func newJob(c *shell.Call, p *shell.Place) job {
	return job{c: c, p: p, base: newBase(c, p)}
}

// locateWord returns the location that w names, or the zero location if w is empty.
func (j *job) locateWord(w shell.Word) location {
	text := w.Text
	if len(w.From) > 0 {
		text = pathText(w, j.p)
	}
	if text == "" {
		return location{}
	}
	if isOpenedDescriptor(text) {
		text = placeholder
	}
	s := j.base.locate(text)
	s.createdHere, s.fromSearch, s.onlyOld = j.isCreatedHere(w.Text), j.deep, j.aged
	s.isFile = j.isUserFile(&s) && !(isGlob(text) && strings.HasSuffix(text, "/"))
	s.origin = j.findOrigin(&s)
	s.isListedOutside = s.zone == inNowhere && strings.TrimSpace(text) == placeholder && j.listsOutside(w.From, 0)
	return s
}

// isOpenedDescriptor reports whether path is a descriptor that the command itself opened, such as by
// exec 3<>FILE. Descriptors of pipes have larger numbers.
func isOpenedDescriptor(path string) bool {
	n, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		n, ok = strings.CutPrefix(path, "/proc/self/fd/")
	}
	return ok && len(n) == 1 && n[0] > '2' && n[0] <= '9'
}

// writeTargets returns the locations that are affected if w is written to. If w is the output of a
// program that lists files, these are the listed files.
func (j *job) writeTargets(w shell.Word) []location {
	list := listedLocations(w, j)
	if list == nil {
		if dir, ok := strings.CutSuffix(w.Text, "/"+placeholder); ok && isSingleListing(w.From, dir) {
			w = shell.Word{Text: dir + "/*", Glob: true}
		}
		return []location{j.locateWord(w)}
	}
	for i := range list {
		list[i].isFile = j.isUserArea(&list[i]) // listed files exist
	}
	if strings.TrimSpace(w.Text) != placeholder {
		list = append(list, j.locateWord(w)) // the word has more text than the output
	}
	return list
}

// isSingleListing reports whether calls is a single call that prints the names of the files in dir.
func isSingleListing(calls []*shell.Call, dir string) bool {
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

// isUserFile reports whether s is an existing file of the user outside the project, so that
// overwriting it loses something. Programs and caches do not count.
func (j *job) isUserFile(s *location) bool {
	if s.hasUnknown || s.path == "" || s.createdHere || !j.isUserArea(s) {
		return false
	}
	if isGlob(s.path) {
		return j.matchesFile(j.diskPath(s), s.fromSearch)
	}
	return j.p != nil && j.p.Kind != nil && j.p.Kind(j.diskPath(s)) == shell.PathFile
}

// isUserArea reports whether s is outside the project in a directory where users keep files. Programs
// and caches do not count.
func (j *job) isUserArea(s *location) bool {
	switch s.zone {
	case inHomeOther, inHomeDots, inOutside, inParent:
	default:
		return false
	}
	abs := j.diskPath(s)
	for _, dir := range [...]string{"/bin/", "/.cache/", "/.local/share/", "/.local/state/", "/.npm/", "/.cargo/", "/.rustup/", "/go/pkg/", "/node_modules/", "/.venv/"} {
		if strings.Contains(abs, dir) {
			return false
		}
	}
	return true
}

// isCreatedHere reports whether an earlier part of the same command created what text names, or a
// directory that contains it, or found that nothing exists there.
func (j *job) isCreatedHere(text string) bool {
	if slices.Contains(j.c.Absent, text) {
		return true
	}
	for i := range j.c.Files[:min(len(j.c.Files), maxPaths)] {
		f := &j.c.Files[i]
		if !f.Created || f.Path == "" {
			continue
		}
		if f.Path == text {
			return true
		}
		have, want := path.Clean(f.Path), path.Clean(text)
		if have == want && have != "." || isBelow(want, have) && !strings.Contains(want, "..") {
			return true
		}
	}
	return false
}

// maxPaths bounds the paths of an effect.
const maxPaths = shell.MaxPaths

// addEffect adds the effect of the act a on the location s. Paths with equal effects share one.
func (j *job) addEffect(a *act, s location, v verdict) {
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
		Label: v.label(), Kind: a.kind, Category: a.category, Impact: v.impact(),
		Rule: a.rule + "-" + s.zone.String(), Words: j.commandText(), Reason: effectReason(a, s),
	}
	if e.Label == shell.Destructive && e.Category == writes.category {
		e.Category = overwrite.category // the earlier contents are lost
	}
	if s.path != "" {
		e.Paths = []string{s.path}
	}
	j.keys = append(j.keys, k)
	j.out = append(j.out, e)
}

// effectReason returns a phrase for users that describes the act a on s, such as "deletes the whole
// project".
func effectReason(a *act, s location) string {
	switch {
	case s.origin != nil && a.kind == deletes.kind:
		return effectReason(a, *s.origin) + ", which were moved elsewhere before"
	case s.kind == "":
	case s.kind == kindCheckrein:
		return a.verb + " checkrein's own configuration or state"
	case s.kind == kindHost:
		return a.verb + " an agent's configuration"
	case isKnownHosts(&s):
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
	return a.verb + " " + s.zone.description()
}

// addPathless adds an effect without a path.
func (j *job) addPathless(v verdict, kind string, category shell.Category, rule, reason string) {
	j.keys = append(j.keys, key{})
	j.out = append(j.out, shell.Effect{
		Label: v.label(), Kind: kind, Category: category, Rule: rule,
		Impact: v.impact(), Words: j.commandText(), Reason: reason,
	})
}

// addRun adds the effect of running another program, which is not followed here.
func (j *job) addRun(rule, reason string) {
	j.addPathless(unknownImpact, "run", shell.Run, rule, reason)
}

// addSafe adds a safe effect without paths.
func (j *job) addSafe(category shell.Category, rule, reason string) {
	j.addPathless(safe, "read", category, rule, reason)
	j.out[len(j.out)-1].Uncertain = j.c.MayHaveUnknownOption()
}

// maxWords bounds the length of an effect's words in bytes.
const maxWords = 200

// commandText returns the words of the call, or of its redirection, for effects.
func (j *job) commandText() string {
	if j.words == "" {
		j.words = callText(j.c)
	}
	return j.words
}

// callText returns the name and the arguments of c, truncated to about maxWords bytes.
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
