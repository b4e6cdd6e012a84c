package packs

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
)

// hole stands in a text for a part that is not known.
const hole = string(shell.Hole)

// A truth is the answer to a condition when words may be unknown.
type truth uint8

const (
	no truth = iota
	maybe
	yes
)

func (t truth) and(o truth) truth { return min(t, o) }

// A flag is one option of a call: a bundle -rf is two.
type flag struct {
	name  string // without dashes
	raw   string // the word as given, without "=value"
	value string
	next  string // the word after a flag without a value, which may be one all the same
	short bool   // one letter after one dash
	set   bool   // a value is given
	early bool   // it stands before the subcommand, with a meaning of its own there: git -C x
}

// A reading is a call's words as its program takes them: flags, their values
// and the rest.
type reading struct {
	call  *shell.Call
	name  string    // the program; of one that is another by a different name, that one
	row   *program  // of the program; never nil
	kids  []program // rows of its subcommands
	sub   *program  // of the subcommand, when it has its own row
	sub2  *program
	flags []flag
	words []shell.Word // what is no flag; before them the words of row.as
	extra int          // how many words row.as put in front
	dash  int          // where in words the part after -- begins; -1 = no --
	open  bool         // an unknown word may be any flag
	loose bool         // an unknown word stands where options stand
	cut   bool         // it has more statements than are read
	over  bool         // it has more flags than are read
}

// A room is where a reading of usual size is kept, so that it need not be
// allocated.
type room struct {
	flags [6]flag
	words [8]shell.Word
}

// maxRead bounds the flags and words that are held against rules. A call with
// more of them counts as one with unknown flags.
const maxRead = 2000

// read reads a call. The reading's flags and words must be empty.
func (r *reading) read(c *shell.Call) {
	r.call, r.dash = c, -1
	var rest string
	r.row, r.kids, r.name, rest = lookup(c.Name)
	for rest != "" {
		var w string
		w, rest, _ = strings.Cut(rest, " ")
		r.words = append(r.words, shell.Word{Text: w})
		r.extra++
		r.enter()
	}
	args := c.Args
	for i := 0; i < len(args); i++ {
		if len(r.flags)+len(r.words) > maxRead {
			r.open, r.loose = true, true
			r.over = len(r.words) == r.extra || slices.ContainsFunc(args[i:], func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") || !w.Known() })
			return
		}
		i += r.word(args, i)
	}
	if r.name == "terraform" && len(c.Env) > 0 {
		r.variables(c.Env)
	}
}

// variables reads the flags that terraform takes from TF_CLI_ARGS.
func (r *reading) variables(env []shell.Variable) {
	for i := range env {
		if !strings.HasPrefix(env[i].Name, "TF_CLI_ARGS") {
			continue
		}
		var words []shell.Word
		for _, w := range strings.Fields(env[i].Value.Text) {
			words = append(words, shell.Word{Text: w})
		}
		for k := 0; k < len(words) && len(r.flags) <= maxRead; k++ {
			if strings.HasPrefix(words[k].Text, "-") {
				k += r.long(words, k)
			} else if allHoles(words[k].Text) {
				r.open, r.loose = true, true
			}
		}
	}
}

// word reads the argument at i and says how many further ones belong to it.
func (r *reading) word(args []shell.Word, i int) int {
	t := args[i].Text
	switch {
	case r.dash >= 0 || r.stopped():
		r.words = append(r.words, args[i])
	case t == "--":
		if r.row.style == bare {
			r.words = append(r.words, args[i])
			return 0
		}
		r.dash = len(r.words)
	case allHoles(t):
		if isName(&args[i]) {
			r.words = append(r.words, shell.Word{Text: "…", Quoted: true})
			break
		}
		r.words = append(r.words, args[i])
		r.open = true
		r.loose = r.loose || !args[i].Quoted && i+1 < len(args)
	case len(t) < 2 || t[0] != '-' || r.row.style == bare:
		r.words = append(r.words, args[i])
		r.enter()
	case t[1] == '-' || r.row.style == single:
		return r.long(args, i)
	default:
		return r.bundle(args, i)
	}
	return 0
}

// long reads --flag, --flag=value and --flag value.
func (r *reading) long(args []shell.Word, i int) int {
	raw, value, set := strings.Cut(args[i].Text, "=")
	name := strings.TrimPrefix(strings.TrimPrefix(raw, "-"), "-")
	if strings.Contains(raw, hole) {
		r.open = true
		return 0
	}
	f := flag{name: name, raw: raw, value: value, set: set, short: len(name) == 1 && r.row.style == single}
	used := 0
	if !set && i+1 < len(args) {
		if r.takesValue(&f) {
			f.value, f.set, used = args[i+1].Text, true, 1
			f.early = r.row.before && len(r.words) == 0
		} else {
			f.next = args[i+1].Text
		}
	}
	r.flags = append(r.flags, f)
	return used
}

// bundle reads -abc, -ovalue and -o value.
func (r *reading) bundle(args []shell.Word, i int) int {
	t := args[i].Text
	raw := t
	if cut := strings.IndexByte(t, '='); cut >= 0 {
		raw = t[:cut]
	}
	for k := 1; k < len(t); k++ {
		if len(r.flags) > maxRead {
			r.open, r.loose = true, true
			return 0
		}
		if t[k] >= utf8.RuneSelf {
			r.open = r.open || strings.Contains(t[k:], hole) && !isName(&args[i]) // -j$(nproc)
			return 0
		}
		f := flag{name: t[k : k+1], raw: raw, short: true}
		rest := t[k+1:]
		if rest != "" && rest[0] == '=' {
			f.value, f.set = rest[1:], true
			r.flags = append(r.flags, f)
			return 0
		}
		if r.takesValue(&f) {
			f.set = true
			f.early = r.row.before && len(r.words) == 0
			used := 0
			if f.value = rest; rest == "" && i+1 < len(args) {
				f.value, used = args[i+1].Text, 1
			}
			r.flags = append(r.flags, f)
			return used
		}
		if rest == "" && i+1 < len(args) {
			f.next = args[i+1].Text
		}
		r.flags = append(r.flags, f)
	}
	return 0
}

// enter notes that a word was read: it may be a subcommand with its own flags.
func (r *reading) enter() {
	switch len(r.words) {
	case 1:
		r.sub = findKid(r.kids, r.name, r.words[0].Text, "")
	case 2:
		r.sub2 = findKid(r.kids, r.name, r.words[0].Text, r.words[1].Text)
	}
}

// at is the row that says how the next word is read.
func (r *reading) at() *program {
	switch {
	case r.sub2 != nil:
		return r.sub2
	case r.sub != nil:
		return r.sub
	}
	return r.row
}

// stopped reports whether the words from here on are another program's.
func (r *reading) stopped() bool {
	stop := r.at().stop
	return stop > 0 && len(r.words) >= int(stop)
}

// takesValue reports whether a flag's value is the next word.
func (r *reading) takesValue(f *flag) bool {
	if r.sub2 != nil && inList(r.sub2.values, f) {
		return true
	}
	if r.sub != nil && (!r.sub.before || len(r.words) < 2) && inList(r.sub.values, f) {
		return true
	}
	if r.row.before && len(r.words) > 0 {
		return false
	}
	return inList(r.row.values, f)
}

// inList reports whether a flag is in a list of flags.
func inList(list string, f *flag) bool {
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if len(one) < 2 {
			continue
		}
		if f.short {
			if len(one) == 2 && one[1] == f.name[0] {
				return true
			}
		} else if one[1] == '-' && one[2:] == f.name || one[1:] == f.name && len(one) > 2 {
			return true
		}
	}
	return false
}

// has says whether a flag, a flag with a value, or a word is given. See the
// package comment for the forms of a term.
func (r *reading) has(term string) truth {
	if term == "--" {
		if r.dash >= 0 && r.dash < len(r.words) {
			return yes
		}
		return no
	}
	if len(term) < 2 || term[0] != '-' {
		return r.hasWord(term)
	}
	name, want, valued := strings.Cut(term, "=")
	name = strings.TrimPrefix(name[1:], "-")
	t := flag{name: name, raw: term, short: len(name) == 1 && term[1] != '-'}
	best := no
	for i := len(r.flags) - 1; i >= 0; i-- {
		f := &r.flags[i]
		same, negated := r.concerns(f, &t)
		switch {
		case !same || f.early && !valued:
		case valued:
			got := f.value
			if !f.set {
				got = f.next
			}
			if !negated {
				best = max(best, fitsBut(want, got))
			}
		case negated || f.set && isFalse(f.value) && !r.takesValue(f):
			return no
		case f.set && allHoles(f.value) && f.value != "" && !r.takesValue(f):
			return maybe
		default:
			return yes
		}
		if best == yes {
			return yes
		}
	}
	if r.open {
		return maybe
	}
	return best
}

// concerns reports whether a given flag is the one that a term names, or its
// negation.
func (r *reading) concerns(f, t *flag) (same, negated bool) {
	if strings.HasSuffix(t.name, "*") {
		return !f.short && strings.HasPrefix(f.name, t.name[:len(t.name)-1]), false
	}
	if f.short != t.short {
		// One dash and several letters: the word itself, as in exiftool -all.
		return !t.short && len(t.raw) > 2 && t.raw[1] != '-' && f.raw == "-"+t.name, false
	}
	if f.name == t.name {
		return true, false
	}
	if f.short {
		return false, false
	}
	if rest, ok := strings.CutPrefix(f.name, "no-"); ok && rest == t.name {
		return true, true
	}
	return r.row.style == gnu && isCut(f.name, t.name), false
}

// isCut reports whether a long flag is another one cut short. A flag that is a
// whole one by itself is not.
func isCut(given, whole string) bool {
	if len(given) < 2 || len(given) >= len(whole) || !strings.HasPrefix(whole, given) {
		return false
	}
	switch given {
	case "all", "dry", "delete", "exec", "force", "keep", "prune", "no", "output", "recursive", "remove", "mirror", "quiet", "path", "file",
		"user", "host", "db", "data", "key", "name", "pass", "password", "clean", "purge", "reset", "system", "global", "local", "list", "get", "set",
		"unset", "append", "create", "edit", "show", "config", "command", "include", "exclude", "import", "export", "from", "to", "in", "on", "out":
		return false
	}
	return true
}

func (r *reading) hasWord(term string) truth {
	best := no
	for i := range r.words {
		if best = max(best, fitsWord(term, &r.words[i])); best == yes {
			break
		}
	}
	return best
}

// isFalse reports whether a flag's value switches it off.
func isFalse(value string) bool {
	switch value {
	case "false", "False", "FALSE", "0", "f", "F", "no", "off", "none", "never":
		return true
	}
	return false
}

// allHoles reports whether nothing of a word is known.
func allHoles(t string) bool {
	for _, c := range t {
		if c != shell.Hole {
			return false
		}
	}
	return t != ""
}

// isName reports whether an unknown word comes from a command that prints one
// name, which is no flag and no path: $(git branch --show-current).
func isName(w *shell.Word) bool {
	for _, c := range w.From {
		switch c.Name {
		case "whoami", "hostname", "nproc", "id", "uname", "date":
		case "git":
			if !printsName(c.Args) {
				return false
			}
		default:
			return false
		}
	}
	return len(w.From) > 0
}

// printsName reports whether git with these words prints the name of a branch or
// a commit.
func printsName(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; t {
		case "branch", "rev-parse", "symbolic-ref", "describe", "merge-base", "name-rev":
			return true
		default:
			if t == "" || t[0] != '-' {
				return false
			}
		}
	}
	return false
}
