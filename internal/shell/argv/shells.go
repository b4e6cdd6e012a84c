package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// ShellArgs holds the parsed arguments of a shell.
type ShellArgs struct {
	Text        int  // index of the command string or script; the number of arguments if there is none
	Code        bool // -c: the argument at Text is a command string
	Stdin       bool // -s: the shell reads commands from standard input
	Exits       bool // -e: the shell exits if a command fails
	RunsNothing bool // the shell runs nothing, because of -n, --version or --help
	Interactive bool // -i
}

// ParseShellArgs parses args, the arguments of a shell.
func ParseShellArgs(args []shell.Word) ShellArgs {
	var s ShellArgs
	i := 0
loop:
	for ; i < len(args); i++ {
		a := args[i].Text
		switch {
		case a == "--" || a == "-":
			i++
			break loop
		case a == "--command" || a == "--init-command":
			s.Code = true
		case strings.HasPrefix(a, "--command="):
			s.Code = true
			break loop
		case a == "--rcfile" || a == "--init-file":
			i++
		case a == "--version" || a == "--help":
			s.RunsNothing = true
		case strings.HasPrefix(a, "--"):
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			s.addShortOptions(a)
			if last := a[len(a)-1]; last == 'o' || last == 'O' {
				i++
			}
		default:
			break loop
		}
	}
	s.Text = min(i, len(args))
	return s
}

// addShortOptions adds the short options in a, such as -ec. It ignores options that are turned off
// with +.
func (s *ShellArgs) addShortOptions(a string) {
	if a[0] != '-' {
		return
	}
	s.Code = s.Code || strings.Contains(a, "c")
	s.Exits = s.Exits || strings.Contains(a, "e")
	s.Stdin = s.Stdin || strings.Contains(a, "s")
	s.Interactive = s.Interactive || strings.Contains(a, "i")
	s.RunsNothing = s.RunsNothing || a == "-n"
}

// A ShellSource describes where a shell gets its commands from, unless from -c.
type ShellSource struct {
	Script int  // index of the script, or -1
	Rest   int  // index of the first argument of the script or input
	Stdin  bool // the shell reads commands from standard input
}

// ParseShellSource returns where a shell with the arguments args gets its commands from. Script is -1
// and Stdin false if it runs a command string, or nothing.
func ParseShellSource(args []shell.Word) ShellSource {
	s := ParseShellArgs(args)
	switch {
	case s.RunsNothing || s.Code && s.Text < len(args):
		return ShellSource{Script: -1}
	case s.Stdin || s.Text >= len(args) || args[s.Text].Text == "/dev/stdin" || args[s.Text].Text == "/dev/fd/0":
		rest := s.Text
		if !s.Stdin {
			rest++
		}
		return ShellSource{Script: -1, Stdin: true, Rest: min(rest, len(args))}
	}
	return ShellSource{Script: s.Text, Rest: s.Text + 1}
}

// IsPlainShell reports whether the shell at path, with the given options, runs the command string of
// -c as the current shell would.
func IsPlainShell(path string, options []shell.Word) bool {
	if !facts.LanguageOf(ProgramName(path)).IsPosix() {
		return false
	}
	for _, o := range options {
		if len(o.Text) < 2 || o.Text[0] != '-' || strings.Trim(o.Text[1:], "celuxv") != "" {
			return false
		}
	}
	return IsSystemProgram(path)
}

// IsSystemProgram reports whether path is a name without a directory, or a program in /bin or
// /usr/bin.
func IsSystemProgram(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch path[:len(path)-len(name)] {
	case "", "/bin/", "/usr/bin/":
		return !strings.Contains(name, `\`)
	}
	return false
}

// AllPrintShellSetup reports whether all calls in from print well-known set-up code for a shell.
func AllPrintShellSetup(from []*shell.Call) bool {
	for _, c := range from {
		if !PrintsShellSetup(c) {
			return false
		}
	}
	return true
}

// setupPrinters lists programs whose output is meant to be evaluated by a shell, and the subcommands
// or options that print it. * stands for any text.
var setupPrinters = [...]struct{ names, subs string }{
	{"ssh-agent dircolors lesspipe lesspipe.sh register-python-argcomplete gpg-agent resize tset thefuck fzf keychain", "*"},
	{"brew linuxbrew", "shellenv"},
	{"devbox", "shellenv global"},
	{"perl", "-Mlocal::lib"},
	{"pyenv rbenv nodenv goenv jenv plenv starship zoxide atuin fasd oh-my-posh phpenv tfenv nodebrew rbenv-init", "init virtualenv-init"},
	{"direnv", "hook export"},
	{"flox vfox proto sheldon", "activate source"},
	{"nix", "print-dev-env"},
	{"pixi", "shell-hook"},
	{"op", "signin"},
	{"mise rtx", "activate env hook-env"},
	{"fnm opam luarocks docker-machine volta asdf", "env path"},
	{"conda mamba micromamba", "shell*"},
	{"minikube", "*-env"},
	{"poetry", "completion completions generate-shell-completion env"},
	{"uv", "completion completions generate-shell-completion"},
	{"cat sed gsed awk gawk grep head tail tr cut jq xxd base64 openssl git find", ""}, // these print text from other sources
}

// PrintsShellSetup reports whether c prints set-up code for a shell, such as its completions.
func PrintsShellSetup(c *shell.Call) bool {
	sub := ""
	for _, a := range c.Args {
		if a.Text == "" || a.Text[0] != '-' {
			sub = a.Text
			break
		}
	}
	for i := range setupPrinters {
		if facts.InList(setupPrinters[i].names, c.Name) {
			return slices.ContainsFunc(strings.Fields(setupPrinters[i].subs), func(pattern string) bool {
				head, tail, open := strings.Cut(pattern, "*")
				return sub == pattern || pattern[0] == '-' && HasWord(c.Args, pattern) || open && strings.HasPrefix(sub, head) && strings.HasSuffix(sub, tail)
			})
		}
	}
	// Other programs are trusted to print their own completion code, because the user runs them anyway.
	return !facts.IsInterpreter(c.Name) && (sub == "completion" || sub == "completions" || HasWord(c.Args, "--completion") || HasWord(c.Args, "--completions"))
}

// IsInPrintedSetupRoot reports whether file is below a directory that a known program prints to set up
// a shell, such as $(conda info --base)/etc/profile.d/conda.sh.
func IsInPrintedSetupRoot(file shell.Word) bool {
	if file.IsKnown() || len(file.From) != 1 {
		return false
	}
	c := file.From[0]
	return program.Is(c.Name, program.IsSetupRoot) && c.Remote == "" && strings.HasPrefix(file.Text, placeholder+"/")
}
