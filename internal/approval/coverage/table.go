package coverage

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A scriptProgram is a program that runs files named in its arguments.
type scriptProgram struct {
	// the names of the program, separated by spaces
	names string
	keys  string // options whose value is a file that runs
	flags string // letters of options without a value, which may precede the letter of one with a value in the same word
	first bool   // the first operand runs
	all   bool   // all operands run
	code  bool   // its arguments may hold commands
	own   bool   // it runs commands in a language that is not analysed
}

var scriptPrograms = [...]scriptProgram{
	{names: "awk gawk mawk nawk goawk", keys: "-f --file -E --exec -i --include", flags: "bcCghIkMnNOPrsSt", code: true},
	{names: "sed gsed ssed", keys: "-f --file", flags: "nErsuz", code: true},
	{names: "jq gojq jaq", keys: "-f --from-file", flags: "nrcsSMCaej"},
	{names: "expect tclsh wish jimsh gnuplot runghc runhaskell ocaml guile racket escript nu elvish xonsh octave m4 dc bc nim", keys: "-f --file", first: true, code: true},
	{names: "emacs", keys: "--script -l --load", code: true, own: true},
	{names: "sbcl", keys: "--script --load", code: true},
	{names: "vim vi nvim ex view gvim rvim vimdiff", keys: "-S -s -u", code: true, own: true},
	{names: "psql mysql mariadb", keys: "-f --file", code: true, own: true},
	{names: "sqlite3", keys: "-init --init", code: true, own: true},
	{names: "gdb lldb", keys: "-x --command -s --source", code: true, own: true},
	{names: "ed red groff troff gtroff pic gpic man pydoc pydoc3", own: true},
	{names: "java", keys: "-jar --jar", first: true},
	{names: "dotnet", first: true},
	{names: "pwsh powershell", keys: "-file -f", first: true},
	{names: "bats shellspec bashunit ansible-playbook run-parts", all: true},
	{names: "wasmtime wasmer nodemon ts-node-dev pm2", first: true},
	{names: "at batch crontab", keys: "-f", first: true},
	{names: "ld-linux ld.so", first: true},
}

// addScriptProgram covers what c runs according to scriptPrograms. It reports whether c needs no
// further analysis.
func (p *planner) addScriptProgram(c *shell.Call, at spot) bool {
	for i := range scriptPrograms {
		if r := &scriptPrograms[i]; hasWord(r.names, c.Name) {
			p.addOptionFiles(c, r, at)
			if r.own {
				p.noteUnsure(c.Name + " runs its own commands, which checkrein does not read")
			}
			if r.code {
				p.addInlineCode(c, "", at)
			}
			return r.code
		}
	}
	return false
}

// addOptionFiles covers the files in the options and operands of c that r runs.
func (p *planner) addOptionFiles(c *shell.Call, r *scriptProgram, at spot) {
	first := r.first
	what := "which file " + c.Name + " runs"
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i]
		if r.flags != "" && len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' {
			w.Text = "-" + strings.TrimLeft(w.Text[1:], r.flags)
		}
		name, val, given := strings.Cut(w.Text, "=")
		name = r.fullOption(name)
		switch {
		case given && strings.HasPrefix(name, "--") && hasWord(r.keys, name):
			w.Text = val
			p.addScript(c, w, at, what)
		case !given && hasWord(r.keys, name):
			if i++; i < len(c.Args) {
				p.addScript(c, c.Args[i], at, what)
				first = false
			}
		case len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && hasWord(r.keys, w.Text[:2]):
			w.Text = w.Text[2:]
			p.addScript(c, w, at, what)
			first = false
		case strings.HasPrefix(w.Text, "-"):
		case r.all:
			p.addOperand(c, w, at)
		case first:
			first = false
			p.addOperand(c, w, at)
		}
	}
}

// fullOption returns the long option in r.keys that name abbreviates, since most programs accept
// abbreviations. It returns name if there is none.
func (r *scriptProgram) fullOption(name string) string {
	if len(name) < 4 || name[:2] != "--" {
		return name
	}
	for key := range strings.FieldsSeq(r.keys) {
		if strings.HasPrefix(key, name) {
			return key
		}
	}
	return name
}

// addOperand covers w, an operand that names a file or directory that c runs.
func (p *planner) addOperand(c *shell.Call, w shell.Word, at spot) {
	for _, path := range p.addScript(c, w, at, "which file "+c.Name+" runs") {
		if p.disk.Kind(path) == Directory && p.inRepo(path) {
			p.noteUnsure(c.Name + " runs the files in " + messageText(w.Text))
		}
	}
}

// hasWord reports whether word is in list, a list separated by spaces. It returns false if word is "".
func hasWord(list, word string) bool { return word != "" && facts.InList(list, word) }

// finderStarts reports whether c starts programs on files that it finds in a directory tree, and
// whether it starts them in the directories of those files.
func finderStarts(c *shell.Call) (finds, inFileDirs bool) {
	if !isFinder(c.Name) {
		return false, false
	}
	for i := range c.Args {
		t := c.Args[i].Text
		inFileDirs = inFileDirs || t == "-execdir" || t == "-okdir"
		finds = finds || hasWord("-exec -execdir -ok -okdir -x --exec -X --exec-batch", t)
	}
	return finds, inFileDirs
}

// isInfoCall reports whether c only prints its version or its help.
func isInfoCall(c *shell.Call) bool {
	return len(c.Args) == 1 && hasWord("--version -V --help -h version help", c.Args[0].Text)
}
