package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxPatterns bounds the alternatives of find's expression that are told apart.
const maxPatterns = 16

// A search walks find's expression to know what an action in it is done to.
type search struct {
	starts []shell.Word
	groups []searchGroup // one for each open parenthesis, and one for all
	not    bool          // the next test is negated
	over   bool          // there are more parentheses than are told apart
}

// start adds a start point. The last one stands for all that follow.
func (s *search) start(word shell.Word) {
	if len(s.starts) < maxLoop {
		s.starts = append(s.starts, word)
		return
	}
	s.starts[maxLoop-1] = cut()
}

// A searchGroup is what stands in one pair of parentheses. Patterns are those of
// which one must fit; none means that anything does.
type searchGroup struct {
	chain []string // of the tests that are joined by "and", so far
	alts  []string // of the alternatives before
	any   bool     // an alternative takes anything
	not   bool     // the group is negated
}

// foundBy are the files that find's words lead to where an action stands: its
// start points with what the paths are to be like.
func foundBy(args []shell.Word, at int) []shell.Word {
	s := search{groups: make([]searchGroup, 1, 4)}
	i := s.begin(args)
	for ; i < min(at, len(args)); i++ {
		i += s.step(args, i)
	}
	if s.over {
		return s.words(nil) // anything may fit
	}
	if at >= len(args) {
		for len(s.groups) > 1 {
			s.end()
		}
		s.or()
		g := &s.groups[0]
		if g.any {
			return s.words(nil)
		}
		return s.words(g.alts)
	}
	var all []string
	for j := range s.groups {
		all = narrowed(all, s.groups[j].chain)
	}
	return s.words(all)
}

// begin reads the options and the start points.
func (s *search) begin(args []shell.Word) int {
	i := 0
	for ; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-H" || t == "-L" || t == "-P" || t == "-E" || t == "-X" || t == "-s" || t == "-x" || strings.HasPrefix(t, "-O"):
			continue
		case t == "-D":
			i++
			continue
		case t == "-f" && i+1 < len(args):
			i++
			s.starts = append(s.starts, args[i])
			continue
		}
		break
	}
	for ; i < len(args); i++ {
		if t := args[i].Text; t != "" && (t[0] == '-' && len(t) > 1 || t == "(" || t == ")" || t == "!" || t == ",") {
			break
		}
		s.start(args[i])
	}
	if len(s.starts) == 0 {
		s.starts = []shell.Word{{Text: "."}}
	}
	return i
}

// step reads one primary and returns how many arguments it has.
func (s *search) step(args []shell.Word, i int) int {
	t, value := args[i].Text, ""
	if i+1 < len(args) {
		value = args[i+1].Text
	}
	switch t {
	case "(":
		if len(s.groups) < maxDepth {
			s.groups = append(s.groups, searchGroup{not: s.not})
		} else {
			s.over = true
		}
		s.not = false
		return 0
	case ")":
		s.end()
		return 0
	case "!", "-not":
		s.not = !s.not
		return 0
	case "-o", "-or", ",":
		s.or()
		return 0
	case "-a", "-and":
		return 0
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename":
		s.test([]string{value})
		return 1
	case "-regex", "-iregex":
		s.test(plainPattern(value))
		return 1
	case "-exec", "-execdir", "-ok", "-okdir":
		s.not = false
		end := i + 1
		for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && strings.Contains(args[end-1].Text, "{}")) {
			end++
		}
		return end - i
	}
	s.not = false
	return primaryArgs(t)
}

// primaryArgs is the number of arguments of the primaries that say nothing of
// paths.
func primaryArgs(t string) int {
	switch t {
	case "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-user", "-group", "-uid", "-gid", "-perm", "-maxdepth", "-mindepth",
		"-links", "-inum", "-fstype", "-used", "-context", "-printf", "-regextype", "-files0-from", "-fprint", "-fprint0", "-fls", "-flags", "-lname", "-ilname", "-samefile":
		return 1
	case "-fprintf":
		return 2
	}
	if strings.HasPrefix(t, "-newer") || t == "-anewer" || t == "-cnewer" {
		return 1
	}
	return 0
}

// test takes in patterns of which one must fit.
func (s *search) test(patterns []string) {
	g := &s.groups[len(s.groups)-1]
	if !s.not {
		g.chain = narrowed(g.chain, patterns)
	}
	s.not = false
}

// or ends an alternative.
func (s *search) or() {
	g := &s.groups[len(s.groups)-1]
	if len(g.chain) == 0 || len(g.alts)+len(g.chain) > maxPatterns {
		g.any = true
	} else {
		g.alts = append(g.alts, g.chain...)
	}
	g.chain, s.not = nil, false
}

// end closes a parenthesis.
func (s *search) end() {
	if len(s.groups) == 1 {
		return
	}
	s.or()
	g := s.groups[len(s.groups)-1]
	s.groups = s.groups[:len(s.groups)-1]
	if s.not = g.not; !g.any {
		s.test(g.alts)
	}
	s.not = false
}

// narrowed are patterns that stand for what fits one of each list.
func narrowed(a, b []string) []string {
	switch {
	case len(a) == 0 || len(a) == 1 && strings.Trim(a[0], "*") == "":
		return b
	case len(b) == 0:
		return a
	case len(a) == 1 && len(b) == 1:
		return []string{narrower(a[0], b[0])}
	}
	return a
}

// narrower puts the pattern of a name behind that of a path.
func narrower(a, b string) string {
	if strings.Contains(b, "/") && !strings.Contains(a, "/") {
		a, b = b, a
	}
	if dir, ok := strings.CutSuffix(a, "/*"); ok && !strings.Contains(b, "/") {
		return dir + "/" + b
	}
	return a
}

// plainPattern is a regular expression as a pattern, when it is a simple one.
func plainPattern(re string) []string {
	re = strings.TrimSuffix(strings.TrimPrefix(re, "^"), "$")
	re = strings.ReplaceAll(strings.ReplaceAll(re, ".*", "*"), `\.`, ".")
	if strings.ContainsAny(re, `\[](){}|+?^$`) || strings.Trim(re, "*./") == "" {
		return nil
	}
	return []string{re}
}

// words are the start points with the patterns below them.
func (s *search) words(patterns []string) []shell.Word {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	out := make([]shell.Word, 0, len(s.starts)*len(patterns))
	for _, start := range s.starts {
		base := strings.TrimRight(start.Text, "/")
		for _, p := range patterns {
			text := base + "/" + p
			if p == "" {
				text = base + "/*"
			} else if p[0] == '/' || strings.HasPrefix(p, "./") || strings.HasPrefix(p, start.Text+"/") {
				text = p
			}
			out = append(out, shell.Word{Text: text, Glob: true, From: start.From})
		}
	}
	return out
}

// fdFinds are the files that fd's words lead to: a pattern, then directories.
func fdFinds(args []shell.Word) []shell.Word {
	f := flags{args: args, wr: &wrapper{short: "dtEeScjo", long: "--extension --type --exclude --max-depth --min-depth --exact-depth --size --changed-within --changed-before --owner --color --threads --base-directory --search-path --path-separator --max-results --ignore-file --format --batch-size --and"}}
	s := search{groups: make([]searchGroup, 1)}
	pattern := ""
	for len(f.args) > 0 {
		a := f.args[0]
		if len(a.Text) > 1 && a.Text[0] == '-' {
			val := ""
			n := f.flag(a.Text, f.args)
			if n > 1 {
				val = f.args[1].Text
			} else if _, v, ok := strings.Cut(a.Text, "="); ok {
				val = v
			}
			switch name, _, _ := strings.Cut(a.Text, "="); {
			case name == "--extension" || strings.HasPrefix(name, "-e"):
				if n == 1 && val == "" {
					val = a.Text[2:]
				}
				s.test([]string{"*." + strings.TrimPrefix(val, ".")})
			case name == "--search-path" || name == "--base-directory":
				s.starts = append(s.starts, shell.Word{Text: val})
			}
			f.args = f.args[n:]
			continue
		}
		if pattern == "" {
			pattern = a.Text
		} else {
			s.start(a)
		}
		f.args = f.args[1:]
	}
	if len(s.starts) == 0 {
		s.starts = []shell.Word{{Text: "."}}
	}
	if pattern != "." {
		s.test(plainPattern(pattern))
	}
	return s.words(s.groups[0].chain)
}
