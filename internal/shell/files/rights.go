package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A mode is what a change of rights comes to.
type mode struct {
	open    bool // everyone may write
	shut    bool // the owner may no longer read or enter
	suid    bool // runs with the rights of its owner or group
	private bool // only the owner keeps rights
	noexec  bool // takes the right to run or enter away
	adds    bool // only gives rights
	unknown bool
}

// readMode reads 0755, u+rwx,go-w and the like.
func readMode(text string) mode {
	switch {
	case text == "":
		return mode{}
	case strings.Contains(text, holeText):
		return mode{unknown: true}
	case strings.Trim(text, "01234567") == "":
		return octal(text)
	}
	m := mode{adds: true}
	for part := range strings.SplitSeq(text, ",") {
		m.clause(part)
	}
	return m
}

func octal(text string) mode {
	text = strings.TrimLeft(text, "0")
	n := 0
	for i := 0; i < len(text) && i < 5; i++ {
		n = n*8 + int(text[i]-'0')
	}
	return mode{
		open:    n&0o002 != 0 && n&0o1000 == 0,
		shut:    n&0o400 == 0,
		suid:    n&0o6000 != 0,
		private: n&0o077 == 0 && n&0o400 != 0 && n&0o6000 == 0,
		noexec:  n&0o100 == 0,
	}
}

// clause takes in one part of a symbolic mode.
func (m *mode) clause(part string) {
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
			m.shut = m.shut || user && strings.Contains(what, "r")
			m.noexec = m.noexec || user && strings.ContainsAny(what, "xX")
			m.private = m.private || !user
		case '=':
			m.adds = false
			m.shut = m.shut || user && !strings.Contains(what, "r") && what != "u" && what != "g" && what != "o"
			m.open = m.open || other && strings.Contains(what, "w")
			m.suid = m.suid || strings.Contains(what, "s")
			m.private = m.private || !user && what == ""
		default:
			m.open = m.open || other && strings.Contains(what, "w")
			m.suid = m.suid || strings.Contains(what, "s")
		}
	}
}

// chmodWord reports whether a word with a dash is a mode: -x, -rwx, -w+x.
func chmodWord(t string) bool {
	return len(t) > 1 && t[0] == '-' && strings.Trim(t[1:], "rwxXstugoa+-=,") == ""
}

// chmod changes rights.
func (j *job) chmod() {
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
		case !ended && t[0] == '-' && len(t) > 1 && !(chmodWord(t) && !have):
			tree = tree || strings.Contains(t, "R")
			follows = follows || strings.Contains(t, "L")
		case !have:
			text, have = t, true
		default:
			targets = append(targets, w)
		}
	}
	m := readMode(text)
	for _, w := range targets {
		spots := listed(w, j)
		if spots == nil {
			spots = []spot{j.spot(w)}
		}
		for _, s := range spots {
			j.mark(&rights, s, chmodded(s, m, tree))
			if to, out := j.reached(&s, tree && follows); out {
				j.mark(&rights, to, chmodded(to, m, true))
			}
		}
	}
	if j.out == nil {
		j.note(little, "chmod", shell.FSPermissions, "rights-nothing", "changes permissions without naming a file")
	}
}

// chmodded is the outcome of a change of rights.
func chmodded(s spot, m mode, tree bool) verdict {
	bad := m.open || m.shut || m.suid
	tree = tree || s.zone == inProjectRoot && s.many && bad
	if s.own && s.mayMake() && !m.suid {
		return safe
	}
	switch s.zone {
	case inNowhere:
		if tree || bad {
			return lost
		}
		return little
	case inGenerated, inTemp:
		if m.suid {
			return low
		}
		return safe
	case inProject, inProjectRoot, inHistory:
		return projectMode(s, m, tree)
	case inTempRoot, inSink:
		if tree || bad {
			return medium
		}
		return maybe
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
	case bad || m.noexec && s.zone != inHomeOther && s.zone != inOutside && (tree || s.kind == "" && !m.adds && !s.soft):
		return high
	case tree && (s.zone == inHomeOther || s.zone == inOutside || s.zone == inSystem && s.soft) && !s.many:
		return medium
	case tree:
		return high
	case s.kind != "":
		return medium
	case s.zone == inHomeOther || s.zone == inOutside || s.soft:
		return safe
	}
	return maybe
}

// projectMode is the outcome within the project.
func projectMode(s spot, m mode, tree bool) verdict {
	switch {
	case m.suid:
		return medium
	case tree && (m.open || m.shut || m.noexec && !m.adds && !m.private):
		return medium
	case m.open || m.shut:
		return low
	case m.unknown:
		return little
	case s.kind != "":
		return medium
	}
	return safe
}

// chown changes owners and groups.
func (j *job) chown() {
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
	// $USER and $(id -u) are whoever asks: that gives access, it takes none.
	self := strings.HasPrefix(owner, holeText)
	for _, w := range targets {
		if w.Text == "" {
			continue
		}
		s := j.spot(w)
		j.mark(&owners, s, chowned(s, tree, self, owner))
		if to, out := j.reached(&s, tree && follows); out {
			j.mark(&owners, to, chowned(to, true, self, owner))
		}
	}
	if j.out == nil {
		j.note(little, "chown", shell.FSPermissions, "owner-nothing", "changes owners without naming a file")
	}
}

func chowned(s spot, tree, self bool, owner string) verdict {
	root := owner == "0" || strings.HasPrefix(owner, "root") || strings.HasPrefix(owner, "0:") || strings.HasPrefix(owner, "nobody")
	switch s.zone {
	case inNowhere:
		if tree {
			return lost
		}
		return unsure
	case inGenerated, inTemp:
		return safe
	case inProject, inProjectRoot, inHistory:
		switch {
		case self:
			return safe
		case tree && s.zone == inProjectRoot:
			return medium
		case tree || root:
			return low
		}
		return little
	case inHomeOther, inHomeDots, inOutside, inParent:
		switch {
		case self && s.zone != inOutside && s.zone != inParent:
			if s.kind == "" {
				return safe
			}
			return little
		case tree && !self:
			return high
		case s.kind != "" || tree:
			return medium
		}
		return maybe
	}
	switch {
	case s.zone == inHome && self:
		return maybe
	case tree && s.soft && self:
		return medium
	case tree || s.kind != "" || s.zone == inDevice || s.zone == inRoot:
		return high
	case s.soft:
		return maybe
	}
	return medium
}
