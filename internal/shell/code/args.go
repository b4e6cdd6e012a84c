package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An interpreter is a program that runs code. The row of that name in the program table describes its
// options.
type interpreter struct {
	row  string
	lang lang
	subs bool // code and scripts follow a subcommand
}

// interpreters lists the interpreters by language. A language without a row has its own reader or is a
// shell.
var interpreters = [facts.NumLanguages]interpreter{
	facts.Python:      {row: "python", lang: python},
	facts.Node:        {row: "node", lang: javascript},
	facts.Bun:         {row: "bun", lang: javascript},
	facts.Deno:        {row: "deno", lang: javascript, subs: true},
	facts.Perl:        {row: "perl", lang: perl},
	facts.Ruby:        {row: "ruby", lang: ruby},
	facts.Elixir:      {row: "elixir", lang: ruby},
	facts.PHP:         {row: "php", lang: php},
	facts.Lua:         {row: "lua", lang: opaque},
	facts.R:           {row: "rscript", lang: opaque},
	facts.Julia:       {row: "julia", lang: opaque},
	facts.Groovy:      {row: "groovy", lang: opaque},
	facts.Swift:       {row: "swift", lang: opaque},
	facts.JShell:      {row: "jshell", lang: opaque},
	facts.AppleScript: {row: "osascript", lang: opaque},
	facts.Crystal:     {row: "crystal", lang: ruby, subs: true},
}

// interpreterByName returns the interpreter whose program name is n, or nil.
func interpreterByName(n string) *interpreter { return interpreterByLanguage(facts.LanguageOf(n)) }

// interpreterByLanguage returns the interpreter for the language t, or nil.
func interpreterByLanguage(t facts.Language) *interpreter {
	if p := &interpreters[t]; p.row != "" {
		return p
	}
	return nil
}

// A codeSource describes where an interpreter gets its code from, according to the arguments of a
// call.
type codeSource struct {
	code    string
	before  string        // code that options prepend
	file    string        // the script
	rest    []shell.Word  // the arguments of the code
	loads   []string      // files that are loaded first
	from    []*shell.Call // the calls whose output is the script
	modules []string      // modules that are loaded first, by name
	root    string        // the project's directory
	found   bool          // code is set
	script  bool          // a file holds the code
	module  bool          // a module holds the code
	name    string        // the name of that module
	version bool          // the interpreter only shows its version or help
	checks  bool          // the code is checked and not run
	inplace bool          // the code changes its input files in place
	loops   bool          // the code runs for each line of its input files
}

// parseArgs returns where the interpreter gets its code from in the call c.
func (p *interpreter) parseArgs(c *shell.Call) (g codeSource) {
	var k program.Walk
	k.StartAs(c, p.row)
	sub := false // a subcommand was read, as in deno eval code
	for k.Next() {
		switch {
		case k.Name == "" && !sub && k.IsAtSubcommand() && hasAnyPrefix(k.Role, "code:", "script:"):
			sub = true
		case !sub && p.showsVersion(&k):
			g.version = !g.found
			return g
		case k.Name == "":
			g.setOperand(&k)
			return g
		default:
			p.addOption(&g, &k)
		}
		if g.module || g.found && p.lang == python { // the rest are arguments of the code
			g.rest = k.RestArgs()
			return g
		}
	}
	g.script = g.script || p.subs && !sub
	return g
}

// showsVersion reports whether the current argument of k makes the interpreter only show its version
// or help.
func (p *interpreter) showsVersion(k *program.Walk) bool {
	switch k.Name {
	case "":
		return p.row == "crystal" && k.Arg.Text == "version"
	case "V": // -V:name shows a configuration value
		return k.Whole && !k.HasArg && (k.Role == "alone" || p.lang == perl)
	}
	return k.Whole && k.Role == "alone"
}

// setOperand handles the first operand of the interpreter. It is the script, unless it is code, a name
// for standard input, or an argument of code that was found before.
func (g *codeSource) setOperand(k *program.Walk) {
	g.rest = k.RestArgs()
	switch w := k.Arg.Text; {
	case strings.HasPrefix(k.Role, "code:"):
		g.code, g.found = w, true
	case w == "-" || w == "/dev/stdin" || w == "/dev/fd/0":
	case g.found || g.script:
		g.rest = k.ArgsFromCurrent()
	default:
		g.script, g.file = true, w
	}
}

// addOption adds the effect of the current option of k to g.
func (p *interpreter) addOption(g *codeSource, k *program.Walk) {
	role, of, _ := strings.Cut(k.Role, ":")
	val := k.Arg.Text
	edits := p.row == "perl" || p.row == "ruby"
	switch {
	case k.Name == "i" && edits:
		g.inplace = true
		// In -pie, perl takes the e for a backup suffix, but the user means -p -i -e.
		if strings.HasSuffix(val, "e") && strings.Trim(val, "nple0123456789") == "" {
			g.loops = true
			if rest := k.RestArgs(); len(rest) > 0 {
				g.addCode(rest[0].Text)
				k.Skip(1)
			}
		}
	case role == "loop":
		g.loops = true
	case role == "check":
		g.checks = g.checks || k.Whole
	case of == "module":
		g.module, g.name = true, val
	case !k.HasArg || k.IsValueMissing() || g.script: // after R -f a.R, the rest are arguments of the script
	case k.Name == "p" && role == "code" && strings.HasPrefix(val, "-") && k.UnreadValue(): // as in node -p -e code
	case role == "code":
		g.addCode(val)
	case role == "script":
		g.script, g.file = true, val
	case role == "load":
		g.addLoad(p.lang, k.Name, val)
	}
}

// addCode appends code to g.code, on a new line.
func (g *codeSource) addCode(code string) {
	if g.found {
		code = g.code + "\n" + code
	}
	g.code, g.found = code, true
}

// identChars lists the ASCII characters of an identifier.
const identChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
