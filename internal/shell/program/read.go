package program

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
)

// placeholder stands for an unknown part of text.
const placeholder = string(shell.Placeholder)

// A Flag is one option of a call. A bundle of letters such as -rf is two flags.
type Flag struct {
	Name  string // without dashes
	Raw   string // the word as written, without "=value"
	Value string
	Next  string // the word after a flag without a value, which may still be its value
	At    int    // the index of the argument with its value, or with the flag
	Short bool   // one letter after one dash
	Set   bool   // it has a value
	Early bool   // it precedes the subcommand and has a different meaning there, as in git -C x
}

// A Reading holds the words of a call as its program interprets them: flags, their values and
// operands.
type Reading struct {
	Call       *shell.Call
	Name       string // the program, or the one that it is an alias of
	Row        *Row   // the row of the program; never nil
	Sub        *Row   // the row of the subcommand, or nil
	Sub2       *Row
	Sub3       *Row
	Flags      []Flag
	Words      []shell.Word // the operands, after the words of Row.As
	At         []int        // the index of the argument of each word, or -1
	Extra      int          // the number of words from Row.As
	Dash       int          // the index in Words of the part after --, or -1
	Open       bool         // an unknown word may be any flag
	Loose      bool         // an unknown word is in a position for options
	TooLong    bool         // the call has more flags than can be checked
	subRows    []Row        // the rows of the subcommands
	unread     int          // the index of the first argument that was not read, or 0
	numLeading int          // the number of words before the operands, such as A=1 of env A=1
	mismatch   bool         // a word that the row requires is missing
}

// A Buffer is space for a Reading of usual size, to avoid allocations.
type Buffer struct {
	flags [6]Flag
	words [8]shell.Word
	at    [8]int
}

// maxRead is the largest number of flags and words that are matched against rules. A call with more of
// them is treated as one with unknown flags.
const maxRead = 2000

// Read sets r to the reading of c. It stores the flags and words in space if they fit. If space is
// nil, Read allocates.
func (r *Reading) Read(c *shell.Call, space *Buffer) {
	args := c.Args
	for i := r.begin(c, c.Name, space); i < len(args); i++ {
		if len(r.Flags)+len(r.Words) > maxRead {
			r.Open, r.Loose, r.unread = true, true, i
			r.TooLong = len(r.Words) == r.Extra || slices.ContainsFunc(args[i:], func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") || !w.IsKnown() })
			return
		}
		i += r.readArg(args, i)
	}
	if len(c.Env) > 0 && Is(r.Name, IsTerraform) {
		r.readTerraformVars(c.Env)
	}
}

// begin initializes r for c, read as a call of the program name. It adds the words that name stands
// for as an alias, and returns the index of the first argument to read.
func (r *Reading) begin(c *shell.Call, name string, space *Buffer) int {
	*r = Reading{Call: c, Dash: -1}
	if space != nil {
		r.Flags, r.Words, r.At = space.flags[:0], space.words[:0], space.at[:0]
	}
	var rest string
	r.Row, r.subRows, r.Name, rest = lookupProgram(name)
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

// readDashless reads the first argument as options without a dash, as in tar czf. Their values are the
// arguments after it, in order. It returns the number of arguments that it read.
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

// isLetters reports whether t is not empty and consists of ASCII letters.
func isLetters(t string) bool {
	for i := range len(t) {
		if b := t[i] | 0x20; b < 'a' || b > 'z' {
			return false
		}
	}
	return t != ""
}

// readTerraformVars reads the flags that terraform takes from TF_CLI_ARGS variables.
func (r *Reading) readTerraformVars(env []shell.Variable) {
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
				k += r.readLongFlag(words, k)
			} else if IsUnknown(words[k].Text) {
				r.Open, r.Loose = true, true
			}
		}
	}
}

// addWord adds the operand w, which is the argument with index at, or -1 if it is not an argument.
func (r *Reading) addWord(w shell.Word, at int) {
	r.Words, r.At = append(r.Words, w), append(r.At, at)
}

// readArg reads args[i] and returns the number of further arguments that belong to it.
func (r *Reading) readArg(args []shell.Word, i int) int {
	t := args[i].Text
	switch {
	case r.Dash >= 0 || r.isPastOwnWords():
		r.addWord(args[i], i)
		if r.isLeadingWord() {
			r.numLeading++
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
		r.Flags = append(r.Flags, Flag{Name: t, Raw: t, At: i}) // as in env - x
	case len(t) < 2 || t[0] != '-' || r.Row.Style == Bare:
		r.addWord(args[i], i)
		if r.isLeadingWord() {
			r.numLeading++
			break
		}
		r.enterSubcommand()
	case t[1] == '-' || r.Row.Style == Single || r.isLongOption(t):
		return r.readLongFlag(args, i)
	default:
		return r.readShortFlags(args, i)
	}
	return 0
}

// isLongOption reports whether t, a word with one dash and several letters, is a single option such as
// nmap -oN, although the program also has bundles.
func (r *Reading) isLongOption(t string) bool {
	if len(t) < 3 {
		return false
	}
	name, _, _ := strings.Cut(t, "=")
	if len(name) < 3 {
		return false
	}
	f := Flag{Name: name[1:], Raw: name}
	_, ok := r.findOptionBy(&f, sameWord)
	return ok
}

// readLongFlag reads --flag, --flag=value or --flag value at args[i]. It returns 1 if it read the next
// argument too, and 0 otherwise.
func (r *Reading) readLongFlag(args []shell.Word, i int) int {
	raw, value, set := strings.Cut(args[i].Text, "=")
	name := strings.TrimPrefix(strings.TrimPrefix(raw, "-"), "-")
	if strings.Contains(raw, placeholder) {
		r.Open = true
		return 0
	}
	f := Flag{Name: name, Raw: raw, Value: value, Set: set, At: i, Short: len(name) == 1 && r.Row.Style == Single}
	used := 0
	if !set && i+1 < len(args) {
		if o, ok := r.currentOrAbbreviatedOption(&f); ok && o.kind == '=' {
			f.Value, f.Set, f.At, used = args[i+1].Text, true, i+1, 1
			f.Early = r.Row.Before && len(r.Words) == 0
		} else {
			f.Next = args[i+1].Text
		}
	}
	r.Flags = append(r.Flags, f)
	return used
}

// readShortFlags reads -abc, -ovalue or -o value at args[i]. It returns 1 if it read the next argument
// too, and 0 otherwise.
func (r *Reading) readShortFlags(args []shell.Word, i int) int {
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
			r.Open = r.Open || strings.Contains(t[k:], placeholder) && !isPrintedName(&args[i]) // as in -j$(nproc)
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

// enterSubcommand sets the row of the subcommand that the words read so far name, if it has one.
func (r *Reading) enterSubcommand() {
	switch w := r.Words; len(w) {
	case 1:
		r.Sub = findSubcommandRow(r.subRows, r.Name, w[0].Text, "", "")
	case 2:
		r.Sub2 = findSubcommandRow(r.subRows, r.Name, w[0].Text, w[1].Text, "")
	case 3:
		r.Sub3 = findSubcommandRow(r.subRows, r.Name, w[0].Text, w[1].Text, w[2].Text)
	}
}

// currentRow returns the row that describes the next word, which is that of the innermost subcommand
// with a row, or else that of the program.
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

// InnermostRow returns the row of the innermost subcommand that has one, or else the row of the
// program.
func (r *Reading) InnermostRow() *Row { return r.currentRow() }

// IsListed reports whether the rows of the program and its subcommands list f.
func (r *Reading) IsListed(f *Flag) bool {
	_, ok := r.findOption(f)
	return ok
}

// isPastOwnWords reports whether the remaining words belong to another program, which this one runs.
func (r *Reading) isPastOwnWords() bool {
	row := r.currentRow()
	if row.Stop > 0 {
		return len(r.Words) >= int(row.Stop)
	}
	if row.Runs == "" {
		return false
	}
	at, first, dashed := row.commandPosition()
	return at >= 0 && !dashed && len(r.Words)-r.numLeading >= row.depth()+first
}

// TakesValue reports whether f takes the next word as its value.
func (r *Reading) TakesValue(f *Flag) bool {
	o, ok := r.currentOption(f)
	return ok && o.kind == '='
}

// currentOption returns the option with the name of f that is valid at the current position. It
// reports false if no row lists it.
func (r *Reading) currentOption(f *Flag) (option, bool) { return r.currentOptionBy(f, sameName) }

// currentOrAbbreviatedOption is currentOption that also finds abbreviated long flags.
func (r *Reading) currentOrAbbreviatedOption(f *Flag) (option, bool) {
	if o, ok := r.currentOption(f); ok || f.Short || r.Row.Style != GNU {
		return o, ok
	}
	return r.currentOptionBy(f, r.Row.abbreviationMatch())
}

// currentOptionBy is currentOption with like as the way to compare names.
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

// searchOptions finds f in list, the options of a row, comparing names by like. It reports false if
// list lacks f.
func searchOptions(list string, f *Flag, like nameMatch) (option, bool) {
	if f.Name == "-" { // a single dash, as in env -
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
			from = end // the match is only part of a longer name, such as -d in --data
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

// searchBySuffix finds the long flag f in list among options that are listed by their suffix, as in
// --*_out. It reports false if list lacks f.
func searchBySuffix(list string, f *Flag) (option, bool) {
	_, rest, ok := strings.Cut(list, "--*")
	if !ok || f.Short {
		return option{}, false
	}
	end, rest, _ := strings.Cut(rest, "=")
	role, _, _ := strings.Cut(rest, " ")
	return option{name: "--" + f.Name, names: "--*" + end, kind: '=', role: role}, strings.HasSuffix(f.Name, end)
}

// hasName reports whether name, with its dashes, is the name of f.
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

// abbreviationMatch returns how abbreviated long options of the program are matched.
func (r *Row) abbreviationMatch() nameMatch {
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
	abbreviated                  // a likely abbreviation
	anyPrefix                    // any prefix, for a program whose options are all listed
)

// matches reports whether f is the option name, compared in the way l.
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

// IsUnknown reports whether t is not empty and no part of it is known.
func IsUnknown(t string) bool {
	for _, c := range t {
		if c != shell.Placeholder {
			return false
		}
	}
	return t != ""
}

// isPrintedName reports whether w is the output of commands that print a name, which is neither a flag
// nor a path, as in $(git branch --show-current).
func isPrintedName(w *shell.Word) bool {
	for _, c := range w.From {
		if !Is(c.Name, IsNamePrinter) && !(Is(c.Name, IsGit) && printsRef(c.Args)) {
			return false
		}
	}
	return len(w.From) > 0
}

// printsRef reports whether git with args prints the name of a branch or a commit.
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
