package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A findGroup is one level of parentheses in an expression of find.
type findGroup struct {
	chain   string // the narrowest pattern of the tests joined by "and"; "" = any name
	widest  string // the widest pattern of the alternatives so far
	anyName bool   // an alternative allows any name
	alts    int
	not     bool // the group is negated
}

// A findExpr evaluates the expression of a call of find.
type findExpr struct {
	args   []shell.Word
	starts []string
	groups []findGroup
	not    bool // the next test is negated
	empty  bool // -empty was given
	dirs   bool // -type d was given
	old    bool // a test selects only old files
	follow bool // symlinks are followed
}

// maxGroups bounds the nesting of parentheses.
const maxGroups = 32

// parseFind returns the expression of c, a call of find, after reading its options and start paths.
func parseFind(c *shell.Call, b *base) findExpr {
	f := findExpr{args: c.Args, groups: make([]findGroup, 1, 4)}
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
	f.follow = f.follow || hasAnyOption(f.args, "-follow")
	return f
}

// maxStarts is the number of start paths up to which each one is evaluated.
const maxStarts = 16

// onePerZone returns the first of paths in each zone, so that many paths cannot hide a dangerous one.
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

// narrowerPattern returns the narrower of the patterns a and b, as far as that is known. "" matches
// any name.
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

// isGeneratedPattern reports whether pattern matches only generated files.
func isGeneratedPattern(pattern string) bool {
	return projectZone(strings.TrimPrefix(pattern, "/")) == inGenerated
}

// addTest adds a test that a name or path matches pattern. A negated test does not narrow the result.
func (f *findExpr) addTest(pattern string) {
	g := &f.groups[len(f.groups)-1]
	if !f.not && !matchesEverything(pattern) {
		g.chain = narrowerPattern(g.chain, pattern)
	}
	f.not = false
}

// endAlternative ends an alternative of the current group, as -o does.
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

// openGroup handles an opening parenthesis.
func (f *findExpr) openGroup() {
	if len(f.groups) < maxGroups {
		f.groups = append(f.groups, findGroup{not: f.not})
	}
	f.not = false
}

// closeGroup handles a closing parenthesis: the group becomes a test of the group around it.
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

// currentPattern returns the pattern that the files of an action at this point match; "" matches any
// name.
func (f *findExpr) currentPattern() string {
	p := ""
	for i := range f.groups {
		p = narrowerPattern(p, f.groups[i].chain)
	}
	return p
}

// targetPaths returns, for each start path, a path that stands for everything below it that matches
// pattern.
func (f *findExpr) targetPaths(pattern string) []string {
	out := make([]string, 0, len(f.starts))
	for _, start := range f.starts {
		out = append(out, joinPattern(start, pattern))
	}
	return out
}

// joinPattern returns a path that stands for the files below start that match pattern.
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

// readPrimary evaluates the primary at args[i] and returns how many arguments follow it. Actions are
// left to the caller.
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

// regexPattern returns a rough pattern for the regular expression re. If all its alternatives are
// names of generated files, one of them stands for all. It returns "regex" if nothing is known, and
// "*" if re matches everything.
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

// maxRegex is the length of the longest regular expression that is parsed.
const maxRegex = 200

// primaryArgs returns how many arguments the primary t takes.
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

// findTargets returns paths that stand for everything that c, a call of find, prints. picked is a
// pattern that limits them further. aged reports whether only old files are among them.
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

// execEnd returns the index of the word that ends the command of the -exec at args[i].
func (f *findExpr) execEnd(i int) int {
	end := i + 1
	for end < len(f.args) && f.args[end].Text != ";" && !(f.args[end].Text == "+" && f.args[end-1].Text == "{}") {
		end++
	}
	return end
}

// judgeFind judges find, which searches for files and may delete them or run commands on them.
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

// judgeFindDelete adds the effects of -delete at the current point of f.
func (j *job) judgeFindDelete(f *findExpr) {
	p := f.currentPattern()
	targets, all := j.addLinkTargets(f, f.targetPaths(p))
	for _, t := range targets {
		s := j.searchLocation(t, f.old)
		v := deleteVerdict(s, true)
		if !all && s.isDisposable() {
			v = worseVerdict(v, medium)
		}
		switch {
		case !f.empty || s.zone == inRoot || s.zone == inSystem || s.zone == inDevice || s.zone == inNowhere:
		case f.dirs:
			v = safe // an empty directory is easily created again
		case v == medium || v == high:
			v = low
		}
		j.addEffect(&deletes, s, v)
	}
}

// addLinkTargets returns targets, the results of the search f. If f follows symlinks, it adds the
// targets of those that leave disposable locations. complete is false if not everything could be
// checked.
func (j *job) addLinkTargets(f *findExpr, targets []string) (withTargets []string, complete bool) {
	if !f.follow {
		return targets, true
	}
	complete = true
	for _, t := range targets {
		s := j.base.locate(t)
		if !s.isDisposable() || isGeneratedPattern(path.Base(t)) {
			continue
		}
		to, out, known := j.followTree(j.diskPath(&s))
		if out {
			withTargets = append(withTargets, to.path+"/*")
		}
		complete = complete && known
	}
	return append(withTargets, targets...), complete
}

// raiseUnchecked makes safe deletions and overwrites from index from on destructive, because the
// search may reach files that could not be checked.
func (j *job) raiseUnchecked(from int) {
	for i := from; i < len(j.out); i++ {
		if e := &j.out[i]; e.Label == shell.Safe && (e.Kind == "delete" || e.Kind == "overwrite") {
			e.Label, e.Impact = shell.Destructive, shell.ImpactMedium
		}
	}
}
