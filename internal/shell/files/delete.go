package files

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// treeDelete is the outcome of deleting a directory with all that it holds.
var treeDelete = [...]verdict{
	inNowhere: lost, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: high, inHistory: high, inProject: medium, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: high,
}

// fileDelete is the outcome of deleting a file.
var fileDelete = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: high, inHistory: high, inProject: low, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: high,
}

// deleted is the outcome of deleting what lies at a spot.
func deleted(s spot, tree bool) verdict {
	v := fileDelete[s.zone]
	if tree {
		v = treeDelete[s.zone]
	}
	switch {
	case s.zone == inNowhere && s.bare && tree:
		// With an empty variable "$X/*" is the root.
		return high
	case s.zone == inNowhere && s.made:
		return unsure
	case s.zone == inTempRoot && s.hole:
		return maybe
	case s.zone == inGenerated && s.kind != "":
		return medium
	case s.own && s.mayMake():
		return safe
	case knownHosts(&s) && !tree:
		return low
	case s.zone == inHomeOther && s.kind == "" && !s.many && !s.hole && strings.Contains(s.path, "/Downloads/"):
		if tree && !archive(s.path) {
			return medium
		}
		return low
	case s.zone == inProject && s.kind == "" && (!s.deep || kept(s.path)) && litter(s.path, tree),
		s.aged && s.kind == "" && (s.zone == inTempRoot || s.zone == inHomeDots && strings.HasSuffix(strings.TrimSuffix(s.path, "/*"), "/.cache")):
		return safe
	case s.zone == inProject && !tree && (s.many || s.kind != "" || precious(s.path)):
		return medium
	}
	return v
}

// knownHosts reports whether a spot is the list of hosts that ssh has met: it grows
// again, and is no key.
func knownHosts(s *spot) bool {
	return s.kind == kindKeys && !s.many && !s.hole && (strings.HasSuffix(s.path, "/.ssh/known_hosts") || strings.HasSuffix(s.path, "/.ssh/known_hosts.old"))
}

// archive reports whether a name is that of one file, as downloads have it.
func archive(p string) bool {
	switch strings.ToLower(p[strings.LastIndexByte(p, '.')+1:]) {
	case "zip", "gz", "tgz", "bz2", "xz", "tar", "7z", "rar", "dmg", "pkg", "deb", "rpm", "iso", "exe", "msi", "pdf", "csv", "json", "jar", "whl", "apk", "appimage", "crdownload", "part":
		return true
	}
	return false
}

// mayMake reports whether a text that makes something at a spot makes it anew:
// what it makes is then its own. Directories that every machine has are not.
func (s *spot) mayMake() bool {
	switch s.zone {
	case inProject, inGenerated, inTemp, inHomeOther, inOutside, inNowhere:
		return s.kind == ""
	}
	return false
}

// precious reports whether a file of the project is likely to be its only copy.
func precious(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	if strings.HasPrefix(name, ".env") {
		return true
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "db", "sqlite", "sqlite3", "sql", "pem", "key", "tfstate":
		return true
	}
	return false
}

// milder is a verdict with a prompt before it.
func milder(v verdict) verdict {
	switch v {
	case high, lost:
		return medium
	case medium:
		return low
	}
	return v
}

// rm deletes files, and directories with -r.
func (j *job) rm() {
	var o program.Walk
	o.Start(j.c)
	var tree, asks bool
	var targets int
	// Options may follow the files, so that they are read first.
	for o.Next() {
		switch o.Name {
		case "":
			targets++
		case "r", "R", "recursive", "no-preserve-root", program.UnknownOption:
			tree = true
		case "f", "force":
			asks = false
		case "i", "I":
			asks = true
		case "interactive":
			asks = !o.HasArg || o.Arg.Text != "never" && o.Arg.Text != "no" && o.Arg.Text != "none"
		}
	}
	asks = asks && j.c.In == nil && len(j.c.Redir) == 0
	if targets == 0 {
		j.fed(&deletes)
		return
	}
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		if spots := listed(o.Arg, j); spots != nil {
			for _, s := range spots {
				j.mark(&deletes, s, deleted(s, true))
			}
			continue
		}
		s := j.spot(o.Arg)
		j.passed(&s, o.Arg.Text, tree)
		v := worst(deleted(s, tree), j.movedThere(o.Arg.Text))
		if s.own && s.zone == inHistory && s.kind == "" && path.Base(s.path) == ".git" && strings.Contains(strings.TrimPrefix(path.Clean(o.Arg.Text), "/"), "/") {
			v = safe // the history of a copy that the text fetched
		}
		if asks {
			v = milder(v)
		}
		if v == unsure && len(o.Arg.From) > 0 && !s.made {
			v = lost // whatever a program prints is deleted
		}
		j.mark(&deletes, s, v)
	}
	if j.out == nil {
		j.note(little, "delete", shell.FSDelete, "delete-nothing", "deletes without naming anything")
	}
}

// movedThere is the outcome of deleting what the same text moved to a path: the
// files themselves go, wherever they lie by then.
func (j *job) movedThere(text string) verdict {
	v := safe
	for i := range j.c.Files[:min(len(j.c.Files), maxPaths)] {
		f := &j.c.Files[i]
		if f.Path != text && path.Clean(f.Path) != path.Clean(text) && !within(path.Clean(f.Path), path.Clean(text)) {
			continue
		}
		for _, c := range f.From {
			if program.FilesOf(c.Name) != program.FilesMv {
				continue
			}
			from := newJob(c, j.p)
			for _, w := range readTransfer(c).sources {
				v = worst(v, deleted(from.spot(w), true))
			}
		}
	}
	return v
}

// fed is a deletion whose targets come from elsewhere, or from nowhere.
func (j *job) fed(a *act) {
	if j.c.In != nil {
		if spots := listedBy(j.c.In.From, j); spots != nil {
			for _, s := range spots {
				j.mark(a, s, deleted(s, true))
			}
			return
		}
		j.mark(a, spot{}, lost)
		return
	}
	j.note(little, a.kind, a.category, a.rule+"-nothing", a.verb+" files that the command does not name")
}

// listed are the spots of a word that is the output of a program that lists
// files; nil when it is not.
func listed(w shell.Word, j *job) []spot {
	if len(w.From) == 0 {
		return nil
	}
	if strings.TrimSpace(w.Text) != holeText && !(w.Glob && printsFound(w.From)) {
		return nil
	}
	// A thousand words may be what one find printed.
	if !slices.Equal(w.From, j.lists.from) {
		j.lists.from, j.lists.spots = w.From, listedBy(w.From, j)
	}
	return j.lists.spots
}

// printsFound reports whether one of the calls is find: then a pattern in the
// word is only a guess at what it prints, and the call says it better.
func printsFound(calls []*shell.Call) bool {
	for _, c := range calls {
		if c == nil {
			continue
		}
		if kind := program.FilesOf(c.Name); kind == program.FilesFind || kind == program.FilesFd {
			return true
		}
	}
	return false
}

// listedBy are the spots that the last of some calls lists. Filters in between
// make them fewer, never more.
func listedBy(calls []*shell.Call, j *job) []spot {
	picked := ""
	for i, c := range calls {
		if c == nil {
			return nil
		}
		switch kind := program.FilesOf(c.Name); {
		case program.Is(c.Name, program.IsLineFilter):
			continue
		case kind == program.FilesFind:
			reps, aged := findTargets(c, &j.base, picked)
			f := readFind(c, &j.base)
			reps, _ = j.led(&f, reps)
			spots := make([]spot, 0, len(reps))
			for _, r := range reps {
				spots = append(spots, j.searched(r, aged))
			}
			return spots
		case kind == program.FilesFd:
			f := readFd(c)
			spots := make([]spot, 0, len(f.reps))
			for _, r := range f.reps {
				spots = append(spots, j.searched(r, false))
			}
			return spots
		case program.Is(c.Name, program.IsGrep):
			if !lists(c) && i+1 < len(calls) {
				picked = narrower(picked, pickedBy(c))
				continue // picks from what the one before it lists
			}
		}
		return listedNames(c, j)
	}
	return nil
}

// pickedBy is a pattern for the lines that grep lets through; "" = any.
func pickedBy(c *shell.Call) string {
	p := ""
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "vfc"), strings.HasPrefix(t, "--inv"):
			return ""
		case p == "" && t != "" && t[0] != '-':
			p = plainRegex(t)
		}
	}
	if !madeAgain(p) {
		return ""
	}
	return p
}

// searched is the spot of a pattern that stands for what a search finds.
func (j *job) searched(pattern string, aged bool) spot {
	s := j.base.locate(pattern)
	s.deep, s.aged = true, aged
	return s
}

// listedNames are the spots that ls, grep -l and git ls-files print.
func listedNames(c *shell.Call, j *job) []spot {
	switch {
	case program.Is(c.Name, program.IsLister):
		var spots []spot
		for i := range c.Args {
			if t := c.Args[i].Text; t != "" && t[0] != '-' {
				s := j.base.locate(t)
				s.many = true
				spots = append(spots, s)
			}
		}
		if spots == nil {
			spots = append(spots, j.base.locate("*"))
		}
		return spots
	case program.Is(c.Name, program.IsGrep):
		if lists(c) {
			s := j.base.locate("./listed")
			s.path, s.many = "", true
			return []spot{s}
		}
	case program.Is(c.Name, program.IsGit):
		if len(c.Args) > 0 {
			switch c.Args[0].Text {
			case "ls-files", "diff", "diff-tree", "grep":
				s := j.base.locate("./listed")
				s.path, s.many = "", true
				return []spot{s}
			}
		}
	}
	return nil
}

// lists reports whether a search prints only names of files, and looks for them
// below the working directory.
func lists(c *shell.Call) bool {
	names := false
	for i := range c.Args {
		t := c.Args[i].Text
		if strings.HasPrefix(t, "--files") || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "lL") {
			names = true
		}
		if i > 0 && (strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~") || strings.HasPrefix(t, "..")) {
			return false
		}
	}
	return names
}

// rmdir deletes empty directories, which loses nothing. Windows' rmdir /s is
// rm -r, and del deletes files.
func (j *job) rmdir(files bool) {
	tree := false
	for i := range j.c.Args {
		tree = tree || strings.EqualFold(j.c.Args[i].Text, "/s")
	}
	for i := range j.c.Args {
		w := j.c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || len(w.Text) <= 3 && len(w.Text) > 1 && w.Text[0] == '/' && (tree || files) {
			continue
		}
		s := j.spot(w)
		v := safe
		switch {
		case tree || files:
			v = deleted(s, tree)
		case s.zone == inNowhere:
			v = little
		}
		j.mark(&deletes, s, v)
	}
	if j.out == nil {
		j.note(little, "delete", shell.FSDelete, "delete-nothing", "deletes without naming anything")
	}
}

// unlink deletes one file.
func (j *job) unlink() {
	for i := range j.c.Args {
		if w := j.c.Args[i]; w.Text != "" && w.Text != "--" {
			spots := listed(w, j)
			if spots == nil {
				spots = []spot{j.spot(w)}
			}
			for _, s := range spots {
				j.mark(&deletes, s, deleted(s, false))
			}
		}
	}
	if len(j.c.Args) == 0 {
		j.fed(&deletes)
	}
}

// shred overwrites files so that nothing can bring them back.
func (j *job) shred() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		s := j.spot(o.Arg)
		a := &shreds
		v := deleted(s, true)
		switch {
		case s.zone == inDevice && disk(s.path):
			a, v = &raw, high
		case s.own && v == safe:
		case v.label() == shell.Safe:
			v = low
		case s.zone == inNowhere:
			v = lost
		}
		j.mark(a, s, v)
	}
	if j.out == nil {
		j.fed(&shreds)
	}
}
