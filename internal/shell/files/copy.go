package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A transfer is what mv, cp, ln and install are told.
type transfer struct {
	sources []shell.Word
	target  shell.Word
	force   bool // an existing target is replaced in any case
	spare   bool // an existing target is kept, or kept aside
	link    bool // -s
	hasDir  bool // -t gave the target
}

// readTransfer reads the arguments that mv, cp, ln and install share.
func readTransfer(c *shell.Call) transfer {
	var o program.Walk
	o.Start(c)
	var t transfer
	for o.Next() {
		switch o.Name {
		case "":
			t.sources = append(t.sources, o.Arg)
		case "f", "force", "remove-destination":
			t.force = true
		case "n", "no-clobber", "interactive", "b", "backup", "u", "update":
			t.spare = t.spare || o.Name != "n" || program.FilesOf(c.Name) != program.FilesLn
		case "i":
			t.spare = true
		case "t", "target-directory":
			t.target, t.hasDir = o.Arg, true
		case "s", "symbolic":
			t.link = true
		}
	}
	if t.hasDir {
		return t
	}
	if n := len(t.sources); n > 0 {
		t.target = t.sources[n-1]
		t.sources = t.sources[:n-1]
	}
	return t
}

// moveFrom is the outcome of moving something away from where it is.
var moveFrom = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: medium, inHomeOther: maybe,
	inProjectRoot: maybe, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: maybe,
	inParent: high, inOutside: maybe, inSink: high,
}

// mv moves files.
func (j *job) mv() {
	t := readTransfer(j.c)
	if len(t.sources) == 0 {
		j.note(little, "move", shell.FSModify, "move-nothing", "moves files without naming a destination")
		return
	}
	to := j.spot(t.target)
	for _, w := range t.sources {
		s := j.spot(w)
		if to.zone == inSink || to.zone == inDevice {
			j.mark(&deletes, s, worst(deleted(s, true), medium))
			continue
		}
		v := moveFrom[s.zone]
		switch {
		case s.zone == inSystem && s.soft:
			v = medium
		case s.own && s.mayMake():
			v = safe
		case s.kind != "" && s.zone != inGenerated:
			v = worst(v, guarded(s))
		case s.zone == inProjectRoot && !s.many:
			v = high
		case s.zone == inProjectRoot && (to.zone == inProject || to.zone == inGenerated):
			v = little
		}
		j.mark(&moves, s, v)
	}
	if to.zone != inSink && to.zone != inDevice {
		for _, to := range j.spots(t.target) {
			j.placed(to, t, true)
		}
	}
}

// worst is the worse of two verdicts.
func worst(a, b verdict) verdict {
	if a.label() > b.label() || a.label() == b.label() && a.radius().Weight() >= b.radius().Weight() {
		return a
	}
	return b
}

// placed marks the target of a copy or a move.
func (j *job) placed(to spot, t transfer, move bool) {
	a, v := j.outcome(&writeTo, &writes, to)
	if t.spare && v.label() == shell.Destructive && to.kind == "" && a != &raw {
		v = maybe
	}
	if t.force && !t.spare && to.zone == inProject && to.kind == "" && !to.own && !strings.HasSuffix(t.target.Text, "/") {
		a, v = &replaces, medium
		if !move {
			v = low
		}
	}
	j.mark(a, to, v)
	j.lands(to, t)
}

// lands marks what is protected of that which a copy, a move or a link makes in a
// directory: cp x/.bashrc ~.
func (j *job) lands(to spot, t transfer) {
	if to.kind != "" || !directory(to, t) && !j.isDirectory(&to) {
		return
	}
	for _, w := range t.sources {
		name := strings.TrimRight(w.Text, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		if name == "" || name[0] == '.' && strings.Trim(name, ".") == "" {
			continue
		}
		w.Text = strings.TrimRight(t.target.Text, "/") + "/" + name
		if s := j.spot(w); s.kind != "" {
			j.mark(&writes, s, guarded(s))
		} else if a, v := j.outcome(&writeTo, &writes, s); a == &overwrite && !t.spare && !globbed(t.target.Text) {
			j.mark(a, s, v) // one lies there
		}
	}
}

// isDirectory reports whether there is a directory at a spot by now.
func (j *job) isDirectory(s *spot) bool {
	return j.p != nil && j.p.Kind != nil && s.path != "" && !s.hole && !globbed(s.path) && !j.base.remote && j.p.Kind(j.onDisk(s)) == shell.PathDir
}

// directory reports whether the target of a transfer is surely one.
func directory(to spot, t transfer) bool {
	return t.hasDir || len(t.sources) > 1 || strings.HasSuffix(t.target.Text, "/") || t.target.Text == "." || strings.HasSuffix(t.target.Text, "..") ||
		to.zone == inHome || to.zone == inProjectRoot
}

// cp copies files.
func (j *job) cp() {
	t := readTransfer(j.c)
	if len(t.sources) == 0 {
		j.note(little, "write", shell.FSWrite, "copy-nothing", "copies files without naming a destination")
		return
	}
	to := j.spot(t.target)
	if hasLetter(j.c.Args, "ls") || has(j.c.Args, "--link", "--symbolic-link") {
		t.link = hasLetter(j.c.Args, "s") || has(j.c.Args, "--symbolic-link")
		j.aliases(t)
	}
	if len(t.sources) == 1 && keepsCopy(t.sources[0].Text, t.target.Text) && to.zone != inDevice {
		j.mark(&creates, to, safe)
		return
	}
	for _, to := range j.spots(t.target) {
		for _, w := range t.sources {
			switch {
			case w.Text == "/dev/null":
				j.emptied(to)
			case facts.Endless(w.Text):
				a, v := j.outcome(&emptyTo, &overwrite, to)
				j.mark(a, to, v)
			}
		}
		j.placed(to, t, false)
	}
}

// keepsCopy reports whether a copy is a backup of its source beside it: x.bak.
func keepsCopy(source, target string) bool {
	rest, ok := strings.CutPrefix(target, source)
	return ok && len(rest) > 1 && strings.IndexByte(".-_~", rest[0]) >= 0 && strings.IndexByte(rest, '/') < 0
}

// ln makes links. The target is what appears, so that is what may be replaced.
func (j *job) ln() {
	t := readTransfer(j.c)
	if len(t.sources) == 0 {
		j.note(safe, "write", shell.FSWrite, "link", "creates a link in the current directory")
		return
	}
	to := j.spot(t.target)
	j.aliases(t)
	j.lands(to, t)
	if !t.force || t.spare {
		v := safe
		switch to.zone {
		case inNowhere:
			v = little
		case inSystem, inHomeDots, inRoot, inDevice, inHistory:
			v = maybe
		}
		a := &creates
		if to.kind != "" {
			a, v = &links, guarded(to)
		}
		j.mark(a, to, v)
		return
	}
	if len(t.sources) == 1 && t.sources[0].Text == "/dev/null" && to.zone == inProject && to.kind == "" && !j.isDirectory(&to) {
		j.emptied(to)
		return
	}
	a, v := j.outcome(&writeTo, &links, to)
	switch to.zone {
	case inProject:
		if j.sourced(&to) {
			v = worst(v, medium)
		}
		if !to.own {
			v = worst(v, low)
		}
	case inSystem:
		v = worst(v, medium)
	}
	j.mark(a, to, v)
}

// aliased is what gives a file another name, under which it can be changed.
var aliased = act{"creates a link to", "link", shell.FSLink, "alias"}

// aliases marks what is protected of that which gets another name.
func (j *job) aliases(t transfer) {
	for _, w := range t.sources {
		s := j.spot(w)
		if t.link && w.Text != "" && w.Text[0] != '/' && w.Text[0] != '~' { // it is relative to where the link is
			dir := t.target.Text[:strings.LastIndexByte(t.target.Text, '/')+1]
			s = j.base.locate(dir + w.Text)
		}
		if s.kind != "" || s.zone == inHome || s.zone == inHomeDots || s.zone == inRoot {
			j.mark(&aliased, s, safe)
		}
	}
}

// install copies files and sets their rights.
func (j *job) install() {
	var o program.Walk
	o.Start(j.c)
	rights := ""
	for o.Next() {
		switch o.Name {
		case "d", "directory":
			j.create()
			return
		case "m", "mode":
			rights = o.Arg.Text
		}
	}
	t := readTransfer(j.c)
	if len(t.sources) == 0 {
		j.note(little, "write", shell.FSWrite, "copy-nothing", "installs files without naming a destination")
		return
	}
	to := j.spot(t.target)
	if len(t.sources) == 1 && t.sources[0].Text == "/dev/null" {
		j.emptied(to)
	}
	for _, to := range j.spots(t.target) {
		j.placed(to, transfer{sources: t.sources, target: t.target, hasDir: t.hasDir}, false)
	}
	if m := readMode(rights); m.suid {
		j.mark(&suid, to, worst(medium, writeTo[to.zone]))
	}
}

// suid is what install -m with a set-user-id bit does.
var suid = act{"sets the setuid bit on", "chmod", shell.FSPermissions, "suid"}

// rsync copies trees, and may delete on either side.
func (j *job) rsync() {
	var o program.Walk
	o.Start(j.c)
	var words []shell.Word
	var removes, takes, dry, follows bool
	for o.Next() {
		switch {
		case o.Name == "":
			words = append(words, o.Arg)
		case o.Name == "del" || strings.HasPrefix(o.Name, "delete"):
			removes = true
		case o.Name == "remove-source-files" || o.Name == "remove-sent-files":
			takes = true
		case o.Name == "K" || o.Name == "keep-dirlinks":
			follows = true
		case o.Name == "n" || o.Name == "dry-run" || o.Name == "list-only":
			dry = true
		case o.Name == "rsync-path" || (o.Name == "e" || o.Name == "rsh") && !strings.HasPrefix(o.Arg.Text, "ssh"):
			j.runs("rsync-program", "runs a program named in an option to transfer files")
		}
	}
	if dry {
		j.out, j.keys = nil, nil
		j.safely(shell.FSRead, "rsync-dry-run", "only shows what it would copy")
		return
	}
	if len(words) < 2 {
		j.safely(shell.FSRead, "rsync-list", "lists files")
		return
	}
	last := words[len(words)-1]
	if follows && !away(last.Text) && last.Text != "" {
		s := j.spot(last)
		if to, out := j.reached(&s, true); out && removes {
			j.mark(&mirrors, to, deleted(to, true))
		} else if out {
			to.file = true
			j.written(to)
		}
	}
	j.synced(words[:len(words)-1], last, removes, takes)
}

// synced marks what rsync does on both sides.
func (j *job) synced(sources []shell.Word, target shell.Word, removes, takes bool) {
	if takes {
		for _, w := range sources {
			if away(w.Text) {
				j.mark(&deletes, spot{path: w.Text, zone: inOutside}, high)
				continue
			}
			s := j.spot(w)
			j.mark(&deletes, s, deleted(s, true))
		}
	}
	if away(target.Text) {
		s := spot{path: target.Text, zone: inOutside}
		if removes {
			j.mark(&mirrors, s, mirrored(target.Text))
		} else {
			j.mark(&writes, s, maybe)
		}
		return
	}
	s := j.spot(target)
	if !removes {
		j.written(s)
		return
	}
	v := deleted(s, true)
	if v == medium && s.zone == inProject && s.kind == "" && !s.many && j.project(sources) {
		v = low // two directories of one project
	}
	j.mark(&mirrors, s, v)
}

// project reports whether all words name directories of the project that were
// there before and are not made to be empty.
func (j *job) project(words []shell.Word) bool {
	for _, w := range words {
		s := j.spot(w)
		if s.zone != inProject && s.zone != inGenerated || s.own || s.hole || s.many || strings.Contains(strings.ToLower(s.path), "empty") || strings.Contains(strings.ToLower(s.path), "blank") {
			return false
		}
	}
	return true
}

// mirrored is the outcome of making a directory of another machine like one of
// this: one that is not in production, and deep enough to be somebody's own, is
// asked for.
func mirrored(target string) verdict {
	if strings.Contains(target, holeText) {
		return high
	}
	target = strings.TrimPrefix(target, "rsync://")
	host, dir, _ := strings.Cut(target, ":")
	if strings.HasPrefix(dir, ":") || dir == "" {
		host, dir, _ = strings.Cut(strings.Replace(target, "::", "/", 1), "/")
	}
	if strings.Count(strings.Trim(path.Clean("/"+dir), "/"), "/") == 0 && !strings.HasPrefix(dir, "~/") || strings.Contains(dir, "..") {
		return high
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(host+"/"+dir), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		switch strings.TrimRight(word, "0123456789") {
		case "prod", "production", "prd", "live", "backup", "backups", "etc", "boot":
			return high
		}
	}
	return medium
}

// away reports whether rsync and scp take a word for a path on another machine.
func away(text string) bool {
	if strings.HasPrefix(text, "rsync://") {
		return true
	}
	colon := strings.IndexByte(text, ':')
	slash := strings.IndexByte(text, '/')
	return colon > 0 && (slash < 0 || colon < slash) && !(colon == 1 && letter(text[0]) && len(text) > 2 && text[2] == '\\')
}
