package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A transfer holds the parsed arguments of mv, cp, ln or install.
type transfer struct {
	sources     []shell.Word
	target      shell.Word
	force       bool // an existing target is replaced without a prompt
	keepsTarget bool // an existing target is kept, or backed up
	link        bool // -s
	hasDir      bool // -t names the target directory
}

// parseTransfer returns the parsed arguments of c, a call of mv, cp, ln or install.
func parseTransfer(c *shell.Call) transfer {
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
			t.keepsTarget = t.keepsTarget || o.Name != "n" || program.FilesOf(c.Name) != program.FilesLn
		case "i":
			t.keepsTarget = true
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

// moveVerdicts lists the verdicts on moving something away from a zone.
var moveVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: medium, inHomeOther: unknownMedium,
	inProjectRoot: unknownMedium, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: unknownMedium,
	inParent: high, inOutside: unknownMedium, inSink: high,
}

// judgeMv judges mv, which moves files.
func (j *job) judgeMv() {
	t := parseTransfer(j.c)
	if len(t.sources) == 0 {
		j.addPathless(unknownLow, "move", shell.FSModify, "move-nothing", "moves files without naming a destination")
		return
	}
	to := j.locateWord(t.target)
	for _, w := range t.sources {
		s := j.locateWord(w)
		if to.zone == inSink || to.zone == inDevice {
			j.addEffect(&deletes, s, worseVerdict(deleteVerdict(s, true), medium))
			continue
		}
		v := moveVerdicts[s.zone]
		switch {
		case s.zone == inSystem && s.installed:
			v = medium
		case s.createdHere && s.allowsOwnFiles():
			v = safe
		case s.kind != "" && s.zone != inGenerated:
			v = worseVerdict(v, protectedVerdict(s))
		case s.isListedOutside:
			v = unbounded
		case s.zone == inProjectRoot && !s.isPattern:
			v = high
		case s.zone == inProjectRoot && (to.zone == inProject || to.zone == inGenerated):
			v = unknownLow
		case s.isOutsideProject():
			v = worseVerdict(v, lossVerdict(s, to))
		}
		j.addEffect(&moves, s, v)
	}
	if to.zone != inSink && to.zone != inDevice {
		for _, to := range j.writeTargets(t.target) {
			j.addCopyTarget(to, t, true)
		}
	}
}

// lossVerdict returns the verdict on moving s out of the places where users keep files: that of deleting
// s if to is a place that is emptied now and then, and medium if to is unknown.
func lossVerdict(s, to location) verdict {
	switch to.zone {
	case inTemp, inTempRoot, inGenerated:
		return deleteVerdict(s, true)
	case inNowhere:
		return promptedVerdict(deleteVerdict(s, true))
	}
	return safe
}

// worseVerdict returns the worse of a and b.
func worseVerdict(a, b verdict) verdict {
	if a.label() > b.label() || a.label() == b.label() && a.impact().Weight() >= b.impact().Weight() {
		return a
	}
	return b
}

// addCopyTarget adds the effect of the transfer t on its target to. move means that t is a move.
func (j *job) addCopyTarget(to location, t transfer, move bool) {
	a, v := j.lookupVerdict(&writeVerdicts, &writes, to)
	if t.keepsTarget && v.label() == shell.Destructive && to.kind == "" && a != &rawWrites {
		v = unknownMedium
	}
	if t.force && !t.keepsTarget && to.zone == inProject && to.kind == "" && !to.createdHere && !strings.HasSuffix(t.target.Text, "/") {
		a, v = &replaces, medium
		if !move {
			v = low
		}
	}
	j.addEffect(a, to, v)
	j.addProtectedTargets(to, t)
}

// addProtectedTargets adds the effects of the transfer t on protected and existing files in the
// directory to, as in cp x/.bashrc ~.
func (j *job) addProtectedTargets(to location, t transfer) {
	if to.kind != "" || !isTargetDir(to, t) && !j.isExistingDir(&to) {
		return
	}
	for _, w := range t.sources {
		name := strings.TrimRight(w.Text, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		if name == "" || name[0] == '.' && strings.Trim(name, ".") == "" {
			continue
		}
		w.Text = strings.TrimRight(t.target.Text, "/") + "/" + name
		if s := j.locateWord(w); s.kind != "" {
			j.addEffect(&writes, s, protectedVerdict(s))
		} else if a, v := j.lookupVerdict(&writeVerdicts, &writes, s); a == &overwrite && !t.keepsTarget && !isGlob(t.target.Text) {
			j.addEffect(a, s, v) // a file exists there
		}
	}
}

// isExistingDir reports whether a directory is known to exist at s.
func (j *job) isExistingDir(s *location) bool {
	return j.p != nil && j.p.Kind != nil && s.path != "" && !s.hasUnknown && !isGlob(s.path) && !j.base.remote && j.p.Kind(j.diskPath(s)) == shell.PathDir
}

// isTargetDir reports whether to, the target of t, is certainly a directory.
func isTargetDir(to location, t transfer) bool {
	return t.hasDir || len(t.sources) > 1 || strings.HasSuffix(t.target.Text, "/") || t.target.Text == "." || strings.HasSuffix(t.target.Text, "..") ||
		to.zone == inHome || to.zone == inProjectRoot
}

// judgeCp judges cp, which copies files.
func (j *job) judgeCp() {
	t := parseTransfer(j.c)
	if len(t.sources) == 0 {
		j.addPathless(unknownLow, "write", shell.FSWrite, "copy-nothing", "copies files without naming a destination")
		return
	}
	to := j.locateWord(t.target)
	if hasShortOption(j.c.Args, "ls") || hasAnyOption(j.c.Args, "--link", "--symbolic-link") {
		t.link = hasShortOption(j.c.Args, "s") || hasAnyOption(j.c.Args, "--symbolic-link")
		j.addLinkSources(t)
	}
	if len(t.sources) == 1 && isBackup(t.sources[0].Text, t.target.Text) && to.zone != inDevice {
		j.addEffect(&creates, to, safe)
		return
	}
	for _, to := range j.writeTargets(t.target) {
		for _, w := range t.sources {
			switch {
			case w.Text == "/dev/null":
				j.addTruncate(to)
			case facts.IsEndlessDevice(w.Text):
				a, v := j.lookupVerdict(&truncateVerdicts, &overwrite, to)
				j.addEffect(a, to, v)
			}
		}
		j.addCopyTarget(to, t, false)
	}
}

// isBackup reports whether target is the name of a backup beside source, such as source.bak.
func isBackup(source, target string) bool {
	rest, ok := strings.CutPrefix(target, source)
	return ok && len(rest) > 1 && strings.IndexByte(".-_~", rest[0]) >= 0 && strings.IndexByte(rest, '/') < 0
}

// judgeLn judges ln. The target is the link that it creates, which may replace a file.
func (j *job) judgeLn() {
	t := parseTransfer(j.c)
	if len(t.sources) == 0 {
		j.addPathless(safe, "write", shell.FSWrite, "link", "creates a link in the current directory")
		return
	}
	to := j.locateWord(t.target)
	j.addLinkSources(t)
	j.addProtectedTargets(to, t)
	if !t.force || t.keepsTarget {
		v := safe
		switch to.zone {
		case inNowhere:
			v = unknownLow
		case inSystem, inHomeDots, inRoot, inDevice, inHistory:
			v = unknownMedium
		}
		a := &creates
		if to.kind != "" {
			a, v = &links, protectedVerdict(to)
		}
		j.addEffect(a, to, v)
		return
	}
	if len(t.sources) == 1 && t.sources[0].Text == "/dev/null" && to.zone == inProject && to.kind == "" && !j.isExistingDir(&to) {
		j.addTruncate(to)
		return
	}
	a, v := j.lookupVerdict(&writeVerdicts, &links, to)
	switch to.zone {
	case inProject:
		if j.isProjectSource(&to) {
			v = worseVerdict(v, medium)
		}
		if !to.createdHere {
			v = worseVerdict(v, low)
		}
	case inSystem:
		v = worseVerdict(v, medium)
	}
	j.addEffect(a, to, v)
}

// linksTo is the act of creating a link to a file, through which the file can be changed.
var linksTo = act{"creates a link to", "link", shell.FSLink, "alias"}

// addLinkSources adds an effect for each protected file or home directory that t creates a link to.
func (j *job) addLinkSources(t transfer) {
	for _, w := range t.sources {
		s := j.locateWord(w)
		if t.link && w.Text != "" && w.Text[0] != '/' && w.Text[0] != '~' { // relative to the directory of the symlink
			dir := t.target.Text[:strings.LastIndexByte(t.target.Text, '/')+1]
			s = j.base.locate(dir + w.Text)
		}
		if s.kind != "" || s.zone == inHome || s.zone == inHomeDots || s.zone == inRoot {
			j.addEffect(&linksTo, s, safe)
		}
	}
}

// judgeInstall judges install, which copies files and sets their permissions.
func (j *job) judgeInstall() {
	var o program.Walk
	o.Start(j.c)
	rights := ""
	for o.Next() {
		switch o.Name {
		case "d", "directory":
			j.judgeCreate()
			return
		case "m", "mode":
			rights = o.Arg.Text
		}
	}
	t := parseTransfer(j.c)
	if len(t.sources) == 0 {
		j.addPathless(unknownLow, "write", shell.FSWrite, "copy-nothing", "installs files without naming a destination")
		return
	}
	to := j.locateWord(t.target)
	if len(t.sources) == 1 && t.sources[0].Text == "/dev/null" {
		j.addTruncate(to)
	}
	for _, to := range j.writeTargets(t.target) {
		j.addCopyTarget(to, transfer{sources: t.sources, target: t.target, hasDir: t.hasDir}, false)
	}
	if m := parseMode(rights); m.suid {
		j.addEffect(&setsSuid, to, worseVerdict(medium, writeVerdicts[to.zone]))
	}
}

// setsSuid is the act of install -m with a set-user-ID or set-group-ID bit.
var setsSuid = act{"sets the setuid bit on", "chmod", shell.FSPermissions, "suid"}

// judgeRsync judges rsync, which copies trees and may delete files on either side.
func (j *job) judgeRsync() {
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
			j.addRun("rsync-program", "runs a program named in an option to transfer files")
		}
	}
	if dry {
		j.out, j.keys = nil, nil
		j.addSafe(shell.FSRead, "rsync-dry-run", "only shows what it would copy")
		return
	}
	if len(words) < 2 {
		j.addSafe(shell.FSRead, "rsync-list", "lists files")
		return
	}
	last := words[len(words)-1]
	if follows && !isRemotePath(last.Text) && last.Text != "" {
		s := j.locateWord(last)
		if to, out := j.followedTarget(&s, true); out && removes {
			j.addEffect(&mirrors, to, deleteVerdict(to, true))
		} else if out {
			to.isFile = true
			j.addWrite(to)
		}
	}
	j.addRsyncEffects(words[:len(words)-1], last, removes, takes)
}

// addRsyncEffects adds the effects of rsync on its sources and its target. removes means that it
// deletes extra files in the target, and takes that it deletes the sources.
func (j *job) addRsyncEffects(sources []shell.Word, target shell.Word, removes, takes bool) {
	if takes {
		for _, w := range sources {
			if isRemotePath(w.Text) {
				j.addEffect(&deletes, location{path: w.Text, zone: inOutside}, high)
				continue
			}
			s := j.locateWord(w)
			j.addEffect(&deletes, s, deleteVerdict(s, true))
		}
	}
	if isRemotePath(target.Text) {
		s := location{path: target.Text, zone: inOutside}
		if removes {
			j.addEffect(&mirrors, s, mirrorVerdict(target.Text))
		} else {
			j.addEffect(&writes, s, unknownMedium)
		}
		return
	}
	s := j.locateWord(target)
	if !removes {
		j.addWrite(s)
		return
	}
	v := deleteVerdict(s, true)
	if v == medium && s.zone == inProject && s.kind == "" && !s.isPattern && j.areProjectDirs(sources) {
		v = low // both directories belong to the project
	}
	j.addEffect(&mirrors, s, v)
}

// areProjectDirs reports whether words name directories of the project that the command did not create
// and whose names do not say that they are empty.
func (j *job) areProjectDirs(words []shell.Word) bool {
	for _, w := range words {
		s := j.locateWord(w)
		if s.zone != inProject && s.zone != inGenerated || s.createdHere || s.hasUnknown || s.isPattern || strings.Contains(strings.ToLower(s.path), "empty") || strings.Contains(strings.ToLower(s.path), "blank") {
			return false
		}
	}
	return true
}

// mirrorVerdict returns the verdict on mirroring to target, a directory on another machine. It is
// medium if the directory is deep enough to belong to one user and neither its path nor the host is
// named like production or a backup. Otherwise it is high.
func mirrorVerdict(target string) verdict {
	if strings.Contains(target, placeholder) {
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

// isRemotePath reports whether rsync and scp treat text as a path on another machine.
func isRemotePath(text string) bool {
	if strings.HasPrefix(text, "rsync://") {
		return true
	}
	colon := strings.IndexByte(text, ':')
	slash := strings.IndexByte(text, '/')
	return colon > 0 && (slash < 0 || colon < slash) && !(colon == 1 && isLetter(text[0]) && len(text) > 2 && text[2] == '\\')
}
