package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A memo keeps the reading of a call with it. Who changes a copy of the call has
// another name or other arguments, and gets another one.
type memo struct {
	name    string
	args    []shell.Word
	reading Reading
	parts   []shell.Part
	known   bool // the parts are
	room    Room
}

func memoOf(c *shell.Call) *memo {
	if m, ok := c.Memo.(*memo); ok && m.name == c.Name && len(m.args) == len(c.Args) && (len(m.args) == 0 || &m.args[0] == &c.Args[0]) {
		return m
	}
	m := &memo{name: c.Name, args: c.Args}
	m.reading.Read(c, &m.room)
	c.Memo = m
	return m
}

// Of is the reading of a call, which must not be changed.
func Of(c *shell.Call) Reading {
	r := memoOf(c).reading
	r.Call = c
	return r
}

// Parts are the arguments of a call with their roles, as its row has them. They must
// not be changed.
func Parts(c *shell.Call) []shell.Part {
	if len(c.Args) == 0 {
		return nil
	}
	m := memoOf(c)
	if !m.known {
		m.parts, m.known = m.reading.parts(), true
	}
	return m.parts
}

// Commands are the texts for a shell that a call's options hand to one, of a program
// that does not run the command in its words: those are taken off as wrappers.
func Commands(c *shell.Call) (texts []string) {
	parts := Parts(c)
	for i := range parts {
		if p := &parts[i]; p.Role == shell.Command && p.Lang == "" && p.Opt != "" && memoOf(c).reading.at().Runs == "" {
			texts = append(texts, strings.ReplaceAll(p.Word.Text, hole, "${CHECKREIN_UNKNOWN}"))
		}
	}
	return texts
}

// Input is the role of a program's standard input: read where it shows what it gets.
func Input(name string) shell.Role {
	row, _, _, _ := lookup(name)
	return row.input()
}

func (r *Row) input() shell.Role {
	if r.In == "" && strings.Contains(r.Words, "read") {
		return shell.Reads
	}
	role, _, _ := strings.Cut(r.In, ":")
	in, _ := shell.RoleNamed(role)
	return in
}

// To is who gets what a call sends, as the row of its innermost subcommand has it,
// and the role of its standard input.
func To(c *shell.Call) (to string, in shell.Role) {
	r := Of(c)
	row := r.at()
	return row.To, row.input()
}

// parts gives each value and operand its role.
func (r *Reading) parts() []shell.Part {
	out := make([]shell.Part, 0, len(r.Flags)+len(r.Words))
	for i := range r.Flags {
		f := &r.Flags[i]
		o, ok := r.optionAt(f)
		if !ok {
			o, ok = guess(f)
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
			first = f.Raw // of which no row tells
		}
		out = append(out, partOf(r.either(o.role, f.Value, f.At), first, r.valueOf(f), f.At))
	}
	return r.operands(out)
}

// valueOf is a flag's value as a word.
func (r *Reading) valueOf(f *Flag) shell.Word {
	w := shell.Word{Text: f.Value}
	if f.At < len(r.Call.Args) {
		arg := &r.Call.Args[f.At]
		w.Glob, w.Quoted, w.From = arg.Glob, arg.Quoted, arg.From
	}
	return w
}

// guess is what an option is of which no row tells: by these names, programs write.
func guess(f *Flag) (option, bool) {
	role := ""
	switch f.Name {
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

// optionAt is the option that a flag is, also where a long one is cut short.
func (r *Reading) optionAt(f *Flag) (option, bool) {
	if o, ok := r.anyOption(f, same); ok || f.Short || r.Row.Style != GNU {
		return o, ok
	}
	return r.anyOption(f, r.Row.shortened())
}

// anyOption looks for a flag in the rows of the program and its subcommands, whatever
// their order.
func (r *Reading) anyOption(f *Flag, like likeness) (option, bool) {
	for _, row := range [...]*Row{r.Sub3, r.Sub2, r.Sub, r.Row} {
		if row == nil || row == r.Row && r.Row.Before && !f.Early {
			continue
		}
		if o, ok := findBy(row.Options, f, like); ok {
			return o, true
		}
	}
	return option{}, false
}

// partOf is a value with the role that a row writes: "write", "code:perl",
// "@payload".
func partOf(role, opt string, w shell.Word, at int) shell.Part {
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

// operands gives the words behind the subcommand their roles.
func (r *Reading) operands(out []shell.Part) []shell.Part {
	row := r.at()
	skip := max(r.Extra, row.depth())
	roles := r.rolesOf(row)
	if roles == "" || skip > len(r.Words) {
		return out
	}
	words, at := r.Words[skip:], r.At[skip:]
	if first, rest, more := strings.Cut(roles, " "); more && (first == "assign…" || first[0] == '[') {
		for i := range min(r.lead, len(words)) {
			out = append(out, partOf(strings.TrimSuffix(first, "…"), "", words[i], at[i]))
		}
		words, at, roles = words[min(r.lead, len(words)):], at[min(r.lead, len(words)):], rest
	}
	before, behind, dashed := strings.Cut(roles, "--")
	if !dashed {
		return r.beyond(r.give(out, roles, words, at), roles)
	}
	n := len(words)
	if r.Dash >= 0 {
		n = max(r.Dash-skip-r.lead, 0)
	}
	return r.give(r.give(out, before, words[:n], at[:n]), behind, words[n:], at[n:])
}

// beyond gives the arguments that were too many to be read the role of which there may
// be any number, and the last one that of the last.
func (r *Reading) beyond(out []shell.Part, roles string) []shell.Part {
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
			out = append(out, partOf(role, "", w, i))
		}
	}
	return out
}

// give gives words the roles that a list has for them.
func (r *Reading) give(out []shell.Part, roles string, words []shell.Word, at []int) []shell.Part {
	list := strings.Fields(roles)
	many := -1
	for i, role := range list {
		if strings.HasSuffix(role, "…") {
			many = i
		}
		if role[0] == '=' && (i >= len(words) || words[i].Text != role[1:]) {
			r.other = true
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
			if role = r.either(role, words[i].Text, at[i]); r.carriesText(words[i].Text) && at[i]+1 < len(r.Call.Args) {
				out = append(out, partOf("command", words[i].Text, r.Call.Args[at[i]+1], at[i]+1)) // flock FILE -c TEXT
				break
			}
		}
		out = append(out, partOf(role, "", words[i], at[i]))
		if strings.HasPrefix(role, "argv") || role == "command:joined" {
			break
		}
	}
	return out
}

// either is the role of a word that begins a command: a single one with blanks is a text
// for a shell, where the row says so.
func (r *Reading) either(role, text string, at int) string {
	switch {
	case role != "argv|command":
		return role
	case at == len(r.Call.Args)-1 && strings.ContainsAny(text, " \t\n;|&"):
		return "command:joined"
	}
	return "argv"
}

// carriesText reports whether a word is an option whose value is a text for a shell.
func (r *Reading) carriesText(word string) bool {
	if len(word) < 2 || word[0] != '-' || strings.Trim(word, "-") == "" || !strings.Contains(r.at().Options, "=command") {
		return false
	}
	f := Flag{Name: strings.TrimLeft(word, "-"), Raw: word, Short: len(word) == 2}
	o, _ := r.option(&f)
	return o.role == "command"
}

// rolesOf are the roles of a row's operands under the options that are given.
func (r *Reading) rolesOf(row *Row) string {
	rest := row.Words
	for rest != "" {
		var one string
		one, rest, _ = strings.Cut(rest, ";")
		when, roles, ok := strings.Cut(one, ": ")
		if !ok {
			return strings.TrimSpace(one)
		}
		for name := range strings.SplitSeq(strings.TrimSpace(when), "|") {
			if name == "-*=" && r.setsAny() || r.Has(name) == Yes {
				return roles
			}
		}
	}
	return ""
}

// setsAny reports whether some option has a value.
func (r *Reading) setsAny() bool {
	for i := range r.Flags {
		if r.Flags[i].Set {
			return true
		}
	}
	return false
}
