package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A cachedReading is the reading of a call, stored in Call.Memo. A copy of the call with another name
// or other arguments needs a new one.
type cachedReading struct {
	name     string
	args     []shell.Word
	reading  Reading
	parts    []shell.Part
	hasParts bool // parts is set
	room     Buffer
}

// cachedReadingOf returns the cached reading of c, which it creates if necessary.
func cachedReadingOf(c *shell.Call) *cachedReading {
	if m, ok := c.Memo.(*cachedReading); ok && m.name == c.Name && len(m.args) == len(c.Args) && (len(m.args) == 0 || &m.args[0] == &c.Args[0]) {
		return m
	}
	m := &cachedReading{name: c.Name, args: c.Args}
	m.reading.Read(c, &m.room)
	c.Memo = m
	return m
}

// ReadingOf returns the reading of c. Callers must not change its slices.
func ReadingOf(c *shell.Call) Reading {
	r := cachedReadingOf(c).reading
	r.Call = c
	return r
}

// Parts returns the arguments of c with the roles that its row assigns. Callers must not change them.
func Parts(c *shell.Call) []shell.Part {
	if len(c.Args) == 0 {
		return nil
	}
	m := cachedReadingOf(c)
	if !m.hasParts {
		m.parts, m.hasParts = m.reading.assignRoles(), true
	}
	return m.parts
}

// OutputParts returns the arguments of c with their roles, as Parts does, or those of the module that
// python runs.
func OutputParts(c *shell.Call) []shell.Part {
	if module := moduleCall(c); module != nil && module != c {
		if row, _, _, _ := lookupProgram(module.Name); row.IsListed() {
			return Parts(module)
		}
	}
	return Parts(c)
}

// ShellCommands returns the commands that options of c pass to a shell. It returns none for programs
// that run the command in their words, which are handled as wrappers. An unknown part is replaced by a
// variable that is never set.
func ShellCommands(c *shell.Call) (texts []string) {
	parts := Parts(c)
	for i := range parts {
		if p := &parts[i]; p.Role == shell.Command && p.Lang == "" && p.Opt != "" && cachedReadingOf(c).reading.currentRow().Runs == "" {
			texts = append(texts, strings.ReplaceAll(p.Word.Text, placeholder, "${CHECKREIN_UNKNOWN}"))
		}
	}
	return texts
}

// InputRole returns the role of the standard input of the program name. It is [shell.Reads] if the
// program prints its input.
func InputRole(name string) shell.Role {
	row, _, _, _ := lookupProgram(name)
	return row.inputRole()
}

// inputRole returns the role of standard input.
func (r *Row) inputRole() shell.Role {
	if r.In == "" && strings.Contains(r.Words, "read") {
		return shell.Reads
	}
	role, _, _ := strings.Cut(r.In, ":")
	in, _ := shell.RoleNamed(role)
	return in
}

// Receiver returns the receiver of the data that c sends, by the row of its innermost subcommand, or
// "" if there is none. It also returns the role of standard input.
func Receiver(c *shell.Call) (to string, in shell.Role) {
	r := ReadingOf(c)
	row := r.currentRow()
	return row.To, row.inputRole()
}

// assignRoles returns the values of options and the operands with their roles.
func (r *Reading) assignRoles() []shell.Part {
	out := make([]shell.Part, 0, len(r.Flags)+len(r.Words))
	for i := range r.Flags {
		f := &r.Flags[i]
		o, ok := r.findOption(f)
		if !ok {
			o, ok = r.guessOption(f)
		}
		first, _, _ := strings.Cut(o.names, "|")
		if ok && o.kind == '!' {
			out = append(out, shell.Part{Role: shell.Mode, Lang: o.role, Opt: first, At: f.At})
			continue
		}
		if !f.Set {
			continue
		}
		if !ok {
			first = f.Raw // no row lists the option
		}
		out = append(out, newPart(r.commandRole(o.role, f.Value, f.At), first, r.valueWord(f), f.At))
	}
	return r.appendOperands(out)
}

// valueWord returns the value of f as a word.
func (r *Reading) valueWord(f *Flag) shell.Word {
	w := shell.Word{Text: f.Value}
	if f.At < len(r.Call.Args) {
		arg := &r.Call.Args[f.At]
		w.Glob, w.Quoted, w.From = arg.Glob, arg.Quoted, arg.From
	}
	return w
}

// guessOption returns an option for f, which no row lists, if its name is one that programs use for
// outputs. -o is one if nothing else is known of the program. If the value of f is in the next word, it
// sets f.Value. It reports false for other names.
func (r *Reading) guessOption(f *Flag) (option, bool) {
	role := ""
	switch f.Name {
	case "o":
		if r.Row.IsListed() || RulesFor(r.Name) != "" || len(r.Name) < 2 {
			return option{}, false
		}
		role = "write"
	case "output", "output-file", "outfile", "out-file", "out", "outputFile", "outFile", "log-file", "LOG-FILE", "logfile", "Logfile", "result-file", "junitxml", "junit-xml", "save-to", "dump-to":
		role = "write"
	case "outDir", "out-dir", "outdir", "output-dir", "output-directory", "target-dir", "pack-destination", "dist-dir", "destination", "output-path":
		role = "into"
	default:
		return option{}, false
	}
	if !f.Set {
		f.Value, f.Set, f.At = f.Next, f.Next != "", f.At+1
	}
	return option{names: f.Raw, kind: '=', role: role}, true
}

// findOption returns the option that f names, possibly abbreviated. It reports false if no row lists
// it.
func (r *Reading) findOption(f *Flag) (option, bool) {
	if o, ok := r.findOptionBy(f, sameName); ok || f.Short || r.Row.Style != GNU {
		return o, ok
	}
	return r.findOptionBy(f, r.Row.abbreviationMatch())
}

// findOptionBy returns the option that f names in the rows of the program and its subcommands,
// comparing names by like. It reports false if no row lists it. The position of f does not matter.
func (r *Reading) findOptionBy(f *Flag, like nameMatch) (option, bool) {
	for _, row := range [...]*Row{r.Sub3, r.Sub2, r.Sub, r.Row} {
		if row == nil || row == r.Row && r.Row.Before && !f.Early {
			continue
		}
		if o, ok := searchOptions(row.Options, f, like); ok {
			return o, true
		}
	}
	return option{}, false
}

// newPart returns a Part for w, the argument with index at. The role is written as in a row: "write",
// "code:perl", "@payload". The option is opt, or "" for an operand.
func newPart(role, opt string, w shell.Word, at int) shell.Part {
	if rest, ok := strings.CutPrefix(role, "@"); ok {
		if file, ok := strings.CutPrefix(w.Text, "@"); ok {
			w.Text = file
			return shell.Part{Role: shell.Reads, Opt: opt, Word: w, At: at}
		}
		role = rest
	}
	name, lang, _ := strings.Cut(role, ":")
	p := shell.Part{Opt: opt, Word: w, At: at, Lang: lang}
	p.Role, _ = shell.RoleNamed(name)
	return p
}

// appendOperands appends the words after the subcommand with their roles to out.
func (r *Reading) appendOperands(out []shell.Part) []shell.Part {
	row := r.currentRow()
	skip := max(r.Extra, row.depth())
	roles := r.operandRoles(row)
	if roles == "" || skip > len(r.Words) {
		return out
	}
	words, at := r.Words[skip:], r.At[skip:]
	if first, rest, more := strings.Cut(roles, " "); more && (first == "assign…" || first[0] == '[') {
		for i := range min(r.numLeading, len(words)) {
			out = append(out, newPart(strings.TrimSuffix(first, "…"), "", words[i], at[i]))
		}
		words, at, roles = words[min(r.numLeading, len(words)):], at[min(r.numLeading, len(words)):], rest
	}
	before, behind, dashed := strings.Cut(roles, "--")
	if !dashed {
		return r.appendUnread(r.appendWords(out, roles, words, at), roles)
	}
	n := len(words)
	if r.Dash >= 0 {
		n = max(r.Dash-skip-r.numLeading, 0)
	}
	return r.appendWords(r.appendWords(out, before, words[:n], at[:n]), behind, words[n:], at[n:])
}

// appendUnread appends the arguments beyond maxRead to out. They have the role in roles that may
// repeat, and the last one has the last role.
func (r *Reading) appendUnread(out []shell.Part, roles string) []shell.Part {
	before, last, ok := strings.Cut(roles, "…")
	if r.unread == 0 || !ok {
		return out
	}
	role := before[strings.LastIndexByte(before, ' ')+1:]
	for i := r.unread; i < len(r.Call.Args); i++ {
		if last = strings.TrimSpace(last); last != "" && i == len(r.Call.Args)-1 {
			role = last
		}
		if w := r.Call.Args[i]; !strings.HasPrefix(w.Text, "-") {
			out = append(out, newPart(role, "", w, i))
		}
	}
	return out
}

// appendWords appends words, the arguments with the indexes at, to out with the roles in roles. It
// sets r.mismatch and appends nothing if a word that roles require is missing.
func (r *Reading) appendWords(out []shell.Part, roles string, words []shell.Word, at []int) []shell.Part {
	list := strings.Fields(roles)
	many := -1
	for i, role := range list {
		if strings.HasSuffix(role, "…") {
			many = i
		}
		if role[0] == '=' && (i >= len(words) || words[i].Text != role[1:]) {
			r.mismatch = true
			return out
		}
	}
	for i := range words {
		k := i
		if many >= 0 && i >= many {
			if k = many; len(words)-i < len(list)-many && len(words) > many {
				k = len(list) - (len(words) - i)
			}
		}
		if k >= len(list) {
			break
		}
		role := strings.TrimSuffix(list[k], "…")
		if strings.HasPrefix(role, "argv") {
			if role = r.commandRole(role, words[i].Text, at[i]); r.takesShellCommand(words[i].Text) && at[i]+1 < len(r.Call.Args) {
				out = append(out, newPart("command", words[i].Text, r.Call.Args[at[i]+1], at[i]+1)) // as in flock FILE -c TEXT
				break
			}
		}
		out = append(out, newPart(role, "", words[i], at[i]))
		if strings.HasPrefix(role, "argv") || role == "command:joined" {
			break
		}
	}
	return out
}

// commandRole returns role, the role of text, which begins a command. If it is "argv|command", a
// single word with spaces is a shell command, and anything else the name of a program.
func (r *Reading) commandRole(role, text string, at int) string {
	switch {
	case role != "argv|command":
		return role
	case at == len(r.Call.Args)-1 && strings.ContainsAny(text, " \t\n;|&"):
		return "command:joined"
	}
	return "argv"
}

// takesShellCommand reports whether word is an option whose value is a shell command.
func (r *Reading) takesShellCommand(word string) bool {
	if len(word) < 2 || word[0] != '-' || strings.Trim(word, "-") == "" || !strings.Contains(r.currentRow().Options, "=command") {
		return false
	}
	f := Flag{Name: strings.TrimLeft(word, "-"), Raw: word, Short: len(word) == 2}
	o, _ := r.currentOption(&f)
	return o.role == "command"
}

// operandRoles returns the roles of the row's operands for the options that are present, or "".
func (r *Reading) operandRoles(row *Row) string {
	rest := row.Words
	for rest != "" {
		var one string
		one, rest, _ = strings.Cut(rest, ";")
		when, roles, ok := strings.Cut(one, ": ")
		if !ok {
			return strings.TrimSpace(one)
		}
		for name := range strings.SplitSeq(strings.TrimSpace(when), "|") {
			if name == "-*=" && r.hasOptionValue() || r.Has(name) == Yes {
				return roles
			}
		}
	}
	return ""
}

// hasOptionValue reports whether any option has a value.
func (r *Reading) hasOptionValue() bool {
	for i := range r.Flags {
		if r.Flags[i].Set {
			return true
		}
	}
	return false
}
