package program

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
)

// placeholder stands for an unknown part of a text.
const placeholder = string(shell.Placeholder)

// A Flag is one option of a call; a bundle such as -rf is two.
type Flag struct {
	Name  string // without dashes
	Raw   string // the word as written, without "=value"
	Value string
	Next  string // the word after a flag without a value, which may still be its value
	At    int    // the index of the argument with its value, or with the flag
	Short bool   // one letter after one dash
	Set   bool   // it has a value
	Early bool   // it precedes the subcommand and has another meaning there: git -C x
}

// A Reading holds the words of a call as its program interprets them: flags, their values and
// operands.
type Reading struct {
	Call   *shell.Call
	Name   string // the program, or the one that it is an alias of
	Row    *Row   // the row of the program; never nil
	Sub    *Row   // the row of the subcommand, or nil
	Sub2   *Row
	Sub3   *Row
	Flags  []Flag
	Words  []shell.Word // the operands, after the words of Row.As
	At     []int        // the index of the argument of each word, or -1
	Extra  int          // the number of words from Row.As
	Dash   int          // the index in Words of the part after --, or -1
	Open   bool         // an unknown word may be any flag
	Loose  bool         // an unknown word is in a position for options
	Over   bool         // the call has more flags than can be checked
	kids   []Row        // the rows of the subcommands
	unread int          // the index of the first argument that was not read, or 0
	lead   int          // the number of leading words before the operands: env A=1
	other  bool         // a word that the row requires is missing
}

// A Buffer is space for a reading of usual size, to avoid allocations.
type Buffer struct {
	flags [6]Flag
	words [8]shell.Word
	at    [8]int
}

// maxRead bounds the flags and words that are matched against rules. A call with more of them counts
// as one with unknown flags.
const maxRead = 2000

// Read reads c into space, which is for a reading of usual size. If space is nil, Read allocates.
func (r *Reading) Read(c *shell.Call, space *Buffer) {
	args := c.Args
	for i := r.begin(c, c.Name, space); i < len(args); i++ {
		if len(r.Flags)+len(r.Words) > maxRead {
			r.Open, r.Loose, r.unread = true, true, i
			r.Over = len(r.Words) == r.Extra || slices.ContainsFunc(args[i:], func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") || !w.IsKnown() })
			return
		}
		i += r.readArg(args, i)
	}
	if len(c.Env) > 0 && Is(r.Name, IsTerraform) {
		r.readVariables(c.Env)
	}
}

// begin initializes r for a call of the program name, adds the words that the name stands for, and
// returns the index of the next argument.
func (r *Reading) begin(c *shell.Call, name string, space *Buffer) int {
	*r = Reading{Call: c, Dash: -1}
	if space != nil {
		r.Flags, r.Words, r.At = space.flags[:0], space.words[:0], space.at[:0]
	}
	var rest string
	r.Row, r.kids, r.Name, rest = lookupProgram(name)
	for rest != "" {
		var w string
		w, rest, _ = strings.Cut(rest, " ")
		r.addWord(shell.Word{Text: w}, -1)
		r.Extra++
		r.enterSubcommand()
	}
	if r.Row.Old && len(c.Args) > 0 && isLetters(c.Args[0].Text) {
		return r.readDashless(c.Args)
	}
	return 0
}

// readDashless reads a first word that is options without a dash. Their values are the words after it
// in order. It returns the number of words read.
func (r *Reading) readDashless(args []shell.Word) int {
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

// isLetters reports whether a word consists of letters.
func isLetters(t string) bool {
	for i := range len(t) {
		if b := t[i] | 0x20; b < 'a' || b > 'z' {
			return false
		}
	}
	return t != ""
}

// readVariables reads the flags that terraform takes from TF_CLI_ARGS.
func (r *Reading) readVariables(env []shell.Variable) {
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
				k += r.readLong(words, k)
			} else if IsUnknown(words[k].Text) {
				r.Open, r.Loose = true, true
			}
		}
	}
}

// addWord adds an operand.
func (r *Reading) addWord(w shell.Word, at int) {
	r.Words, r.At = append(r.Words, w), append(r.At, at)
}

// readArg reads args[i] and returns how many further arguments belong to it.
func (r *Reading) readArg(args []shell.Word, i int) int {
	t := args[i].Text
	switch {
	case r.Dash >= 0 || r.isPastOwnWords():
		r.addWord(args[i], i)
		if r.isLeadingWord() {
			r.lead++
		}
	case t == "--":
		if r.Row.Style == Bare {
			r.addWord(args[i], i)
			return 0
		}
		r.Dash = len(r.Words)
	case IsUnknown(t):
		if isPrintedName(&args[i]) {
			r.addWord(shell.Word{Text: "…", Quoted: true}, i)
			break
		}
		r.addWord(args[i], i)
		r.Open = true
		r.Loose = r.Loose || !args[i].Quoted && i+1 < len(args)
	case t == "-" && r.Row.Runs != "" && strings.Contains(r.Row.Options, " -!"):
		r.Flags = append(r.Flags, Flag{Name: t, Raw: t, At: i}) // env - x
	case len(t) < 2 || t[0] != '-' || r.Row.Style == Bare:
		r.addWord(args[i], i)
		if r.isLeadingWord() {
			r.lead++
			break
		}
		r.enterSubcommand()
	case t[1] == '-' || r.Row.Style == Single || r.isLongOption(t):
		return r.readLong(args, i)
	default:
		return r.readBundle(args, i)
	}
	return 0
}

// isLongOption reports whether a word with one dash and several letters is a single option, such as
// nmap -oN, of a program that also has bundles.
func (r *Reading) isLongOption(t string) bool {
	if len(t) < 3 {
		return false
	}
	name, _, _ := strings.Cut(t, "=")
	if len(name) < 3 {
		return false
	}
	f := Flag{Name: name[1:], Raw: name}
	_, ok := r.findOptionIn(&f, sameWord)
	return ok
}

// readLong reads --flag, --flag=value and --flag value.
func (r *Reading) readLong(args []shell.Word, i int) int {
	raw, value, set := strings.Cut(args[i].Text, "=")
	name := strings.TrimPrefix(strings.TrimPrefix(raw, "-"), "-")
	if strings.Contains(raw, placeholder) {
		r.Open = true
		return 0
	}
	f := Flag{Name: name, Raw: raw, Value: value, Set: set, At: i, Short: len(name) == 1 && r.Row.Style == Single}
	used := 0
	if !set && i+1 < len(args) {
		if o, ok := r.currentOrShortOption(&f); ok && o.kind == '=' {
			f.Value, f.Set, f.At, used = args[i+1].Text, true, i+1, 1
			f.Early = r.Row.Before && len(r.Words) == 0
		} else {
			f.Next = args[i+1].Text
		}
	}
	r.Flags = append(r.Flags, f)
	return used
}

// readBundle reads -abc, -ovalue and -o value.
func (r *Reading) readBundle(args []shell.Word, i int) int {
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
			r.Open = r.Open || strings.Contains(t[k:], placeholder) && !isPrintedName(&args[i]) // -j$(nproc)
			return 0
		}
		f := Flag{Name: t[k : k+1], Raw: raw, At: i, Short: true}
		rest := t[k+1:]
		if rest != "" && rest[0] == '=' {
			f.Value, f.Set = rest[1:], true
			r.Flags = append(r.Flags, f)
			return 0
		}
		if o, ok := r.currentOption(&f); ok && (o.kind == '=' || o.kind == '?' && rest != "") {
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

// enterSubcommand sets the row of the subcommand that the words so far name.
func (r *Reading) enterSubcommand() {
	switch w := r.Words; len(w) {
	case 1:
		r.Sub = findSubcommandRow(r.kids, r.Name, w[0].Text, "", "")
	case 2:
		r.Sub2 = findSubcommandRow(r.kids, r.Name, w[0].Text, w[1].Text, "")
	case 3:
		r.Sub3 = findSubcommandRow(r.kids, r.Name, w[0].Text, w[1].Text, w[2].Text)
	}
}

// currentRow returns the row that describes the next word.
func (r *Reading) currentRow() *Row {
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

// LastRow returns the row of the last subcommand that has one, or the row of the program.
func (r *Reading) LastRow() *Row { return r.currentRow() }

// IsListed reports whether a row lists a flag.
func (r *Reading) IsListed(f *Flag) bool {
	_, ok := r.findOption(f)
	return ok
}

// isPastOwnWords reports whether the remaining words belong to another program.
func (r *Reading) isPastOwnWords() bool {
	row := r.currentRow()
	if row.Stop > 0 {
		return len(r.Words) >= int(row.Stop)
	}
	if row.Runs == "" {
		return false
	}
	at, first, dashed := row.commandPosition()
	return at >= 0 && !dashed && len(r.Words)-r.lead >= row.depth()+first
}

// TakesValue reports whether the next word is the value of a flag.
func (r *Reading) TakesValue(f *Flag) bool {
	o, ok := r.currentOption(f)
	return ok && o.kind == '='
}

// currentOption returns the option of a flag at the current position.
func (r *Reading) currentOption(f *Flag) (option, bool) { return r.currentOptionBy(f, sameName) }

// currentOrShortOption is currentOption that also finds abbreviated long flags.
func (r *Reading) currentOrShortOption(f *Flag) (option, bool) {
	if o, ok := r.currentOption(f); ok || f.Short || r.Row.Style != GNU {
		return o, ok
	}
	return r.currentOptionBy(f, r.Row.abbreviation())
}

// currentOptionBy is currentOption with a way to compare names.
func (r *Reading) currentOptionBy(f *Flag, like nameMatch) (option, bool) {
	for _, sub := range [...]*Row{r.Sub3, r.Sub2} {
		if sub == nil {
			continue
		}
		if o, ok := searchOptions(sub.Options, f, like); ok {
			return o, true
		}
	}
	if r.Sub != nil && (!r.Sub.Before || len(r.Words) < 2) {
		if o, ok := searchOptions(r.Sub.Options, f, like); ok {
			return o, true
		}
	}
	if r.Row.Before && len(r.Words) > 0 {
		return option{}, false
	}
	return searchOptions(r.Row.Options, f, like)
}

// An option is one entry of a row's options.
type option struct {
	name  string // the name that matched
	names string // all names, separated by |
	kind  byte   // '=' takes a value, '?' only in the same word, 0 takes none, '!' takes none and sets a mode
	role  string // the role of the value, as written
}

// searchOptions finds a flag in a list of options.
func searchOptions(list string, f *Flag, like nameMatch) (option, bool) {
	if f.Name == "-" { // a single dash: env -
		_, rest, ok := strings.Cut(list, " -!")
		role, _, _ := strings.Cut(rest, " ")
		return option{name: "-", names: "-", kind: '!', role: role}, ok
	}
	from := 0
	for name := "-" + f.Name; ; {
		at := strings.Index(list[from:], name)
		if at < 0 {
			return searchBySuffix(list, f)
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
			if like.matches(one, f) {
				o.name = one
				return o, true
			}
		}
	}
}

// searchBySuffix finds a long flag among options that are listed by their suffix: --*_out.
func searchBySuffix(list string, f *Flag) (option, bool) {
	_, rest, ok := strings.Cut(list, "--*")
	if !ok || f.Short {
		return option{}, false
	}
	end, rest, _ := strings.Cut(rest, "=")
	role, _, _ := strings.Cut(rest, " ")
	return option{name: "--" + f.Name, names: "--*" + end, kind: '=', role: role}, strings.HasSuffix(f.Name, end)
}

// hasName reports whether a flag has that name.
func hasName(name string, f *Flag) bool {
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

// abbreviation returns how the program's long options may be abbreviated.
func (r *Row) abbreviation() nameMatch {
	if r.All {
		return anyPrefix
	}
	return abbreviated
}

// A nameMatch is a way to compare a flag with the name of an option.
type nameMatch uint8

const (
	sameName    nameMatch = iota // the same name
	sameWord                     // the same word, including dashes
	abbreviated                  // an abbreviation
	anyPrefix                    // any prefix, for a program whose options are all listed
)

// matches reports whether f matches name.
func (l nameMatch) matches(name string, f *Flag) bool {
	switch l {
	case sameName:
		return hasName(name, f)
	case sameWord:
		return name == f.Raw
	case anyPrefix:
		return len(name) > 2 && name[1] == '-' && f.Name != "" && strings.HasPrefix(name[2:], f.Name)
	}
	return len(name) > 3 && name[1] == '-' && isAbbreviation(f.Name, name[2:])
}

// IsUnknown reports whether nothing of a word is known.
func IsUnknown(t string) bool {
	for _, c := range t {
		if c != shell.Placeholder {
			return false
		}
	}
	return t != ""
}

// isPrintedName reports whether an unknown word comes from a command that prints a name, which is
// neither a flag nor a path: $(git branch --show-current).
func isPrintedName(w *shell.Word) bool {
	for _, c := range w.From {
		if !Is(c.Name, IsNamePrinter) && !(Is(c.Name, IsGit) && printsRef(c.Args)) {
			return false
		}
	}
	return len(w.From) > 0
}

// printsRef reports whether git with these words prints the name of a branch or a commit.
func printsRef(args []shell.Word) bool {
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
