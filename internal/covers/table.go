package covers

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A reader is a program that runs files by its arguments.
type reader struct {
	names string
	keys  string // options whose value is a file that runs
	first bool   // the first operand is one
	all   bool   // all operands are
	code  bool   // its arguments may hold commands
}

var readers = [...]reader{
	{names: "awk gawk mawk nawk goawk", keys: "-f --file -E --exec -i --include", code: true},
	{names: "sed gsed ssed", keys: "-f --file", code: true},
	{names: "jq gojq jaq", keys: "-f --from-file"},
	{names: "expect tclsh wish jimsh gnuplot runghc runhaskell ocaml guile racket escript nu elvish xonsh octave m4 dc bc nim", keys: "-f --file", first: true, code: true},
	{names: "emacs", keys: "--script -l --load", code: true},
	{names: "sbcl", keys: "--script --load", code: true},
	{names: "vim vi nvim ex view", keys: "-S -s -u", code: true},
	{names: "psql mysql mariadb", keys: "-f --file", code: true},
	{names: "sqlite3", keys: "-init --init", code: true},
	{names: "gdb lldb", keys: "-x --command -s --source", code: true},
	{names: "java", keys: "-jar --jar", first: true},
	{names: "dotnet", first: true},
	{names: "pwsh powershell", keys: "-file -f", first: true},
	{names: "bats shellspec bashunit ansible-playbook", all: true},
	{names: "wasmtime wasmer nodemon ts-node-dev pm2", first: true},
	{names: "at batch crontab", keys: "-f", first: true},
	{names: "ld-linux ld.so", first: true},
}

// byTable covers what a program runs by the table.
func (p *planner) byTable(c *shell.Call, at spot) bool {
	for i := range readers {
		if r := &readers[i]; hasWord(r.names, c.Name) {
			p.read(c, r, at)
			if r.code {
				p.inline(c, "", at)
			}
			return r.code
		}
	}
	return false
}

func (p *planner) read(c *shell.Call, r *reader, at spot) {
	first := r.first
	what := "which file " + c.Name + " runs"
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i]
		name, val, given := strings.Cut(w.Text, "=")
		switch {
		case given && strings.HasPrefix(name, "--") && hasWord(r.keys, name):
			w.Text = val
			p.script(c, w, at, what)
		case hasWord(r.keys, w.Text):
			if i++; i < len(c.Args) {
				p.script(c, c.Args[i], at, what)
				first = false
			}
		case len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && hasWord(r.keys, w.Text[:2]):
			w.Text = w.Text[2:]
			p.script(c, w, at, what)
			first = false
		case strings.HasPrefix(w.Text, "-"):
		case r.all:
			p.operands(c, w, at)
		case first:
			first = false
			p.operands(c, w, at)
		}
	}
}

// operands covers a file that is named as what runs; a directory stands for what is in
// it.
func (p *planner) operands(c *shell.Call, w shell.Word, at spot) {
	for _, path := range p.script(c, w, at, "which file "+c.Name+" runs") {
		if p.look.Kind(path) == Directory && p.brought(path) {
			p.unsure(c.Name + " runs the files in " + visible(w.Text))
		}
	}
}

func hasWord(list, word string) bool {
	if word == "" {
		return false
	}
	for one := range strings.FieldsSeq(list) {
		if one == word {
			return true
		}
	}
	return false
}

// builders are programs that run a repository at large: its tests, its build, its
// configuration that is code.
var builders = [...]struct {
	names string
	subs  string // the subcommands that do; "" = whatever they are told
	what  string
}{
	{"go", "test run generate tool", "builds and runs this repository's code"},
	{"cargo", "test t run r bench build b check c clippy nextest doc d install miri", "builds and runs this repository's code"},
	{"dotnet", "test run build publish msbuild watch", "builds and runs this repository's code"},
	{"swift", "test run build", "builds and runs this repository's code"},
	{"zig", "build test run", "builds and runs this repository's code"},
	{"mix", "", "runs this repository's code"},
	{"pytest py.test tox nox nosetests nose2 behave", "", "runs this repository's code"},
	{"jest vitest mocha ava karma cypress playwright tap jasmine wdio", "", "runs this repository's code"},
	{"gradle gradlew mvn mvnw sbt ant lein bazel bazelisk buck2 pants mill", "", "builds and runs this repository's code"},
	{"cmake ctest meson ninja scons waf xcodebuild msbuild", "", "builds and runs this repository's code"},
	{"rspec rails cucumber minitest phpunit pest artisan", "", "runs this repository's code"},
	{"composer", "install update run run-script test exec dump-autoload", "runs the scripts of this repository"},
	{"eslint stylelint webpack rollup vite parcel gulp grunt esbuild tsup babel next nuxt ng", "", "runs its configuration in this repository"},
	{"pre-commit lefthook husky lint-staged", "", "runs what its configuration in this repository says"},
	{"docker podman nerdctl docker-compose podman-compose", "run exec build buildx compose up start", "runs what its image and its mounts hold"},
	{"vagrant terraform tofu pulumi ansible", "", "runs what its configuration in this repository says"},
	{"pip pip3", "install wheel download", "runs the set-up code of what it installs"},
	{"rake", "", "runs what its Rakefile says"},
	{"invoke inv doit poe mage mise hatch pdm rye", "", "runs what its file in this repository says"},
	{"stack cabal dune opam rebar3", "", "builds and runs this repository's code"},
}

// repository notes programs that run the repository at large.
func (p *planner) repository(c *shell.Call, at spot) {
	if c.Name == "git" {
		p.gitHooks(c)
		return
	}
	for i := range builders {
		b := &builders[i]
		if !hasWord(b.names, c.Name) {
			continue
		}
		sub := subcommand(c)
		switch {
		case onlyAsks(c):
		case b.subs == "":
			p.unsure(c.Name + " " + b.what)
		case hasWord(b.subs, sub):
			p.unsure(c.Name + " " + sub + " " + b.what)
		}
		return
	}
}

// finds reports whether a call starts programs on files that it looks for in a tree,
// and whether it does so where they are.
func finds(c *shell.Call) (finds, there bool) {
	switch c.Name {
	case "find", "gfind", "bfs", "fd", "fdfind":
	default:
		return false, false
	}
	for i := range c.Args {
		t := c.Args[i].Text
		there = there || t == "-execdir" || t == "-okdir"
		finds = finds || hasWord("-exec -execdir -ok -okdir -x --exec -X --exec-batch", t)
	}
	return finds, there
}

// subcommand is the first word of a call that is no option.
func subcommand(c *shell.Call) string {
	for i := range c.Args {
		if t := c.Args[i].Text; t != "" && t[0] != '-' && t[0] != '+' {
			return t
		}
	}
	return ""
}

// onlyAsks reports whether a program is only asked for its version or its help.
func onlyAsks(c *shell.Call) bool {
	return len(c.Args) == 1 && hasWord("--version -V --help -h version help", c.Args[0].Text)
}
