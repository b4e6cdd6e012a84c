package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// evalCommand adds the effects of one command of a pipeline, and returns its output.
func (r *reader) evalCommand(c *command, in flow, piped bool) flow {
	if len(c.words) == 0 {
		for _, d := range c.redir {
			r.addRedirect("echo", d[0], d[1])
		}
		return in
	}
	first := &c.words[0]
	if first.block || first.class == "block" {
		r.evalBlocks(c.words, in)
		return flow{}
	}
	if first.net {
		r.addRemoteCode(c.source)
		return flow{}
	}
	if first.text == "" || strings.Contains(first.text, placeholder) {
		if len(c.words) == 1 && !first.bare && !strings.HasPrefix(strings.TrimSpace(c.source), "&") {
			return first.flow // a value, not a command
		}
		r.addUnknownProgram(first.flow, c.source)
		return flow{}
	}
	name := lower(first.text)
	if i := strings.LastIndexByte(name, '\\'); i > 0 && strings.HasPrefix(name, "microsoft.") {
		name = name[i+1:]
	}
	if _, ok := r.vars["function:"+name]; ok {
		return unknownFlow() // its body was read where it is defined
	}
	if out, ok := r.evalKeyword(name, c, in); ok {
		return out
	}
	for _, d := range c.redir {
		r.addRedirect(name, d[0], d[1])
	}
	prog := first.text
	if to, ok := r.vars["alias:"+name]; ok {
		prog, name = to.text, lower(to.text)
		if name == "" || strings.Contains(name, placeholder) {
			r.addUnknownProgram(to, c.source)
			return flow{}
		}
	}
	if !isProgramCall(name, c.words) {
		name = resolveAlias(name)
	}
	if strings.Contains(name, "-") && isKnownCmdlet(name) || isVerbNoun(name) {
		p := parseParams(c.words[1:])
		p.source = c.source
		if p.isSet("whatif") {
			r.addSafe(shell.DryRun, c.source)
			return in
		}
		return r.evalCmdlet(name, &p, in, piped)
	}
	return r.evalNative(prog, c, in)
}

// isProgramCall reports whether the words are those of a program and not of the cmdlet with that
// alias.
func isProgramCall(name string, words []word) bool {
	return program.OutputOf(name) == program.OutputFetches && hasUnixFlags(words) || program.Is(name, program.IsServiceManager) && isServiceTool(words)
}

// hasUnixFlags reports whether the words are those of the real curl or wget.
func hasUnixFlags(words []word) bool {
	for i := 1; i < len(words); i++ {
		w := words[i].raw
		if strings.HasPrefix(w, "--") || strings.HasPrefix(w, "-") && len(w) == 2 || w == "-sS" || w == "-fsSL" || w == "-sSL" || w == "-sL" || w == "-qO-" {
			return true
		}
	}
	return false
}

// isServiceTool reports whether sc is the service tool and not Set-Content.
func isServiceTool(words []word) bool {
	return len(words) > 1 && facts.InList("delete stop config query start create qc queryex failure", lower(words[1].text))
}

// isVerbNoun reports whether n has the form of a cmdlet's name.
func isVerbNoun(n string) bool {
	verb, noun, ok := strings.Cut(n, "-")
	return ok && noun != "" && !strings.ContainsAny(noun, "-./\\") && (facts.InList(commonVerbs, verb) || facts.InList(rareVerbs, verb))
}

// evalKeyword evaluates a keyword of the language. It reports false if keyword is none.
func (r *reader) evalKeyword(keyword string, c *command, in flow) (flow, bool) {
	switch keyword {
	case "param":
		r.evalBlocks(c.words, in)
		if len(c.words) > 2 && strings.HasPrefix(c.words[1].raw, "(") { // a command on the same line
			rest := *c
			rest.words = c.words[2:]
			return r.evalCommand(&rest, in, false), true
		}
		return flow{}, true
	case "if", "elseif", "else", "while", "do", "until", "try", "catch", "finally", "switch", "function", "filter", "begin", "process", "end", "trap", "class",
		"workflow", "parallel", "sequence", "configuration":
		r.evalBlocks(c.words, in)
		if (keyword == "function" || keyword == "filter") && len(c.words) > 2 {
			r.bind("function:"+lower(c.words[1].text), flow{})
		}
		return flow{}, true
	case "for", "foreach":
		if len(c.words) > 1 && strings.HasPrefix(c.words[1].raw, "(") {
			r.bindLoopVariable(c.words[1].raw)
			r.evalBlocks(c.words, in)
			return flow{}, true
		}
	case "return", "throw", "exit":
		if len(c.words) > 1 {
			rest := *c
			rest.words = c.words[1:]
			if rest.words[0].bare && (beginsExpression(rest.words[0].text) || rest.words[0].text == "") {
				return rest.words[0].flow, true
			}
			if rest.words[0].bare {
				return r.evalCommand(&rest, in, false), true
			}
			return rest.words[0].flow, true
		}
		return flow{}, true
	case "break", "continue", "using":
		return flow{}, true
	}
	return flow{}, false
}

// evalBlocks adds the effects of every script block among the words.
func (r *reader) evalBlocks(words []word, in flow) {
	for i := range words {
		if words[i].block || words[i].class == "block" {
			r.evalBlock(words[i].flow, in)
		}
	}
}

// evalBlock adds the effects of a script block, in which $_ is the piped input.
func (r *reader) evalBlock(b flow, in flow) flow {
	if !r.spendBudget(len(b.text)) {
		return flow{}
	}
	old, had := r.vars["_"]
	r.bind("_", in)
	out := r.evalScript(b.text, in)
	if had {
		r.bind("_", old)
	} else {
		delete(r.vars, "_")
	}
	return out
}

// bindLoopVariable binds the variable of `foreach ($x in list)` to the list.
func (r *reader) bindLoopVariable(raw string) {
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
	v, _ := r.evalValue(rest[3:], 0)
	r.quiet--
	if len(v.items) > 0 && len(v.paths) == 0 {
		v.paths = v.items
		v.text = v.items[0]
	}
	r.bind(name, v)
}

// A params holds the parsed arguments of a cmdlet.
type params struct {
	names  []string // in lower case, without the dash
	values [][]word // the values of each name; none for a switch
	pos    []word
	source string
}

// parseParams separates parameters from positional words.
func parseParams(words []word) params {
	var p params
	for i := 0; i < len(words); i++ {
		w := &words[i]
		if !w.bare || len(w.text) < 2 || w.text[0] != '-' || !isLetter(w.text[1]) || w.more {
			p.pos = append(p.pos, *w)
			continue
		}
		n, val, has := strings.Cut(lower(w.text[1:]), ":")
		p.names = append(p.names, n)
		var vals []word
		switch {
		case has && val != "":
			vals = []word{{flow: literalFlow(val)}}
		case isSwitch(n) && !has:
		default:
			for i+1 < len(words) && (len(vals) == 0 || words[i+1].more) {
				if v := &words[i+1]; len(vals) == 0 && v.bare && len(v.text) > 1 && v.text[0] == '-' && isLetter(v.text[1]) {
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

// isSwitch reports whether a parameter, perhaps abbreviated, takes no value.
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

// isSet reports whether a switch is set.
func (p *params) isSet(name string) bool {
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

// get returns the values of a parameter, which may be abbreviated. Names are separated by spaces.
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

// value returns the first value of a parameter, or the positional argument at pos.
func (p *params) value(names string, pos int) (flow, bool) {
	if v := p.get(names); len(v) > 0 {
		return v[0].flow, true
	}
	if pos >= 0 && pos < len(p.pos) {
		return p.pos[pos].flow, true
	}
	return flow{}, false
}

// texts returns the values of a parameter, or the positional arguments from pos on that commas join.
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

// evalNative adds the effects of a command that is not a cmdlet, and returns its output.
func (r *reader) evalNative(prog string, c *command, in flow) flow {
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
	r.evalProgram(prog, args, in, c.source)
	out := flow{text: placeholder}
	if n := programName(prog); n == "curl" || n == "wget" {
		out.net = true
		r.addPipedUpload(args, in, c.source)
	}
	for i := range c.words {
		if facts.IsSecretFile(c.words[i].text) {
			out.secret = true
		}
	}
	return out
}

// evalStart adds the effects of starting the program that a value names.
func (r *reader) evalStart(prog flow, args []string, words string) {
	if prog.text == "" || strings.Contains(prog.text, placeholder) {
		r.addUnknownProgram(prog, words)
		return
	}
	r.evalProgram(prog.text, args, flow{}, words)
}

// addUnknownProgram adds the effect of running a program with an unknown name.
func (r *reader) addUnknownProgram(name flow, words string) {
	if name.computed {
		r.addOpaque("runs a program whose name is computed", words)
		return
	}
	r.addUnknown("runs an unknown program", words)
}

// evalText adds the effects of running text as PowerShell.
func (r *reader) evalText(src flow, words string) {
	r.runs = r.runs || !src.fixed
	switch {
	case src.net:
		r.addRemoteCode(words)
	case src.class == "block":
		r.evalBlock(src, flow{})
	case src.text == "" && len(src.items) == 0:
	case src.computed, strings.Trim(src.text, placeholder+" ") == "":
		r.addOpaque("runs code built at run time", words)
	default:
		if r.spendBudget(len(src.text)) {
			r.evalScript(src.text, flow{})
		}
	}
}
