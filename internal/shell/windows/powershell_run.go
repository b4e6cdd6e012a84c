package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// evalCommand adds the effects of c, one command of a pipeline, and returns its output. If piped is
// set, in is piped into it.
func (r *evaluator) evalCommand(c *command, in flow, piped bool) flow {
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
	if first.fromNet {
		r.addRemoteCode(c.source)
		return flow{}
	}
	if first.text == "" || strings.Contains(first.text, placeholder) {
		if len(c.words) == 1 && !first.bare && !strings.HasPrefix(strings.TrimSpace(c.source), "&") {
			return first.flow // the word is a value, not a command
		}
		r.addUnknownProgram(first.flow, c.source)
		return flow{}
	}
	name := lower(first.text)
	if i := strings.LastIndexByte(name, '\\'); i > 0 && strings.HasPrefix(name, "microsoft.") {
		name = name[i+1:]
	}
	if _, ok := r.vars["function:"+name]; ok {
		return unknownFlow() // the body of the function was read at its definition
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
		if p.hasSwitch("whatif") {
			r.addSafe(shell.DryRun, c.source)
			return in
		}
		return r.evalCmdlet(name, &p, in, piped)
	}
	return r.evalNonCmdlet(prog, c, in)
}

// isProgramCall reports whether words call the program name, as opposed to the cmdlet with that alias.
func isProgramCall(name string, words []word) bool {
	return program.OutputOf(name) == program.OutputFetches && hasUnixFlags(words) || program.Is(name, program.IsServiceManager) && isServiceTool(words)
}

// hasUnixFlags reports whether words have flags in the Unix style, like those of the real curl or
// wget.
func hasUnixFlags(words []word) bool {
	for i := 1; i < len(words); i++ {
		w := words[i].raw
		if strings.HasPrefix(w, "--") || strings.HasPrefix(w, "-") && len(w) == 2 || w == "-sS" || w == "-fsSL" || w == "-sSL" || w == "-sL" || w == "-qO-" {
			return true
		}
	}
	return false
}

// isServiceTool reports whether words are those of sc, the service tool, as opposed to the alias of
// Set-Content.
func isServiceTool(words []word) bool {
	return len(words) > 1 && facts.InList("delete stop config query start create qc queryex failure", lower(words[1].text))
}

// isVerbNoun reports whether n has the form of a cmdlet's name with a known verb, such as get-item.
func isVerbNoun(n string) bool {
	verb, noun, ok := strings.Cut(n, "-")
	return ok && noun != "" && !strings.ContainsAny(noun, "-./\\") && (facts.InList(commonVerbs, verb) || facts.InList(rareVerbs, verb))
}

// evalKeyword adds the effects of the statement c that begins with keyword, and returns its output. It
// reports false if keyword is not one of the language.
func (r *evaluator) evalKeyword(keyword string, c *command, in flow) (flow, bool) {
	switch keyword {
	case "param":
		r.evalBlocks(c.words, in)
		if len(c.words) > 2 && strings.HasPrefix(c.words[1].raw, "(") { // a command follows on the same line
			rest := *c
			rest.words = c.words[2:]
			return r.evalCommand(&rest, in, false), true
		}
		return flow{}, true
	case "if", "elseif", "else", "while", "do", "until", "try", "catch", "finally", "switch", "function", "filter", "begin", "process", "end", "trap", "class",
		"workflow", "parallel", "sequence", "configuration":
		r.evalBlocks(c.words, in)
		if (keyword == "function" || keyword == "filter") && len(c.words) > 2 {
			r.setVariable("function:"+lower(c.words[1].text), flow{})
		}
		return flow{}, true
	case "for", "foreach":
		if len(c.words) > 1 && strings.HasPrefix(c.words[1].raw, "(") {
			r.setLoopVariable(c.words[1].raw)
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

// evalBlocks adds the effects of every script block among words, which in is piped into.
func (r *evaluator) evalBlocks(words []word, in flow) {
	for i := range words {
		if words[i].block || words[i].class == "block" {
			r.evalBlock(words[i].flow, in)
		}
	}
}

// evalBlock adds the effects of the script block b, in which $_ is the piped input in, and returns its
// output.
func (r *evaluator) evalBlock(b flow, in flow) flow {
	if !r.spendBudget(len(b.text)) {
		return flow{}
	}
	old, had := r.vars["_"]
	r.setVariable("_", in)
	out := r.evalScript(b.text, in)
	if had {
		r.setVariable("_", old)
	} else {
		delete(r.vars, "_")
	}
	return out
}

// setLoopVariable sets the variable of the loop header raw, such as `($x in list)`, to the list.
func (r *evaluator) setLoopVariable(raw string) {
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
	r.setVariable(name, v)
}

// A params holds the parsed arguments of a cmdlet.
type params struct {
	names  []string // in lower case, without the dash
	values [][]word // the values of each name; none for a switch
	pos    []word   // the positional arguments
	source string   // the text of the command
}

// parseParams separates parameters and their values from positional words.
func parseParams(words []word) params {
	var p params
	for i := 0; i < len(words); i++ {
		w := &words[i]
		if !w.bare || len(w.text) < 2 || w.text[0] != '-' || !isLetter(w.text[1]) || w.joined {
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
			for i+1 < len(words) && (len(vals) == 0 || words[i+1].joined) {
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

// isSwitch reports whether the parameter n, which may be abbreviated, takes no value.
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

// hasSwitch reports whether the switch name, which may be abbreviated, is present and not set to
// false.
func (p *params) hasSwitch(name string) bool {
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

// lookup returns the values of the first parameter in names, which is separated by spaces, that is
// present. It may be abbreviated. It returns nil if there is none.
func (p *params) lookup(names string) []word {
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

// value returns the first value of a parameter in names, or else the positional argument with index
// pos. It reports false if there is neither. A negative pos stands for no position.
func (p *params) value(names string, pos int) (flow, bool) {
	if v := p.lookup(names); len(v) > 0 {
		return v[0].flow, true
	}
	if pos >= 0 && pos < len(p.pos) {
		return p.pos[pos].flow, true
	}
	return flow{}, false
}

// texts returns all values of a parameter in names, or else the positional arguments from index pos
// on. A negative pos stands for no position. Unless pos is 0, only arguments that commas join are
// returned.
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
	if v := p.lookup(names); len(v) > 0 {
		for i := range v {
			add(&v[i])
		}
		return out
	}
	for i := pos; i >= 0 && i < len(p.pos); i++ {
		if i > pos && !p.pos[i].joined && pos != 0 {
			break
		}
		add(&p.pos[i])
	}
	return out
}

// evalNonCmdlet adds the effects of c, whose program prog is not a cmdlet, and returns its output.
func (r *evaluator) evalNonCmdlet(prog string, c *command, in flow) flow {
	args := make([]string, 0, len(c.words))
	for i := 1; i < len(c.words); i++ {
		w := &c.words[i]
		if w.block {
			args = append(args, w.text)
			continue
		}
		if w.joined && len(args) > 0 {
			args[len(args)-1] += "," + w.text
			continue
		}
		args = append(args, w.text)
	}
	r.evalProgram(prog, args, in, c.source)
	out := flow{text: placeholder}
	if n := programName(prog); n == "curl" || n == "wget" {
		out.fromNet = true
		r.addPipedUpload(args, in, c.source)
	}
	for i := range c.words {
		if facts.IsSecretFile(c.words[i].text) {
			out.secret = true
		}
	}
	return out
}

// evalStartProcess adds the effects of starting the program that the value prog names, with args.
func (r *evaluator) evalStartProcess(prog flow, args []string, words string) {
	if prog.text == "" || strings.Contains(prog.text, placeholder) {
		r.addUnknownProgram(prog, words)
		return
	}
	r.evalProgram(prog.text, args, flow{}, words)
}

// addUnknownProgram adds the effect of running a program whose name is not known from the text.
func (r *evaluator) addUnknownProgram(name flow, words string) {
	if name.computed {
		r.addOpaque("runs a program whose name is computed", words)
		return
	}
	r.addUnknown("runs an unknown program", words)
}

// evalCode adds the effects of running src as PowerShell code.
func (r *evaluator) evalCode(src flow, words string) {
	r.runsBuiltCode = r.runsBuiltCode || !src.literal
	switch {
	case src.fromNet:
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
