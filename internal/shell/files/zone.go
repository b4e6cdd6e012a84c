package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
)

// A zone is the part of the machine that a path lies in.
type zone uint8

// The zones.
const (
	inNowhere     zone = iota // part of the path is not known
	inRoot                    // the whole file system
	inSystem                  // the system and what is installed in it
	inDevice                  // a device file
	inHome                    // a whole home directory, or all of them
	inHomeDots                // settings, keys and shell files in a home directory
	inHomeOther               // anything else in a home directory outside the project
	inProjectRoot             // the whole project
	inHistory                 // the project's .git
	inProject                 // something in the project
	inGenerated               // what a build or an installation makes again
	inTemp                    // something in a temporary directory
	inTempRoot                // a whole temporary directory
	inParent                  // a directory above the project
	inOutside                 // any other place outside the project
	inSink                    // /dev/null and the terminal: nothing is kept there
)

// String names the zone as rule ids do.
func (z zone) String() string {
	return [...]string{
		"unknown", "root", "system", "device", "home", "home-settings", "home-file", "project-root",
		"history", "project", "generated", "temp", "temp-root", "parent", "outside", "sink",
	}[z]
}

// things is what lies in a zone, in a sentence after a verb.
func (z zone) things() string {
	return [...]string{
		"a path that is known only at run time", "the whole file system", "system files", "a device",
		"the home directory and everything in it", "settings or keys in the home directory",
		"files in the home directory outside the project", "the whole project", "the repository's own data (.git)",
		"project files", "generated files that the project can rebuild", "temporary files",
		"everything in the temporary directory", "a directory above the project", "files outside the project",
		"a device that discards data",
	}[z]
}

// A spot is a path and what is known of where it lies.
type spot struct {
	path   string // normalised
	zone   zone
	kind   string // why it is protected; "" = it is not
	soft   bool   // of inSystem: installed there, not the system's own
	many   bool   // it is a pattern, or all that a directory holds
	hole   bool   // part of it is not known
	bare   bool   // of inNowhere: with an empty variable it is the root or all that is here
	made   bool   // of inNowhere: by its name it is made again
	own    bool   // the same text made it before
	behind *spot  // where the link leads that it is, if that is elsewhere
	file   bool   // a file lies there, outside the project
	deep   bool   // it stands for all that a search through directories finds
	aged   bool   // only what nobody has touched for a while is meant
}

// locate returns where a path lies.
func locate(text string, c *shell.Call, p *shell.Place) spot {
	if text == "" {
		return spot{}
	}
	b := baseOf(c, p)
	return b.locate(text)
}

func (b *base) locate(text string) spot {
	hole := strings.IndexRune(text, shell.Placeholder)
	if hole == 0 {
		return b.fromHole(text)
	}
	abs := b.absolute(text)
	if strings.HasPrefix(abs, holeText) {
		// The directory is not known.
		return b.fromHole(abs)
	}
	s := b.at(abs, text)
	if b.real != nil && s.local() && abs[0] == '/' {
		b.follow(&s, abs, text)
	}
	return s
}

// follow goes along the links on disk of a path that seems to lie where little is
// lost. Who deletes a link deletes that alone; who writes to it, or goes through it,
// reaches what is behind it.
func (b *base) follow(s *spot, abs, text string) {
	end := path.Clean(b.real(abs + "/."))
	if end == abs {
		return
	}
	to := b.settled()
	way := path.Clean(b.real(abs))
	if last := text[len(text)-1]; last == '/' || last == '.' {
		way = end
	}
	if way != abs {
		*s = to.at(way, way)
	}
	if behind := to.at(end, end); way != end && !behind.local() {
		s.behind = &behind
	}
}

// settled is the base with the links of its own directories followed.
func (b *base) settled() base {
	to := *b
	to.real = nil
	for _, dir := range [...]*string{&to.dir, &to.root, &to.home} {
		if strings.HasPrefix(*dir, "/") {
			*dir = path.Clean(b.real(*dir + "/."))
		}
	}
	return to
}

// local reports whether a spot is one where little is lost, so that it matters
// whether a link on the way leads elsewhere.
func (s *spot) local() bool {
	switch s.zone {
	case inProject, inGenerated, inTemp:
		return !s.hole
	}
	return false
}

// at is the spot of a path that is known; text is how the command writes it.
func (b *base) at(abs, text string) spot {
	s := spot{path: shown(abs), hole: strings.Contains(abs, holeText)}
	where, all := contents(abs)
	s.many = all || globbed(abs)
	if b.loose(text) {
		b.zoneLoose(&s, where, text)
	} else {
		b.zone(&s, where)
		if (s.zone == inHomeOther || s.zone == inOutside) && b.madeThere(text) {
			s.zone = inGenerated
		}
	}
	s.kind = b.protected(where, &s)
	return s
}

// holeText is the hole as a string.
const holeText = string(shell.Placeholder)

// shown is a path as people know it.
func shown(abs string) string {
	if abs == homeless || within(abs, homeless) {
		return abs[len(homeless)-1:]
	}
	return abs
}

// fromHole is the spot of a path that begins with something unknown.
func (b *base) fromHole(text string) spot {
	s := spot{path: text, hole: true, many: true}
	tail := text[len(holeText):]
	if strings.Contains(tail, holeText) || strings.Contains(tail, "..") {
		return s
	}
	where, all := contents(path.Clean("/" + tail))
	s.bare = where == "/" && tail != "" && (all || tail[0] == '/')
	s.made = len(tail) > 1 && tail[0] == '/' && inside(where[1:]) == inGenerated
	return s
}

// loose reports whether a path is to be judged by its own words: it is relative,
// and where the call runs is not known or no place for a project.
func (b *base) loose(text string) bool {
	if b.remote || b.given || b.root != "" {
		return false
	}
	if text[0] == '/' || text[0] == '~' {
		return false
	}
	_, is := drive(text)
	return !is
}

// madeThere reports whether a relative path is one that another project, which a
// cd leads to, makes again. A home directory is no project.
func (b *base) madeThere(text string) bool {
	if b.remote || b.dir == "" || text[0] == '/' || text[0] == '~' || driveRoot(text) {
		return false
	}
	if rest, ok := homeRest(b.dir, b.home); ok && rest == "" || b.dir == "/" {
		return false
	}
	rel, _ := contents(path.Clean(text))
	return relative(rel) == inGenerated
}

// zoneLoose is the zone of a relative path without a project around it. Only what
// is certainly not a project's keeps the zone that the directory gives it.
func (b *base) zoneLoose(s *spot, where, text string) {
	if b.dir != "" {
		b.zone(s, where)
		switch s.zone {
		case inRoot, inSystem, inDevice, inHome, inParent:
			return
		case inHomeDots:
			if b.protected(where, s) != "" {
				return
			}
		}
		*s = spot{path: s.path, hole: s.hole, many: s.many}
		where, _ = contents(path.Join(b.rel, text))
	}
	s.zone = relative(where)
}

// relative is the zone of a path below an unknown project.
func relative(where string) zone {
	switch {
	case where == ".":
		return inProjectRoot
	case where == ".." || strings.HasPrefix(where, "../"):
		return inParent
	}
	return inside(where)
}

// zone finds the zone of an absolute path; of a relative one when the directory
// is not known.
func (b *base) zone(s *spot, abs string) {
	if abs[0] != '/' && !driveRoot(abs) {
		s.zone = inOutside
		if !b.remote {
			s.zone = relative(abs)
		}
		return
	}
	if b.root != "" && !b.homeIn(abs) {
		if abs == b.root {
			s.zone = inProjectRoot
			return
		}
		if within(abs, b.root) {
			s.zone = inside(abs[len(b.root)+1:])
			if s.zone == inProject && !b.given && within(abs, b.dir) && generatedWhole(abs[len(b.dir)+1:]) {
				s.zone = inGenerated // someone works in a part of the project
			}
			return
		}
	}
	s.zone, s.soft = machine(abs, b.home)
	if (s.zone == inOutside || s.zone == inHomeOther) && b.root != "" && within(b.root, abs) {
		s.zone = inParent
	}
}

// homeIn reports whether a path is in a home directory that itself lies in the
// project: that is no part of it.
func (b *base) homeIn(abs string) bool {
	return b.home != "" && within(b.home, b.root) && (abs == b.home || within(abs, b.home))
}

// machine is the zone of an absolute path outside the project.
func machine(abs, home string) (z zone, soft bool) {
	if abs == "/" {
		return inRoot, false
	}
	if driveRoot(abs) {
		return driveZone(abs)
	}
	if d, ok := mounted(abs); ok {
		return driveZone(d)
	}
	if home != "" && (abs == home || within(abs, home)) { // wherever it lies
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
	switch systemDir(abs) {
	case hardSystem:
		return inSystem, false
	case softSystem:
		return inSystem, true
	case cacheSystem:
		return inGenerated, false
	}
	return inOutside, false
}

// homeRest returns what follows the home directory in a path. Above the homes
// (/home itself) the rest is empty too: that is everyone's home.
func homeRest(abs, home string) (rest string, ok bool) {
	if abs == home {
		return "", true
	}
	if within(abs, home) {
		return abs[len(home)+1:], true
	}
	for _, dir := range [...]string{"/home", "/Users", "/var/home", "/export/home"} {
		if abs == dir {
			return "", true
		}
		if within(abs, dir) {
			_, rest, _ := strings.Cut(abs[len(dir)+1:], "/")
			return rest, true
		}
	}
	if abs == "/root" {
		return "", true
	}
	if within(abs, "/root") {
		return abs[len("/root/"):], true
	}
	return "", false
}

// homeZone is the zone of a path in a home directory.
func homeZone(rest string) zone {
	switch {
	case rest == "":
		return inHome
	case homeCache(rest):
		return inGenerated
	case hostNotes(rest):
		if path.Ext(rest) != "" && !globbed(rest) {
			return inGenerated
		}
		return inHomeOther
	case rest[0] == '.', first(rest) == "Library", first(rest) == "AppData":
		return inHomeDots
	}
	return inHomeOther
}

// hostNotes reports whether a path in a home directory is one of those that agents
// write in their host's folder day by day: plans, memory, skills and the like.
func hostNotes(rest string) bool {
	host := first(rest)
	if rest[0] != '.' || len(host) == len(rest) {
		return false
	}
	kind := first(rest[len(host)+1:])
	if len(rest) <= len(host)+1+len(kind)+1 {
		return false
	}
	switch kind {
	case "plans", "memory", "skills", "commands", "agents", "todos", "prompts":
		return hostfiles.Folder(host)
	}
	return false
}

// first is the first part of a path.
func first(p string) string {
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return p
}
