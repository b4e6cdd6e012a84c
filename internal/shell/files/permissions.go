package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A mode describes what a change of permissions does.
type mode struct {
	worldWritable bool // all users may write
	locksOwner    bool // the owner may no longer read
	suid          bool // programs run with the permissions of the file's owner or group
	private       bool // only the owner keeps permissions
	noexec        bool // it removes the permission to execute or enter
	adds          bool // it only adds permissions
	unknown       bool
}

// parseMode returns what the mode text of chmod does. It accepts 0755, u+rwx,go-w and similar forms.
func parseMode(text string) mode {
	switch {
	case text == "":
		return mode{}
	case strings.Contains(text, placeholder):
		return mode{unknown: true}
	case strings.Trim(text, "01234567") == "":
		return parseOctal(text)
	}
	m := mode{adds: true}
	for part := range strings.SplitSeq(text, ",") {
		m.addClause(part)
	}
	return m
}

// parseOctal returns what the octal mode text does.
func parseOctal(text string) mode {
	text = strings.TrimLeft(text, "0")
	n := 0
	for i := 0; i < len(text) && i < 5; i++ {
		n = n*8 + int(text[i]-'0')
	}
	return mode{
		worldWritable: n&0o002 != 0 && n&0o1000 == 0,
		locksOwner:    n&0o400 == 0,
		suid:          n&0o6000 != 0,
		private:       n&0o077 == 0 && n&0o400 != 0 && n&0o6000 == 0,
		noexec:        n&0o100 == 0,
	}
}

// addClause adds part, a clause of a symbolic mode such as go-w, to m.
func (m *mode) addClause(part string) {
	at := strings.IndexAny(part, "+-=")
	if at < 0 {
		m.unknown = true
		return
	}
	who := part[:at]
	all := who == "" || strings.Contains(who, "a")
	user := all || strings.Contains(who, "u")
	other := strings.Contains(who, "o") || strings.Contains(who, "a")
	for at < len(part) {
		op := part[at]
		end := at + 1
		for end < len(part) && part[end] != '+' && part[end] != '-' && part[end] != '=' {
			end++
		}
		what := part[at+1 : end]
		at = end
		switch op {
		case '-':
			m.adds = false
			m.locksOwner = m.locksOwner || user && strings.Contains(what, "r")
			m.noexec = m.noexec || user && strings.ContainsAny(what, "xX")
			m.private = m.private || !user
		case '=':
			m.adds = false
			m.locksOwner = m.locksOwner || user && !strings.Contains(what, "r") && what != "u" && what != "g" && what != "o"
			m.worldWritable = m.worldWritable || other && strings.Contains(what, "w")
			m.suid = m.suid || strings.Contains(what, "s")
			m.private = m.private || !user && what == ""
		default:
			m.worldWritable = m.worldWritable || other && strings.Contains(what, "w")
			m.suid = m.suid || strings.Contains(what, "s")
		}
	}
}

// isModeWord reports whether t, a word with a dash, is a mode such as -x, -rwx or -w+x.
func isModeWord(t string) bool {
	return len(t) > 1 && t[0] == '-' && strings.Trim(t[1:], "rwxXstugoa+-=,") == ""
}

// judgeChmod judges chmod, which changes permissions.
func (j *job) judgeChmod() {
	var targets []shell.Word
	var text string
	var tree, have, ended, follows bool
	for i := range j.c.Args {
		w := j.c.Args[i]
		t := w.Text
		switch {
		case t == "":
		case !ended && t == "--":
			ended = true
		case !ended && strings.HasPrefix(t, "--"):
			tree = tree || len(t) > 4 && strings.HasPrefix("--recursive", t)
			have = have || strings.HasPrefix(t, "--ref")
		case !ended && t[0] == '-' && len(t) > 1 && !(isModeWord(t) && !have):
			tree = tree || strings.Contains(t, "R")
			follows = follows || strings.Contains(t, "L")
		case !have:
			text, have = t, true
		default:
			targets = append(targets, w)
		}
	}
	m := parseMode(text)
	for _, w := range targets {
		spots := listedLocations(w, j)
		if spots == nil {
			spots = []location{j.locateWord(w)}
		}
		for _, s := range spots {
			j.addEffect(&rights, s, chmodVerdict(s, m, tree))
			if to, out := j.followedTarget(&s, tree && follows); out {
				j.addEffect(&rights, to, chmodVerdict(to, m, true))
			}
		}
	}
	if j.out == nil {
		j.addPathless(unknownLow, "chmod", shell.FSPermissions, "rights-nothing", "changes permissions without naming a file")
	}
}

// chmodVerdict returns the verdict on changing the permissions of s by m. tree means that everything
// below s is changed too.
func chmodVerdict(s location, m mode, tree bool) verdict {
	bad := m.worldWritable || m.locksOwner || m.suid
	tree = tree || s.zone == inProjectRoot && s.isPattern && bad
	if s.createdHere && s.allowsOwnFiles() && !m.suid {
		return safe
	}
	switch s.zone {
	case inNowhere:
		if tree || bad {
			return unbounded
		}
		return unknownLow
	case inGenerated, inTemp:
		if m.suid {
			return low
		}
		return safe
	case inProject, inProjectRoot, inHistory:
		return projectChmodVerdict(s, m, tree)
	case inTempRoot, inSink:
		if tree || bad {
			return medium
		}
		return unknownMedium
	case inHomeDots:
		if m.private && !bad || s.kind == "" && !bad && !tree {
			return safe
		}
		if bad {
			return high
		}
		return medium
	}
	switch {
	case bad || m.noexec && s.zone != inHomeOther && s.zone != inOutside && (tree || s.kind == "" && !m.adds && !s.installed):
		return high
	case tree && (s.zone == inHomeOther || s.zone == inOutside || s.zone == inSystem && s.installed) && !s.isPattern:
		return medium
	case tree:
		return high
	case s.kind != "":
		return medium
	case s.zone == inHomeOther || s.zone == inOutside || s.installed:
		return safe
	}
	return unknownMedium
}

// projectChmodVerdict is chmodVerdict for locations in the project.
func projectChmodVerdict(s location, m mode, tree bool) verdict {
	switch {
	case m.suid:
		return medium
	case tree && (m.worldWritable || m.locksOwner || m.noexec && !m.adds && !m.private):
		return medium
	case m.worldWritable || m.locksOwner:
		return low
	case m.unknown:
		return unknownLow
	case s.kind != "":
		return medium
	}
	return safe
}

// judgeChown judges chown and chgrp, which change owners and groups.
func (j *job) judgeChown() {
	var o program.Walk
	o.Start(j.c)
	var targets []shell.Word
	var tree, have, follows bool
	owner := ""
	for o.Next() {
		switch o.Name {
		case "R", "recursive":
			tree = true
		case "L":
			follows = true
		case "reference":
			have = true
		case "":
			if !have {
				owner, have = o.Arg.Text, true
				continue
			}
			targets = append(targets, o.Arg)
		}
	}
	// An unknown owner is usually $USER or $(id -u), which gives the user access and takes none away.
	self := strings.HasPrefix(owner, placeholder)
	for _, w := range targets {
		if w.Text == "" {
			continue
		}
		s := j.locateWord(w)
		j.addEffect(&owners, s, chownVerdict(s, tree, self, owner))
		if to, out := j.followedTarget(&s, tree && follows); out {
			j.addEffect(&owners, to, chownVerdict(to, true, self, owner))
		}
	}
	if j.out == nil {
		j.addPathless(unknownLow, "chown", shell.FSPermissions, "owner-nothing", "changes owners without naming a file")
	}
}

// chownVerdict returns the verdict on changing the owner of s, and of everything below it if tree is
// true. toSelf means that the new owner is probably the user.
func chownVerdict(s location, tree, toSelf bool, owner string) verdict {
	root := owner == "0" || strings.HasPrefix(owner, "root") || strings.HasPrefix(owner, "0:") || strings.HasPrefix(owner, "nobody")
	switch s.zone {
	case inNowhere:
		if tree {
			return unbounded
		}
		return unknownImpact
	case inGenerated, inTemp:
		return safe
	case inProject, inProjectRoot, inHistory:
		switch {
		case toSelf:
			return safe
		case tree && s.zone == inProjectRoot:
			return medium
		case tree || root:
			return low
		}
		return unknownLow
	case inHomeOther, inHomeDots, inOutside, inParent:
		switch {
		case toSelf && s.zone != inOutside && s.zone != inParent:
			if s.kind == "" {
				return safe
			}
			return unknownLow
		case tree && !toSelf:
			return high
		case s.kind != "" || tree:
			return medium
		}
		return unknownMedium
	}
	switch {
	case s.zone == inHome && toSelf:
		return unknownMedium
	case tree && s.installed && toSelf:
		return medium
	case tree || s.kind != "" || s.zone == inDevice || s.zone == inRoot:
		return high
	case s.installed:
		return unknownMedium
	}
	return medium
}
