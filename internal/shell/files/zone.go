package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
)

// A zone is the part of the machine that a path is in.
type zone uint8

// The zones.
const (
	inNowhere     zone = iota // the path, or its beginning, is unknown
	inRoot                    // the whole file system
	inSystem                  // the system and what is installed in it
	inDevice                  // a device file
	inHome                    // a whole home directory, or all of them
	inHomeDots                // settings, keys and shell files in a home directory
	inHomeOther               // anything else in a home directory outside the project
	inProjectRoot             // the whole project
	inHistory                 // the project's .git
	inProject                 // something in the project
	inGenerated               // something that a build or an installation generates
	inTemp                    // something in a temporary directory
	inTempRoot                // a whole temporary directory
	inParent                  // a directory above the project
	inOutside                 // anything else outside the project
	inSink                    // /dev/null and the terminal: nothing is kept there
)

// String returns the name of the zone as rule ids contain it.
func (z zone) String() string {
	return [...]string{
		"unknown", "root", "system", "device", "home", "home-settings", "home-file", "project-root",
		"history", "project", "generated", "temp", "temp-root", "parent", "outside", "sink",
	}[z]
}

// description returns a phrase for the files of the zone that can follow a verb, as in "deletes system
// files".
func (z zone) description() string {
	return [...]string{
		"a path that is known only at run time", "the whole file system", "system files", "a device",
		"the home directory and everything in it", "settings or keys in the home directory",
		"files in the home directory outside the project", "the whole project", "the repository's own data (.git)",
		"project files", "generated files that the project can rebuild", "temporary files",
		"everything in the temporary directory", "a directory above the project", "files outside the project",
		"a device that discards data",
	}[z]
}

// A location is a path with its zone and other properties that verdicts depend on.
type location struct {
	path            string // normalised
	zone            zone
	kind            string    // why it is protected; "" = it is not
	installed       bool      // in inSystem: it was installed, and is not part of the system itself
	isPattern       bool      // it has pattern characters, or stands for everything in a directory
	hasUnknown      bool      // part of it is unknown
	mayBeRoot       bool      // in inNowhere: with an empty variable it is the root, or everything in the working directory
	isGeneratedName bool      // in inNowhere: its name is that of a generated file
	createdHere     bool      // the same text created it before
	linkTarget      *location // target of the symlink at path, if it is not disposable; nil = none
	origin          *location // where its files were before they were moved here; nil = they were not, or little is lost
	isFile          bool      // a user file exists there, outside the project
	fromSearch      bool      // it stands for everything that a search through directories finds
	onlyOld         bool      // it stands only for files that were not changed for a while
	isListedOutside bool      // in inNowhere: it is one of the names that a program prints, not only those in the project
}

// locate returns the location of the path text in a call c at p, or the zero location if text is
// empty.
func locate(text string, c *shell.Call, p *shell.Place) location {
	if text == "" {
		return location{}
	}
	b := newBase(c, p)
	return b.locate(text)
}

// locate returns the location of text, which must not be empty.
func (b *base) locate(text string) location {
	if strings.HasPrefix(text, placeholder) {
		return b.locateUnknown(text)
	}
	abs := b.absolutePath(text)
	if strings.HasPrefix(abs, placeholder) {
		// The working directory is unknown.
		return b.locateUnknown(abs)
	}
	s := b.locatePath(abs, text)
	if b.real != nil && s.isDisposable() && abs[0] == '/' {
		b.followLinks(&s, abs, text)
	}
	return s
}

// followLinks resolves the symlinks on disk in abs, the path of the disposable location s. Deleting a
// symlink removes only the symlink, but writing to it or going through it reaches its target. text is
// the path as the command writes it.
func (b *base) followLinks(s *location, abs, text string) {
	end := path.Clean(b.real(abs + "/."))
	if end == abs {
		return
	}
	to := b.withRealDirs()
	way := path.Clean(b.real(abs))
	if last := text[len(text)-1]; last == '/' || last == '.' {
		way = end
	}
	if way != abs {
		*s = to.locatePath(way, way)
	}
	if behind := to.locatePath(end, end); way != end && !behind.isDisposable() {
		s.linkTarget = &behind
	}
}

// withRealDirs returns a copy of b whose directories have their symlinks resolved.
func (b *base) withRealDirs() base {
	to := *b
	to.real = nil
	for _, dir := range [...]*string{&to.dir, &to.root, &to.home} {
		if strings.HasPrefix(*dir, "/") {
			*dir = path.Clean(b.real(*dir + "/."))
		}
	}
	return to
}

// isDisposable reports whether little is lost if s is deleted, so that it matters whether a symlink in
// its path leads elsewhere.
func (s *location) isDisposable() bool {
	switch s.zone {
	case inProject, inGenerated, inTemp:
		return !s.hasUnknown
	}
	return false
}

// locatePath returns the location of abs, a path whose beginning is known. text is the path as the
// command writes it.
func (b *base) locatePath(abs, text string) location {
	s := location{path: displayPath(abs), hasUnknown: strings.Contains(abs, placeholder)}
	where, all := trimMatchAll(abs)
	s.isPattern = all || isGlob(abs)
	if b.isUnanchored(text) {
		b.setUnanchoredZone(&s, where, text)
	} else {
		b.setZone(&s, where)
		if (s.zone == inHomeOther || s.zone == inOutside) && b.isGeneratedByOther(text) {
			s.zone = inGenerated
		}
	}
	s.kind = b.protectedKind(where, &s)
	return s
}

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)

// displayPath returns abs with ~ in place of unknownHome.
func displayPath(abs string) string {
	if abs == unknownHome || isBelow(abs, unknownHome) {
		return abs[len(unknownHome)-1:]
	}
	return abs
}

// locateUnknown returns the location of text, a path that begins with an unknown part.
func (b *base) locateUnknown(text string) location {
	s := location{path: text, hasUnknown: true, isPattern: true}
	tail := text[len(placeholder):]
	if strings.Contains(tail, placeholder) || strings.Contains(tail, "..") {
		return s
	}
	where, all := trimMatchAll(path.Clean("/" + tail))
	s.mayBeRoot = where == "/" && tail != "" && (all || tail[0] == '/')
	s.isGeneratedName = len(tail) > 1 && tail[0] == '/' && projectZone(where[1:]) == inGenerated
	return s
}

// isUnanchored reports whether text is a relative path in a working directory that is unknown or
// cannot be that of a project. Such a path is judged by its own words.
func (b *base) isUnanchored(text string) bool {
	if b.remote || b.fromCommand || b.root != "" {
		return false
	}
	if text[0] == '/' || text[0] == '~' {
		return false
	}
	_, is := drivePath(text)
	return !is
}

// isGeneratedByOther reports whether text is a relative path to something generated in another
// project, to which a cd leads. A home directory is not a project.
func (b *base) isGeneratedByOther(text string) bool {
	if b.remote || b.dir == "" || text[0] == '/' || text[0] == '~' || hasDrive(text) {
		return false
	}
	if rest, ok := homeRest(b.dir, b.home); ok && rest == "" || b.dir == "/" {
		return false
	}
	rel, _ := trimMatchAll(path.Clean(text))
	return relativeZone(rel) == inGenerated
}

// setUnanchoredZone sets the zone of s, a relative path outside of known projects. Only a path that
// certainly belongs to no project gets the zone of its directory.
func (b *base) setUnanchoredZone(s *location, where, text string) {
	if b.dir != "" {
		b.setZone(s, where)
		switch s.zone {
		case inRoot, inSystem, inDevice, inHome, inParent:
			return
		case inHomeDots:
			if b.protectedKind(where, s) != "" {
				return
			}
		}
		*s = location{path: s.path, hasUnknown: s.hasUnknown, isPattern: s.isPattern}
		where, _ = trimMatchAll(path.Join(b.rel, text))
	}
	s.zone = relativeZone(where)
}

// relativeZone returns the zone of where, a clean path relative to an unknown project.
func relativeZone(where string) zone {
	switch {
	case where == ".":
		return inProjectRoot
	case where == ".." || strings.HasPrefix(where, "../"):
		return inParent
	}
	return projectZone(where)
}

// setZone sets the zone of s to that of abs, an absolute path. If the working directory is unknown,
// abs may be relative.
func (b *base) setZone(s *location, abs string) {
	if abs[0] != '/' && !hasDrive(abs) {
		s.zone = inOutside
		if !b.remote {
			s.zone = relativeZone(abs)
		}
		return
	}
	if b.root != "" && !b.isInNestedHome(abs) {
		if abs == b.root {
			s.zone = inProjectRoot
			return
		}
		if isBelow(abs, b.root) {
			s.zone = projectZone(abs[len(b.root)+1:])
			if s.zone == inProject && !b.fromCommand && isBelow(abs, b.dir) && isGeneratedWhole(abs[len(b.dir)+1:]) {
				s.zone = inGenerated // the command runs in a subdirectory of the project
			}
			return
		}
	}
	s.zone, s.installed = machineZone(abs, b.home)
	if (s.zone == inOutside || s.zone == inHomeOther) && b.root != "" && isBelow(b.root, abs) {
		s.zone = inParent
	}
}

// isInNestedHome reports whether abs is in a home directory that is inside the project. Such a home
// directory does not belong to the project.
func (b *base) isInNestedHome(abs string) bool {
	return b.home != "" && isBelow(b.home, b.root) && (abs == b.home || isBelow(abs, b.home))
}

// machineZone returns the zone of abs, an absolute path outside the project. installed reports whether
// a path in inSystem belongs to installed software.
func machineZone(abs, home string) (z zone, installed bool) {
	if abs == "/" {
		return inRoot, false
	}
	if hasDrive(abs) {
		return driveZone(abs)
	}
	if d, ok := mountedDrive(abs); ok {
		return driveZone(d)
	}
	if home != "" && (abs == home || isBelow(abs, home)) { // even if it is in /tmp or /opt
		return homeZone(strings.TrimPrefix(abs[len(home):], "/")), false
	}
	if z, ok := tempZone(abs); ok {
		return z, false
	}
	if abs == "/dev" || strings.HasPrefix(abs, "/dev/") {
		return deviceZone(abs), false
	}
	if rest, ok := homeRest(abs, home); ok {
		return homeZone(rest), false
	}
	switch systemKindOf(abs) {
	case hardSystem:
		return inSystem, false
	case softSystem:
		return inSystem, true
	case cacheSystem:
		return inGenerated, false
	}
	return inOutside, false
}

// homeRest returns the part of abs after the home directory of any user, and whether abs is in one.
// The rest is empty for /home itself too, since that contains all home directories.
func homeRest(abs, home string) (rest string, ok bool) {
	if abs == home {
		return "", true
	}
	if isBelow(abs, home) {
		return abs[len(home)+1:], true
	}
	for _, dir := range [...]string{"/home", "/Users", "/var/home", "/export/home"} {
		if abs == dir {
			return "", true
		}
		if isBelow(abs, dir) {
			_, rest, _ := strings.Cut(abs[len(dir)+1:], "/")
			return rest, true
		}
	}
	if abs == "/root" {
		return "", true
	}
	if isBelow(abs, "/root") {
		return abs[len("/root/"):], true
	}
	return "", false
}

// homeZone returns the zone of rest, a path relative to a home directory.
func homeZone(rest string) zone {
	switch {
	case rest == "":
		return inHome
	case isHomeCache(rest):
		return inGenerated
	case isHostNote(rest):
		if path.Ext(rest) != "" && !isGlob(rest) {
			return inGenerated
		}
		return inHomeOther
	case rest[0] == '.', firstElement(rest) == "Library", firstElement(rest) == "AppData":
		return inHomeDots
	}
	return inHomeOther
}

// isHostNote reports whether rest, a path relative to a home directory, is one that agents routinely
// write in their own directory: a plan, memory, a skill.
func isHostNote(rest string) bool {
	host := firstElement(rest)
	if rest[0] != '.' || len(host) == len(rest) {
		return false
	}
	kind := firstElement(rest[len(host)+1:])
	if len(rest) <= len(host)+1+len(kind)+1 {
		return false
	}
	switch kind {
	case "plans", "memory", "skills", "commands", "agents", "todos", "prompts":
		return hostfiles.IsHostDir(host)
	}
	return false
}

// firstElement returns the first element of the path p.
func firstElement(p string) string {
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return p
}
