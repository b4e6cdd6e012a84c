package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// psRun runs one command of a pipeline: it names its effects and returns what
// comes out of it.
func (r *reader) psRun(c *command, in flow, piped bool) flow {
	if len(c.words) == 0 {
		for _, d := range c.redir {
			r.redirect("echo", d[0], d[1])
		}
		return in
	}
	first := &c.words[0]
	if first.block || first.class == "block" {
		r.blocks(c.words, in)
		return flow{}
	}
	if first.net {
		r.remoteCode(c.source)
		return flow{}
	}
	if first.text == "" || strings.Contains(first.text, hole) {
		if len(c.words) == 1 && !first.bare && !strings.HasPrefix(strings.TrimSpace(c.source), "&") {
			return first.flow // a value, not a command
		}
		r.unknownProgram(first.flow, c.source)
		return flow{}
	}
	name := lower(first.text)
	if i := strings.LastIndexByte(name, '\\'); i > 0 && strings.HasPrefix(name, "microsoft.") {
		name = name[i+1:]
	}
	if _, ok := r.vars["function:"+name]; ok {
		return unsure() // what it does was read where it was made
	}
	if out, ok := r.keyword(name, c, in); ok {
		return out
	}
	for _, d := range c.redir {
		r.redirect(name, d[0], d[1])
	}
	prog := first.text
	if to, ok := r.vars["alias:"+name]; ok {
		prog, name = to.text, lower(to.text)
		if name == "" || strings.Contains(name, hole) {
			r.unknownProgram(to, c.source)
			return flow{}
		}
	}
	if !programOf(name, c.words) {
		name = aliasOf(name)
	}
	if strings.Contains(name, "-") && known(name) || verbNoun(name) {
		p := readParams(c.words[1:])
		p.source = c.source
		if p.on("whatif") {
			r.safe(shell.DryRun, c.source)
			return in
		}
		return r.cmdlet(name, &p, in, piped)
	}
	return r.psProgram(prog, c, in)
}

// programOf reports whether the words are those of a program, and not of the cmdlet
// that has its name for an alias.
func programOf(name string, words []word) bool {
	return program.OutputOf(name) == program.OutputFetches && unixFlags(words) || program.Is(name, program.IsServiceManager) && scTool(words)
}

// unixFlags reports whether the words are those of the real curl or wget.
func unixFlags(words []word) bool {
	for i := 1; i < len(words); i++ {
		w := words[i].raw
		if strings.HasPrefix(w, "--") || strings.HasPrefix(w, "-") && len(w) == 2 || w == "-sS" || w == "-fsSL" || w == "-sSL" || w == "-sL" || w == "-qO-" {
			return true
		}
	}
	return false
}

// scTool reports whether sc is the service tool and not Set-Content.
func scTool(words []word) bool {
	return len(words) > 1 && facts.InList("delete stop config query start create qc queryex failure", lower(words[1].text))
}

// verbNoun reports whether a name is made like a cmdlet's.
func verbNoun(n string) bool {
	verb, noun, ok := strings.Cut(n, "-")
	return ok && noun != "" && !strings.ContainsAny(noun, "-./\\") && (facts.InList(commonVerbs, verb) || facts.InList(rareVerbs, verb))
}

// keyword runs the words of the language itself.
func (r *reader) keyword(keyword string, c *command, in flow) (flow, bool) {
	switch keyword {
	case "param":
		r.blocks(c.words, in)
		if len(c.words) > 2 && strings.HasPrefix(c.words[1].raw, "(") { // a command on the same line
			rest := *c
			rest.words = c.words[2:]
			return r.psRun(&rest, in, false), true
		}
		return flow{}, true
	case "if", "elseif", "else", "while", "do", "until", "try", "catch", "finally", "switch", "function", "filter", "begin", "process", "end", "trap", "class",
		"workflow", "parallel", "sequence", "configuration":
		r.blocks(c.words, in)
		if (keyword == "function" || keyword == "filter") && len(c.words) > 2 {
			r.bind("function:"+lower(c.words[1].text), flow{})
		}
		return flow{}, true
	case "for", "foreach":
		if len(c.words) > 1 && strings.HasPrefix(c.words[1].raw, "(") {
			r.loopHead(c.words[1].raw)
			r.blocks(c.words, in)
			return flow{}, true
		}
	case "return", "throw", "exit":
		if len(c.words) > 1 {
			rest := *c
			rest.words = c.words[1:]
			if rest.words[0].bare && (expressive(rest.words[0].text) || rest.words[0].text == "") {
				return rest.words[0].flow, true
			}
			if rest.words[0].bare {
				return r.psRun(&rest, in, false), true
			}
			return rest.words[0].flow, true
		}
		return flow{}, true
	case "break", "continue", "using":
		return flow{}, true
	}
	return flow{}, false
}

// blocks runs every block among the words.
func (r *reader) blocks(words []word, in flow) {
	for i := range words {
		if words[i].block || words[i].class == "block" {
			r.runBlock(words[i].flow, in)
		}
	}
}

// runBlock runs a script block; $_ in it is what is piped in.
func (r *reader) runBlock(b flow, in flow) flow {
	if !r.spend(len(b.text)) {
		return flow{}
	}
	old, had := r.vars["_"]
	r.bind("_", in)
	out := r.psScript(b.text, in)
	if had {
		r.bind("_", old)
	} else {
		delete(r.vars, "_")
	}
	return out
}

// loopHead gives the variable of `foreach ($x in list)` what the list holds.
func (r *reader) loopHead(raw string) {
	in := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(raw, "("), ")"))
	if !strings.HasPrefix(in, "$") {
		return
	}
	name, n := varName(in, 0)
	rest := strings.TrimLeft(in[n:], " ")
	if len(rest) < 3 || !strings.EqualFold(rest[:3], "in ") {
		return
	}
	r.quiet++
	v, _ := r.value(rest[3:], 0)
	r.quiet--
	if len(v.items) > 0 && len(v.paths) == 0 {
		v.paths = v.items
		v.text = v.items[0]
	}
	r.bind(name, v)
}

// params are the arguments of a cmdlet, told apart.
type params struct {
	names  []string // in lower case, without the dash
	values [][]word // of each name; none = a switch
	pos    []word
	source string
}

// readParams distinguishes parameters from other words.
func readParams(words []word) params {
	var p params
	for i := 0; i < len(words); i++ {
		w := &words[i]
		if !w.bare || len(w.text) < 2 || w.text[0] != '-' || !letter(w.text[1]) || w.more {
			p.pos = append(p.pos, *w)
			continue
		}
		n, val, has := strings.Cut(lower(w.text[1:]), ":")
		p.names = append(p.names, n)
		var vals []word
		switch {
		case has && val != "":
			vals = []word{{flow: literal(val)}}
		case isSwitch(n) && !has:
		default:
			for i+1 < len(words) && (len(vals) == 0 || words[i+1].more) {
				if v := &words[i+1]; len(vals) == 0 && v.bare && len(v.text) > 1 && v.text[0] == '-' && letter(v.text[1]) {
					break
				}
				vals = append(vals, words[i+1])
				i++
			}
		}
		p.values = append(p.values, vals)
	}
	return p
}

// isSwitch reports whether a parameter, perhaps shortened, takes no value.
func isSwitch(n string) bool {
	if facts.InList(switches, n) {
		return true
	}
	switch {
	case strings.HasPrefix("recurse", n), strings.HasPrefix("force", n), strings.HasPrefix("whatif", n) && len(n) > 1, strings.HasPrefix("verbose", n) && len(n) > 1,
		strings.HasPrefix("confirm", n) && len(n) > 3, strings.HasPrefix("usebasicparsing", n) && len(n) > 3, strings.HasPrefix("directory", n) && len(n) > 3:
		return true
	}
	return false
}

// on reports whether a switch is set.
func (p *params) on(name string) bool {
	for i, n := range p.names {
		short := name == "recurse" && (n == "rf" || n == "fr" || n == "s") || name == "force" && (n == "rf" || n == "fr") || name == "whatif" && n == "wi"
		if !short && !(strings.HasPrefix(name, n) && (len(n) > 1 || name == "recurse" || name == "force")) {
			continue
		}
		if len(p.values[i]) > 0 {
			v := lower(p.values[i][0].text)
			if v == "$false" || v == "0" {
				continue
			}
		}
		return true
	}
	return false
}

// get returns the value of a parameter that may be shortened; names are
// separated by spaces.
func (p *params) get(names string) []word {
	for names != "" {
		var name string
		name, names, _ = strings.Cut(names, " ")
		for i, n := range p.names {
			if len(p.values[i]) > 0 && strings.HasPrefix(name, n) {
				return p.values[i]
			}
		}
	}
	return nil
}

// one is the value of a parameter, or the positional argument at pos.
func (p *params) one(names string, pos int) (flow, bool) {
	if v := p.get(names); len(v) > 0 {
		return v[0].flow, true
	}
	if pos >= 0 && pos < len(p.pos) {
		return p.pos[pos].flow, true
	}
	return flow{}, false
}

// texts are the values of a parameter, or the positional arguments from pos on
// that a comma joins.
func (p *params) texts(names string, pos int) []string {
	var out []string
	add := func(w *word) {
		switch {
		case len(w.paths) > 0:
			out = append(out, w.paths...)
		case len(w.items) > 0:
			out = append(out, w.items...)
		case w.text != "":
			out = append(out, w.text)
		}
	}
	if v := p.get(names); len(v) > 0 {
		for i := range v {
			add(&v[i])
		}
		return out
	}
	for i := pos; i >= 0 && i < len(p.pos); i++ {
		if i > pos && !p.pos[i].more && pos != 0 {
			break
		}
		add(&p.pos[i])
	}
	return out
}

// psProgram runs something that is no cmdlet.
func (r *reader) psProgram(prog string, c *command, in flow) flow {
	args := make([]string, 0, len(c.words))
	for i := 1; i < len(c.words); i++ {
		w := &c.words[i]
		if w.block {
			args = append(args, w.text)
			continue
		}
		if w.more && len(args) > 0 {
			args[len(args)-1] += "," + w.text
			continue
		}
		args = append(args, w.text)
	}
	r.program(prog, args, in, c.source)
	out := flow{text: hole}
	if n := programName(prog); n == "curl" || n == "wget" {
		out.net = true
		r.pipedUpload(args, in, c.source)
	}
	for i := range c.words {
		if facts.SecretFile(c.words[i].text) {
			out.secret = true
		}
	}
	return out
}

// start runs a program that a value names.
func (r *reader) start(prog flow, args []string, words string) {
	if prog.text == "" || strings.Contains(prog.text, hole) {
		r.unknownProgram(prog, words)
		return
	}
	r.program(prog.text, args, flow{}, words)
}

// unknownProgram notes that a program is run whose name is not known.
func (r *reader) unknownProgram(name flow, words string) {
	if name.computed {
		r.opaque("runs a program whose name is computed", words)
		return
	}
	r.unknown("runs an unknown program", words)
}

// invoke runs text as PowerShell.
func (r *reader) invoke(src flow, words string) {
	r.runs = r.runs || !src.fixed
	switch {
	case src.net:
		r.remoteCode(words)
	case src.class == "block":
		r.runBlock(src, flow{})
	case src.text == "" && len(src.items) == 0:
	case src.computed, strings.Trim(src.text, hole+" ") == "":
		r.opaque("runs code built at run time", words)
	default:
		if r.spend(len(src.text)) {
			r.psScript(src.text, flow{})
		}
	}
}
