package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A group is one level of parentheses in find's expression.
type group struct {
	chain   string // the narrowest name in the tests that are joined by "and"; "" = any name
	widest  string // the widest of the alternatives so far
	anyName bool   // an alternative allows any name
	alts    int
	not     bool // the group is negated
}

// A findExpr evaluates find's expression.
type findExpr struct {
	args   []shell.Word
	starts []string
	groups []group
	not    bool // the next test is negated
	empty  bool // -empty was given
	dirs   bool // -type d was given
	old    bool // a test of age selects older files
	follow bool // symlinks are followed
}

// maxGroups bounds parentheses.
const maxGroups = 32

// parseFind reads the options and the start paths.
func parseFind(c *shell.Call, b *base) findExpr {
	f := findExpr{args: c.Args, groups: make([]group, 1, 4)}
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
		f.starts = append(f.starts, pathText(c.Args[i], nil))
	}
	if f.starts == nil {
		f.starts = []string{"."}
	}
	if len(f.starts) > maxStarts {
		f.starts = onePerZone(f.starts, b)
	}
	f.args = c.Args[i:]
	f.follow = f.follow || hasAny(f.args, "-follow")
	return f
}

// maxStarts is how many start paths are evaluated one by one.
const maxStarts = 16

// onePerZone keeps one path of each zone, so that many paths cannot hide a bad one.
func onePerZone(paths []string, b *base) []string {
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

// narrowerPattern returns a pattern for names that match both patterns.
func narrowerPattern(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || isGeneratedPattern(a):
		return a
	case isGeneratedPattern(b):
		return b
	}
	return a
}

// isGeneratedPattern reports whether a pattern only matches generated files.
func isGeneratedPattern(pattern string) bool {
	return projectZone(strings.TrimPrefix(pattern, "/")) == inGenerated
}

// addTest adds a pattern that a name or a path must match.
func (f *findExpr) addTest(pattern string) {
	g := &f.groups[len(f.groups)-1]
	if !f.not && !matchesEverything(pattern) {
		g.chain = narrowerPattern(g.chain, pattern)
	}
	f.not = false
}

// endAlternative ends an alternative.
func (f *findExpr) endAlternative() {
	g := &f.groups[len(f.groups)-1]
	switch {
	case g.chain == "":
		g.anyName = true
	case g.widest == "" || !isGeneratedPattern(g.chain):
		g.widest = g.chain
	}
	g.alts++
	g.chain, f.not = "", false
}

func (f *findExpr) openGroup() {
	if len(f.groups) < maxGroups {
		f.groups = append(f.groups, group{not: f.not})
	}
	f.not = false
}

func (f *findExpr) closeGroup() {
	if len(f.groups) == 1 {
		return
	}
	f.endAlternative()
	g := f.groups[len(f.groups)-1]
	f.groups = f.groups[:len(f.groups)-1]
	f.not = g.not
	if g.anyName {
		f.not = false
		return
	}
	f.addTest(g.widest)
}

// currentPattern returns the pattern that limits an action at this point.
func (f *findExpr) currentPattern() string {
	p := ""
	for i := range f.groups {
		p = narrowerPattern(p, f.groups[i].chain)
	}
	return p
}

// targetPaths returns paths that stand for everything that an action at this point affects.
func (f *findExpr) targetPaths(pattern string) []string {
	out := make([]string, 0, len(f.starts))
	for _, start := range f.starts {
		out = append(out, joinPattern(start, pattern))
	}
	return out
}

// joinPattern returns a start path with a pattern below it.
func joinPattern(start, pattern string) string {
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

// readPrimary reads one primary of the expression and returns how many arguments it takes besides
// itself. The caller handles actions.
func (f *findExpr) readPrimary(i int) int {
	t := f.args[i].Text
	value := ""
	if i+1 < len(f.args) {
		value = f.args[i+1].Text
	}
	switch t {
	case "(":
		f.openGroup()
		return 0
	case ")":
		f.closeGroup()
		return 0
	case "!", "-not":
		f.not = !f.not
		return 0
	case "-o", "-or", ",":
		f.endAlternative()
		return 0
	case "-a", "-and":
		return 0
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-samefile":
		f.addTest(value)
		return 1
	case "-regex", "-iregex":
		f.addTest(regexPattern(value))
		return 1
	case "-type":
		f.dirs = f.dirs || value == "d" && !f.not
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin":
		f.old = f.old || !f.not && len(value) > 1 && value[0] == '+' && value != "+0"
	case "-empty":
		f.empty = f.empty || !f.not
	}
	f.not = false
	return primaryArgs(t)
}

// regexPattern turns a regular expression into a rough pattern: if all of its alternatives are names
// of generated files, one of them stands for all.
func regexPattern(re string) string {
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
		if !isGeneratedPattern(one) {
			return "regex"
		}
		last = one
	}
	return last
}

// maxRegex is the length of the longest regular expression that is evaluated.
const maxRegex = 200

// primaryArgs returns the number of arguments of a primary.
func primaryArgs(t string) int {
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

// findTargets returns paths that stand for everything that a find lists. picked limits them further;
// aged reports whether only old files are among them.
func findTargets(c *shell.Call, b *base, picked string) (targets []string, aged bool) {
	f := parseFind(c, b)
	for i := 0; i < len(f.args); i++ {
		switch f.args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			f.not = false
			i = f.execEnd(i)
		default:
			i += f.readPrimary(i)
		}
	}
	for len(f.groups) > 1 {
		f.closeGroup()
	}
	f.endAlternative()
	g := &f.groups[0]
	if !g.anyName {
		picked = narrowerPattern(g.widest, picked)
	}
	return f.targetPaths(picked), f.old
}

// execEnd returns the index at which the command after args[i] ends.
func (f *findExpr) execEnd(i int) int {
	end := i + 1
	for end < len(f.args) && f.args[end].Text != ";" && !(f.args[end].Text == "+" && f.args[end-1].Text == "{}") {
		end++
	}
	return end
}

// judgeFind judges find, which searches for files and may do something to them.
func (j *job) judgeFind() {
	f := parseFind(j.c, &j.base)
	for i := 0; i < len(f.args); i++ {
		switch t := f.args[i].Text; t {
		case "-delete":
			f.not = false
			j.judgeFindDelete(&f)
		case "-exec", "-execdir", "-ok", "-okdir":
			f.not = false
			end := f.execEnd(i)
			targets, all := j.addLinkTargets(&f, f.targetPaths(f.currentPattern()))
			from := len(j.out)
			j.judgeExec(f.args[i+1:end], targets, strings.HasPrefix(t, "-ok"), f.old)
			if !all {
				j.raiseUnchecked(from)
			}
			i = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(f.args) {
				j.addWrite(j.locateWord(f.args[i+1]))
			}
			i += f.readPrimary(i)
		default:
			i += f.readPrimary(i)
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSRead, "find", "searches for files")
	}
}

func (j *job) judgeFindDelete(f *findExpr) {
	p := f.currentPattern()
	targets, all := j.addLinkTargets(f, f.targetPaths(p))
	for _, t := range targets {
		s := j.searchLocation(t, f.old)
		v := deleteVerdict(s, true)
		if !all && s.isDisposable() {
			v = worse(v, medium)
		}
		switch {
		case !f.empty || s.zone == inRoot || s.zone == inSystem || s.zone == inDevice || s.zone == inNowhere:
		case f.dirs:
			v = safe // an empty directory is soon made again
		case v == medium || v == high:
			v = low
		}
		j.addEffect(&deletes, s, v)
	}
}

// addLinkTargets adds the targets of symlinks to those of a search that follows them. all is false if
// not everything that it passes could be checked.
func (j *job) addLinkTargets(f *findExpr, targets []string) (more []string, all bool) {
	if !f.follow {
		return targets, true
	}
	all = true
	for _, t := range targets {
		s := j.base.locate(t)
		if !s.isDisposable() || isGeneratedPattern(path.Base(t)) {
			continue
		}
		to, out, known := j.followTree(j.diskPath(&s))
		if out {
			more = append(more, to.path+"/*")
		}
		all = all && known
	}
	return append(more, targets...), all
}

// raiseUnchecked raises the effects of a search that may reach further than could be checked.
func (j *job) raiseUnchecked(from int) {
	for i := from; i < len(j.out); i++ {
		if e := &j.out[i]; e.Label == shell.Safe && (e.Kind == "delete" || e.Kind == "overwrite") {
			e.Label, e.Impact = shell.Destructive, shell.ImpactMedium
		}
	}
}
