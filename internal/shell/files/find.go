package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A group is one level of parentheses in find's expression.
type group struct {
	chain string // the narrowest name in the tests that are joined by "and"; "" = they name nothing
	worst string // the widest of the alternatives so far
	open  bool   // an alternative names nothing
	alts  int
	not   bool // the group is negated
}

// A finding walks find's expression.
type finding struct {
	args   []shell.Word
	starts []string
	groups []group
	not    bool // the next test is negated
	empty  bool // -empty was given
	dirs   bool // -type d was given
	old    bool // a test of age picks what is older
	follow bool // links are followed
}

// maxGroups bounds parentheses.
const maxGroups = 32

// readFind reads the options and the start paths.
func readFind(c *shell.Call, b *base) finding {
	f := finding{args: c.Args, groups: make([]group, 1, 4)}
	i := 0
	for ; i < len(c.Args); i++ {
		t := c.Args[i].Text
		f.follow = f.follow || t == "-L"
		if t == "-H" || t == "-L" || t == "-P" || t == "-E" || t == "-X" || t == "-s" || t == "-x" || strings.HasPrefix(t, "-O") {
			continue
		}
		if (t == "-D" || t == "-f") && i+1 < len(c.Args) {
			if i++; t == "-f" {
				f.starts = append(f.starts, c.Args[i].Text)
			}
			continue
		}
		break
	}
	for ; i < len(c.Args); i++ {
		t := c.Args[i].Text
		if t == "" || t[0] == '-' && len(t) > 1 || t == "(" || t == "!" || t == ")" || t == "," {
			break
		}
		f.starts = append(f.starts, word(c.Args[i], nil))
	}
	if f.starts == nil {
		f.starts = []string{"."}
	}
	if len(f.starts) > maxStarts {
		f.starts = oneOfEach(f.starts, b)
	}
	f.args = c.Args[i:]
	f.follow = f.follow || has(f.args, "-follow")
	return f
}

// maxStarts is how many start paths are looked at one by one.
const maxStarts = 16

// oneOfEach keeps one path of each zone, so that no crowd can hide a bad one.
func oneOfEach(paths []string, b *base) []string {
	var have [inSink + 1]bool
	out := make([]string, 0, len(have))
	for _, p := range paths {
		if p == "" {
			continue
		}
		if z := b.locate(p).zone; !have[z] {
			have[z] = true
			out = append(out, p)
		}
	}
	return out
}

// narrower joins two patterns that both hold.
func narrower(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || madeAgain(a):
		return a
	case madeAgain(b):
		return b
	}
	return a
}

// madeAgain reports whether a pattern only fits what is made again.
func madeAgain(pattern string) bool {
	return inside(strings.TrimPrefix(pattern, "/")) == inGenerated
}

// test takes in a pattern that a name or a path must fit.
func (f *finding) test(pattern string) {
	g := &f.groups[len(f.groups)-1]
	if !f.not && !everything(pattern) {
		g.chain = narrower(g.chain, pattern)
	}
	f.not = false
}

// or ends an alternative.
func (f *finding) or() {
	g := &f.groups[len(f.groups)-1]
	switch {
	case g.chain == "":
		g.open = true
	case g.worst == "" || !madeAgain(g.chain):
		g.worst = g.chain
	}
	g.alts++
	g.chain, f.not = "", false
}

func (f *finding) begin() {
	if len(f.groups) < maxGroups {
		f.groups = append(f.groups, group{not: f.not})
	}
	f.not = false
}

func (f *finding) end() {
	if len(f.groups) == 1 {
		return
	}
	f.or()
	g := f.groups[len(f.groups)-1]
	f.groups = f.groups[:len(f.groups)-1]
	f.not = g.not
	if g.open {
		f.not = false
		return
	}
	f.test(g.worst)
}

// pattern is what narrows an action that stands here.
func (f *finding) pattern() string {
	p := ""
	for i := range f.groups {
		p = narrower(p, f.groups[i].chain)
	}
	return p
}

// targets are paths that stand for all that an action here is done to.
func (f *finding) targets(pattern string) []string {
	out := make([]string, 0, len(f.starts))
	for _, start := range f.starts {
		out = append(out, joined(start, pattern))
	}
	return out
}

// joined is a start path with a pattern below it.
func joined(start, pattern string) string {
	switch {
	case pattern == "":
		pattern = "*"
	case pattern[0] == '/' || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, start+"/"):
		return pattern
	}
	if strings.HasSuffix(start, "/") {
		return start + pattern
	}
	return start + "/" + pattern
}

// step reads one primary of the expression and returns how many arguments it
// takes besides itself. Actions are the caller's.
func (f *finding) step(i int) int {
	t := f.args[i].Text
	value := ""
	if i+1 < len(f.args) {
		value = f.args[i+1].Text
	}
	switch t {
	case "(":
		f.begin()
		return 0
	case ")":
		f.end()
		return 0
	case "!", "-not":
		f.not = !f.not
		return 0
	case "-o", "-or", ",":
		f.or()
		return 0
	case "-a", "-and":
		return 0
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-samefile":
		f.test(value)
		return 1
	case "-regex", "-iregex":
		f.test(plainRegex(value))
		return 1
	case "-type":
		f.dirs = f.dirs || value == "d" && !f.not
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin":
		f.old = f.old || !f.not && len(value) > 1 && value[0] == '+' && value != "+0"
	case "-empty":
		f.empty = f.empty || !f.not
	}
	f.not = false
	return findArgs(t)
}

// plainRegex turns a regular expression into a pattern, roughly: when all of its
// alternatives are names that are made again, one of them stands for all.
func plainRegex(re string) string {
	if strings.Trim(re, ".*^$+()") == "" {
		return "*"
	}
	if len(re) > maxRegex {
		return "regex"
	}
	plain := strings.NewReplacer(`\(`, "", `\)`, "", "(", "", ")", "", `\|`, "|", `\.`, ".", ".*", "", "^", "", "$", "", `\/`, "/").Replace(re)
	last := ""
	for one := range strings.SplitSeq(plain, "|") {
		one = strings.Trim(one, "/")
		if strings.HasPrefix(one, ".py") {
			one = "*" + one
		}
		if !madeAgain(one) {
			return "regex"
		}
		last = one
	}
	return last
}

// maxRegex is how long a regular expression may be that is looked at.
const maxRegex = 200

// findArgs is the number of arguments of a primary.
func findArgs(t string) int {
	switch t {
	case "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer",
		"-user", "-group", "-uid", "-gid", "-perm", "-maxdepth", "-mindepth", "-links", "-inum", "-fstype", "-used", "-context",
		"-printf", "-regextype", "-files0-from", "-fprint", "-fprint0", "-fls", "-flags", "-depth-n":
		return 1
	case "-fprintf":
		return 2
	}
	if strings.HasPrefix(t, "-newer") {
		return 1
	}
	return 0
}

// findTargets are paths that stand for all that a find lists. Picked narrows them
// further; aged says that only what is old is among them.
func findTargets(c *shell.Call, b *base, picked string) (targets []string, aged bool) {
	f := readFind(c, b)
	for i := 0; i < len(f.args); i++ {
		switch f.args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			f.not = false
			i = f.endOf(i)
		default:
			i += f.step(i)
		}
	}
	for len(f.groups) > 1 {
		f.end()
	}
	f.or()
	g := &f.groups[0]
	if !g.open {
		picked = narrower(g.worst, picked)
	}
	return f.targets(picked), f.old
}

// endOf is where the command that begins behind i ends.
func (f *finding) endOf(i int) int {
	end := i + 1
	for end < len(f.args) && f.args[end].Text != ";" && !(f.args[end].Text == "+" && f.args[end-1].Text == "{}") {
		end++
	}
	return end
}

// find looks for files, and may do something to what it finds.
func (j *job) find() {
	f := readFind(j.c, &j.base)
	for i := 0; i < len(f.args); i++ {
		switch t := f.args[i].Text; t {
		case "-delete":
			f.not = false
			j.findDelete(&f)
		case "-exec", "-execdir", "-ok", "-okdir":
			f.not = false
			end := f.endOf(i)
			targets, all := j.led(&f, f.targets(f.pattern()))
			from := len(j.out)
			j.execute(f.args[i+1:end], targets, strings.HasPrefix(t, "-ok"), f.old)
			if !all {
				j.anywhere(from)
			}
			i = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(f.args) {
				j.written(j.spot(f.args[i+1]))
			}
			i += f.step(i)
		default:
			i += f.step(i)
		}
	}
	if j.out == nil {
		j.safely(shell.FSRead, "find", "searches for files")
	}
}

func (j *job) findDelete(f *finding) {
	p := f.pattern()
	targets, all := j.led(f, f.targets(p))
	for _, t := range targets {
		s := j.searched(t, f.old)
		v := deleted(s, true)
		if !all && s.local() {
			v = worst(v, medium)
		}
		switch {
		case !f.empty || s.zone == inRoot || s.zone == inSystem || s.zone == inDevice || s.zone == inNowhere:
		case f.dirs:
			v = safe // an empty directory is soon made again
		case v == medium || v == high:
			v = low
		}
		j.mark(&deletes, s, v)
	}
}

// led adds to the targets of a search that follows links where these lead. All is
// false when not all that it goes through could be looked at.
func (j *job) led(f *finding, targets []string) (more []string, all bool) {
	if !f.follow {
		return targets, true
	}
	all = true
	for _, t := range targets {
		s := j.base.locate(t)
		if !s.local() || madeAgain(path.Base(t)) {
			continue
		}
		to, out, known := j.followed(j.onDisk(&s))
		if out {
			more = append(more, to.path+"/*")
		}
		all = all && known
	}
	return append(more, targets...), all
}

// anywhere raises what a search does that may reach further than could be looked at.
func (j *job) anywhere(from int) {
	for i := from; i < len(j.out); i++ {
		if e := &j.out[i]; e.Label == shell.Safe && (e.Kind == "delete" || e.Kind == "overwrite") {
			e.Label, e.Impact = shell.Destructive, shell.ImpactMedium
		}
	}
}
