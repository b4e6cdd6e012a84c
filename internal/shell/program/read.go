package program

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
)

// hole stands in a text for a part that is not known.
const hole = string(shell.Placeholder)

// A Flag is one option of a call: a bundle -rf is two.
type Flag struct {
	Name  string // without dashes
	Raw   string // the word as given, without "=value"
	Value string
	Next  string // the word after a flag without a value, which may be one all the same
	At    int    // the argument that holds it, or its value
	Short bool   // one letter after one dash
	Set   bool   // a value is given
	Early bool   // it is before the subcommand, with a meaning of its own there: git -C x
}

// A Reading is a call's words as its program takes them: flags, their values
// and the rest.
type Reading struct {
	Call   *shell.Call
	Name   string // the program; of one that is another by a different name, that one
	Row    *Row   // of the program; never nil
	Sub    *Row   // of the subcommand, when it has its own row
	Sub2   *Row
	Sub3   *Row
	Flags  []Flag
	Words  []shell.Word // what is no flag; before them the words of Row.As
	At     []int        // which argument each word is; -1 = none
	Extra  int          // how many words Row.As put in front
	Dash   int          // where in Words the part after -- begins; -1 = no --
	Open   bool         // an unknown word may be any flag
	Loose  bool         // an unknown word is where options are
	Over   bool         // it has more flags than can be checked
	kids   []Row        // rows of its subcommands
	unread int          // the first argument that was not read; 0 = all were
	lead   int          // how many of the operands stand before those that are counted: env A=1
	other  bool         // a word that its row asks for is another one
}

// A Room is where a reading of usual size is kept, so that it need not be
// allocated.
type Room struct {
	flags [6]Flag
	words [8]shell.Word
	at    [8]int
}

// maxRead bounds the flags and words that are held against rules. A call with
// more of them counts as one with unknown flags.
const maxRead = 2000

// Read reads a call; space is for one of usual size, nil allocates.
func (r *Reading) Read(c *shell.Call, space *Room) {
	args := c.Args
	for i := r.begin(c, c.Name, space); i < len(args); i++ {
		if len(r.Flags)+len(r.Words) > maxRead {
			r.Open, r.Loose, r.unread = true, true, i
			r.Over = len(r.Words) == r.Extra || slices.ContainsFunc(args[i:], func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") || !w.IsKnown() })
			return
		}
		i += r.word(args, i)
	}
	if len(c.Env) > 0 && Is(r.Name, IsTerraform) {
		r.variables(c.Env)
	}
}

// begin looks up how the words of a program are read, takes in the words that its name stands for, and
// says which argument is the next.
func (r *Reading) begin(c *shell.Call, name string, space *Room) int {
	*r = Reading{Call: c, Dash: -1}
	if space != nil {
		r.Flags, r.Words, r.At = space.flags[:0], space.words[:0], space.at[:0]
	}
	var rest string
	r.Row, r.kids, r.Name, rest = lookup(name)
	for rest != "" {
		var w string
		w, rest, _ = strings.Cut(rest, " ")
		r.put(shell.Word{Text: w}, -1)
		r.Extra++
		r.enter()
	}
	if r.Row.Old && len(c.Args) > 0 && isPlain(c.Args[0].Text) {
		return r.dashless(c.Args)
	}
	return 0
}

// dashless reads a first word that is options without a dash, whose values are the
// words behind it in their order, and says how many words that is.
func (r *Reading) dashless(args []shell.Word) int {
	t, used := args[0].Text, 1
	for k := range len(t) {
		f := Flag{Name: t[k : k+1], Raw: t, Short: true}
		if r.TakesValue(&f) && used < len(args) {
			f.Value, f.Set, f.At = args[used].Text, true, used
			used++
		}
		r.Flags = append(r.Flags, f)
	}
	return used
}

// isPlain reports whether a word is nothing but letters.
func isPlain(t string) bool {
	for i := range len(t) {
		if b := t[i] | 0x20; b < 'a' || b > 'z' {
			return false
		}
	}
	return t != ""
}

// variables reads the flags that terraform takes from TF_CLI_ARGS.
func (r *Reading) variables(env []shell.Variable) {
	for i := range env {
		if !strings.HasPrefix(env[i].Name, "TF_CLI_ARGS") {
			continue
		}
		var words []shell.Word
		for _, w := range strings.Fields(env[i].Value.Text) {
			words = append(words, shell.Word{Text: w})
		}
		for k := 0; k < len(words) && len(r.Flags) <= maxRead; k++ {
			if strings.HasPrefix(words[k].Text, "-") {
				k += r.long(words, k)
			} else if AllHoles(words[k].Text) {
				r.Open, r.Loose = true, true
			}
		}
	}
}

// put takes in a word that is no flag.
func (r *Reading) put(w shell.Word, at int) {
	r.Words, r.At = append(r.Words, w), append(r.At, at)
}

// word reads the argument at i and says how many further ones belong to it.
func (r *Reading) word(args []shell.Word, i int) int {
	t := args[i].Text
	switch {
	case r.Dash >= 0 || r.stopped():
		r.put(args[i], i)
		if r.leads() {
			r.lead++
		}
	case t == "--":
		if r.Row.Style == Bare {
			r.put(args[i], i)
			return 0
		}
		r.Dash = len(r.Words)
	case AllHoles(t):
		if isName(&args[i]) {
			r.put(shell.Word{Text: "…", Quoted: true}, i)
			break
		}
		r.put(args[i], i)
		r.Open = true
		r.Loose = r.Loose || !args[i].Quoted && i+1 < len(args)
	case t == "-" && r.Row.Runs != "" && strings.Contains(r.Row.Options, " -!"):
		r.Flags = append(r.Flags, Flag{Name: t, Raw: t, At: i}) // env - x
	case len(t) < 2 || t[0] != '-' || r.Row.Style == Bare:
		r.put(args[i], i)
		if r.leads() {
			r.lead++
			break
		}
		r.enter()
	case t[1] == '-' || r.Row.Style == Single || r.isWhole(t):
		return r.long(args, i)
	default:
		return r.bundle(args, i)
	}
	return 0
}

// isWhole reports whether a word of one dash and several letters is an option by
// itself, as in nmap -oN, of a program that has bundles as well.
func (r *Reading) isWhole(t string) bool {
	if len(t) < 3 {
		return false
	}
	name, _, _ := strings.Cut(t, "=")
	if len(name) < 3 {
		return false
	}
	f := Flag{Name: name[1:], Raw: name}
	_, ok := r.anyOption(&f, spelt)
	return ok
}

// long reads --flag, --flag=value and --flag value.
func (r *Reading) long(args []shell.Word, i int) int {
	raw, value, set := strings.Cut(args[i].Text, "=")
	name := strings.TrimPrefix(strings.TrimPrefix(raw, "-"), "-")
	if strings.Contains(raw, hole) {
		r.Open = true
		return 0
	}
	f := Flag{Name: name, Raw: raw, Value: value, Set: set, At: i, Short: len(name) == 1 && r.Row.Style == Single}
	used := 0
	if !set && i+1 < len(args) {
		if o, ok := r.optionNow(&f); ok && o.kind == '=' {
			f.Value, f.Set, f.At, used = args[i+1].Text, true, i+1, 1
			f.Early = r.Row.Before && len(r.Words) == 0
		} else {
			f.Next = args[i+1].Text
		}
	}
	r.Flags = append(r.Flags, f)
	return used
}

// bundle reads -abc, -ovalue and -o value.
func (r *Reading) bundle(args []shell.Word, i int) int {
	t := args[i].Text
	raw := t
	if cut := strings.IndexByte(t, '='); cut >= 0 {
		raw = t[:cut]
	}
	for k := 1; k < len(t); k++ {
		if len(r.Flags) > maxRead {
			r.Open, r.Loose = true, true
			return 0
		}
		if t[k] >= utf8.RuneSelf {
			r.Open = r.Open || strings.Contains(t[k:], hole) && !isName(&args[i]) // -j$(nproc)
			return 0
		}
		f := Flag{Name: t[k : k+1], Raw: raw, At: i, Short: true}
		rest := t[k+1:]
		if rest != "" && rest[0] == '=' {
			f.Value, f.Set = rest[1:], true
			r.Flags = append(r.Flags, f)
			return 0
		}
		if o, ok := r.option(&f); ok && (o.kind == '=' || o.kind == '?' && rest != "") {
			f.Set = true
			f.Early = r.Row.Before && len(r.Words) == 0
			used := 0
			if f.Value = rest; rest == "" && i+1 < len(args) {
				f.Value, f.At, used = args[i+1].Text, i+1, 1
			}
			r.Flags = append(r.Flags, f)
			return used
		}
		if rest == "" && i+1 < len(args) {
			f.Next = args[i+1].Text
		}
		r.Flags = append(r.Flags, f)
	}
	return 0
}

// enter notes that a word was read: it may be a subcommand with its own flags.
func (r *Reading) enter() {
	switch w := r.Words; len(w) {
	case 1:
		r.Sub = findKid(r.kids, r.Name, w[0].Text, "", "")
	case 2:
		r.Sub2 = findKid(r.kids, r.Name, w[0].Text, w[1].Text, "")
	case 3:
		r.Sub3 = findKid(r.kids, r.Name, w[0].Text, w[1].Text, w[2].Text)
	}
}

// at is the row that says how the next word is read.
func (r *Reading) at() *Row {
	switch {
	case r.Sub3 != nil:
		return r.Sub3
	case r.Sub2 != nil:
		return r.Sub2
	case r.Sub != nil:
		return r.Sub
	}
	return r.Row
}

// Last is the row of the last subcommand that has one, or the program's own.
func (r *Reading) Last() *Row { return r.at() }

// Listed reports whether a row lists a flag.
func (r *Reading) Listed(f *Flag) bool {
	_, ok := r.optionAt(f)
	return ok
}

// stopped reports whether the words from here on are another program's.
func (r *Reading) stopped() bool {
	row := r.at()
	if row.Stop > 0 {
		return len(r.Words) >= int(row.Stop)
	}
	if row.Runs == "" {
		return false
	}
	at, first, dashed := row.command()
	return at >= 0 && !dashed && len(r.Words)-r.lead >= row.depth()+first
}

// TakesValue reports whether a flag's value is the next word.
func (r *Reading) TakesValue(f *Flag) bool {
	o, ok := r.option(f)
	return ok && o.kind == '='
}

// option is what the rows say of a flag that is given here.
func (r *Reading) option(f *Flag) (option, bool) { return r.optionBy(f, same) }

// optionNow is option, also of a long flag that is cut short.
func (r *Reading) optionNow(f *Flag) (option, bool) {
	if o, ok := r.option(f); ok || f.Short || r.Row.Style != GNU {
		return o, ok
	}
	return r.optionBy(f, r.Row.shortened())
}

func (r *Reading) optionBy(f *Flag, like likeness) (option, bool) {
	for _, sub := range [...]*Row{r.Sub3, r.Sub2} {
		if sub == nil {
			continue
		}
		if o, ok := findBy(sub.Options, f, like); ok {
			return o, true
		}
	}
	if r.Sub != nil && (!r.Sub.Before || len(r.Words) < 2) {
		if o, ok := findBy(r.Sub.Options, f, like); ok {
			return o, true
		}
	}
	if r.Row.Before && len(r.Words) > 0 {
		return option{}, false
	}
	return findBy(r.Row.Options, f, like)
}

// An option is one entry of a row's options.
type option struct {
	name  string // the one that was found
	names string // all of them, separated by |
	kind  byte   // '=' takes a value, '?' takes one in the same word, 0 takes none, '!' neither and changes the rest
	role  string // of the value, as it is written
}

// findBy looks for a flag in a list of options.
func findBy(list string, f *Flag, like likeness) (option, bool) {
	if f.Name == "-" { // a dash by itself: env -
		_, rest, ok := strings.Cut(list, " -!")
		role, _, _ := strings.Cut(rest, " ")
		return option{name: "-", names: "-", kind: '!', role: role}, ok
	}
	from := 0
	for name := "-" + f.Name; ; {
		at := strings.Index(list[from:], name)
		if at < 0 {
			return findEnding(list, f)
		}
		at += from
		if end := at + len(name); f.Short && end < len(list) && strings.IndexByte(" |=?!", list[end]) < 0 {
			from = end // -d of --data
			continue
		}
		start := strings.LastIndexByte(list[:at], ' ') + 1
		one, _, _ := strings.Cut(list[start:], " ")
		from = start + len(one)
		o := option{names: one}
		if i := strings.IndexAny(one, "=?!"); i > 0 {
			o.names, o.kind, o.role = one[:i], one[i], one[i+1:]
		}
		for names := o.names; names != ""; {
			var one string
			one, names, _ = strings.Cut(names, "|")
			if like.fits(one, f) {
				o.name = one
				return o, true
			}
		}
	}
}

// findEnding looks for a long flag among options of which only the end is written:
// --*_out.
func findEnding(list string, f *Flag) (option, bool) {
	_, rest, ok := strings.Cut(list, "--*")
	if !ok || f.Short {
		return option{}, false
	}
	end, rest, _ := strings.Cut(rest, "=")
	role, _, _ := strings.Cut(rest, " ")
	return option{name: "--" + f.Name, names: "--*" + end, kind: '=', role: role}, strings.HasSuffix(f.Name, end)
}

// isFlag reports whether a flag has that name.
func isFlag(name string, f *Flag) bool {
	switch {
	case len(name) < 2:
		return name == f.Name && !f.Short
	case f.Short:
		return len(name) == 2 && name[1] == f.Name[0]
	case name[1] == '-':
		return name[2:] == f.Name
	}
	return len(name) > 2 && name[1:] == f.Name
}

// shortened is how long options of a program are cut short.
func (r *Row) shortened() likeness {
	if r.All {
		return cutAny
	}
	return cut
}

// A likeness is how a flag is held against an option's name.
type likeness uint8

const (
	same   likeness = iota // it has that name
	spelt                  // the word is the name, dash and all
	cut                    // it is the name cut short
	cutAny                 // it is, of a program whose options are all listed
)

// fits reports whether a flag is the option of a name.
func (l likeness) fits(name string, f *Flag) bool {
	switch l {
	case same:
		return isFlag(name, f)
	case spelt:
		return name == f.Raw
	case cutAny:
		return len(name) > 2 && name[1] == '-' && f.Name != "" && strings.HasPrefix(name[2:], f.Name)
	}
	return len(name) > 3 && name[1] == '-' && isCut(f.Name, name[2:])
}

// AllHoles reports whether nothing of a word is known.
func AllHoles(t string) bool {
	for _, c := range t {
		if c != shell.Placeholder {
			return false
		}
	}
	return t != ""
}

// isName reports whether an unknown word comes from a command that prints one
// name, which is no flag and no path: $(git branch --show-current).
func isName(w *shell.Word) bool {
	for _, c := range w.From {
		if !Is(c.Name, IsNamePrinter) && !(Is(c.Name, IsGit) && printsName(c.Args)) {
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
