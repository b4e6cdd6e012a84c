package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// program runs a program that is no part of the shell: a tool of Windows, another
// shell, or something that is handed on.
func (r *reader) program(prog string, args []string, in flow, words string) {
	name := programName(prog)
	if r.depth >= maxDepth {
		r.exceeds("is nested too deeply to be checked", words)
		return
	}
	low := make([]string, len(args))
	for i, a := range args {
		low[i] = lower(a)
	}
	if len(low) > 0 && (low[0] == "/?" || low[0] == "-?" || low[0] == "--help") {
		r.safe(shell.IO, words)
		return
	}
	if r.transfer(name, args, low, words) || r.tool(name, low, words) ||
		r.otherShell(name, args, low, in, words) {
		return
	}
	if name == "" || strings.Contains(prog, hole) {
		r.unknown("runs an unknown program", words)
		return
	}
	list := make([]string, 0, len(args)+1)
	switch {
	case strings.HasSuffix(lower(prog), ".exe") && !strings.ContainsAny(prog, `\/`):
		list = append(list, name)
	case !strings.ContainsAny(prog, `\/`) && (strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd") || strings.HasSuffix(name, ".ps1")):
		list = append(list, "./"+prog) // here comes before the search path
	default:
		list = append(list, unix(prog))
	}
	r.hand(append(list, args...))
}

// otherShell runs what other shells and launchers are given.
func (r *reader) otherShell(name string, args, low []string, in flow, words string) bool {
	r.depth++
	defer func() { r.depth-- }()
	tongue := facts.TongueOf(name)
	switch {
	case in.net && runsInput(name, args):
		r.remoteCode(words)
	case tongue == facts.PowerShell, name == "powershell_ise":
		r.powershell(args, low, in, words)
	case tongue == facts.Cmd:
		r.commandShell(args, low, in, words)
	case program.StartsOf(name) == program.StartsLinux:
		r.linux(name, args)
	case tongue.Shell():
		r.unixShell(name, args)
	default:
		return r.launcher(name, args, low, words)
	}
	return true
}

// runsInput reports whether a program runs what is piped into it.
func runsInput(name string, args []string) bool {
	switch {
	case facts.AnyShell(name):
		return true
	case program.StartsOf(name) == program.StartsLinux:
		return len(args) == 0 || runsInput(programName(args[0]), args[1:])
	}
	return facts.Interpreter(name) && !slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
}

// commandShell runs what cmd is given.
func (r *reader) commandShell(args, low []string, in flow, words string) {
	for i, a := range low {
		if strings.HasPrefix(a, "//") { // as bash on Windows must write it
			a, args[i] = a[1:], args[i][1:]
		}
		if strings.HasPrefix(a, "/c") || strings.HasPrefix(a, "/k") || strings.HasPrefix(a, "/r") {
			text := strings.Join(append([]string{args[i][2:]}, args[i+1:]...), " ")
			r.nestedCmd(strings.TrimSpace(text))
			return
		}
	}
	if in.text != "" {
		r.nestedCmd(in.text)
		return
	}
	r.unknown("starts another shell", words)
}

// unixShell runs what a shell of Unix is given.
func (r *reader) unixShell(name string, args []string) {
	for i, a := range args {
		if i+1 == len(args) {
			break
		}
		if a == "-c" || a == "-lc" || a == "-ic" {
			r.text(args[i+1])
			return
		}
	}
	r.hand(append([]string{name}, args...))
}

// linux runs what wsl is given: a command of Linux.
func (r *reader) linux(name string, args []string) {
	if i := slices.Index(args, "-e"); i >= 0 && i+1 < len(args) {
		r.hand(args[i+1:])
	} else if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		r.hand(args)
	} else {
		r.unixShell(name, args)
	}
}

// launcher runs what programs of Windows start.
func (r *reader) launcher(name string, args, low []string, words string) bool {
	switch kind := program.StartsOf(name); kind {
	case program.StartsProgram, program.StartsCommand:
		for i, a := range args {
			switch f := splitArgs(a); {
			case len(f) == 0 || begins(a, "/", "-"):
			case kind == program.StartsCommand && isURL(a):
				r.safe(shell.IO, words)
				return true
			case kind == program.StartsCommand:
				r.nestedCmd(strings.Join(args[i:], " "))
				return true
			default:
				r.program(f[0], append(f[1:], args[i+1:]...), flow{}, words)
				return true
			}
		}
	case program.StartsForEach:
		for i, a := range low {
			if a == "/c" && i+1 < len(args) {
				r.nestedCmd(strings.ReplaceAll(strings.Trim(args[i+1], `"`), "@path", `C:\*`))
				return true
			}
		}
		r.safe(shell.FSRead, words)
	case program.StartsScript:
		if strings.Contains(lower(words), "http") || strings.Contains(lower(words), "script:") {
			r.remoteCode(words)
		} else {
			r.opaque("runs unknown code", words)
		}
	default:
		return false
	}
	return true
}

// nestedCmd reads text as cmd.exe does.
func (r *reader) nestedCmd(text string) {
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if r.spend(len(text)) {
		r.cmdScript(text)
	}
}

// powershell reads the words of a call of PowerShell.
func (r *reader) powershell(args, low []string, in flow, words string) {
	for i := 0; i < len(args); i++ {
		switch psOptionOf(low[i]) {
		case isText:
			r.psCommand(args[i:], in, words)
			return
		case beforeText:
			r.psCommand(args[i+1:], in, words)
			return
		case beforeEncoded:
			r.psEncoded(args[i+1:], words)
			return
		case beforeFile:
			r.unknown("runs a script", words)
			return
		case beforeValue:
			i++
		}
	}
	if len(args) == 0 && in.text != "" {
		r.psScript(in.text, flow{})
		return
	}
	r.safe(shell.IO, words)
}

// A psOption is what a word of a call of PowerShell says of the words behind it.
type psOption byte

const (
	alone psOption = iota
	isText
	beforeText
	beforeEncoded
	beforeFile
	beforeValue
)

// psOptions are PowerShell's own options with values. They may be shortened.
var psOptions = [...]struct {
	name  string
	least int    // letters of it that are enough
	short string // other names
	psOption
}{
	{"command", 3, "c", beforeText},
	{"encodedcommand", 4, "e ec en enc", beforeEncoded},
	{"file", 1, "", beforeFile},
	{"executionpolicy", 1, "ep", beforeValue},
	{"windowstyle", 1, "", beforeValue},
	{"version", 2, "", beforeValue},
	{"outputformat", 1, "", beforeValue},
	{"inputformat", 1, "", beforeValue},
	{"workingdirectory", 1, "", beforeValue},
	{"configurationname", 1, "", beforeValue},
}

func psOptionOf(low string) psOption {
	name := strings.TrimLeft(low, "-/")
	switch {
	case !begins(low, "-", "/"):
		return isText
	case name == "":
		return beforeText
	}
	for i := range psOptions {
		if o := &psOptions[i]; facts.InList(o.short, name) || len(name) >= o.least && strings.HasPrefix(o.name, name) {
			return o.psOption
		}
	}
	return alone
}

// psCommand runs the words that PowerShell is given as its text.
func (r *reader) psCommand(args []string, in flow, words string) {
	if len(args) == 1 && args[0] == "-" {
		r.psScript(in.text, flow{})
		return
	}
	text := strings.Join(args, " ")
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	if strings.Trim(text, hole+" ") == "" {
		r.opaque("runs an unknown string as a command", words)
		return
	}
	if r.spend(len(text)) {
		r.psScript(text, in)
	}
}

// psEncoded runs an encoded command.
func (r *reader) psEncoded(args []string, words string) {
	if t, ok := decodeCommand(first(args)); ok && r.spend(len(t)) {
		r.psScript(t, flow{})
		return
	}
	r.opaque("runs an encoded command that cannot be decoded", words)
}

func contains(list []string, words string) bool {
	for _, a := range list {
		if facts.InList(words, a) {
			return true
		}
	}
	return false
}

func first(list []string) string {
	if len(list) > 0 {
		return list[0]
	}
	return ""
}

// transfer runs the tools that can send or fetch files.
func (r *reader) transfer(name string, args, low []string, words string) bool {
	if program.StartsOf(name) != program.StartsTransfer {
		return false
	}
	url, file := "", ""
	for _, a := range args {
		switch {
		case isURL(a):
			url = a
		case !begins(a, "/", "-"):
			file = unix(a)
		}
	}
	switch {
	case url == "":
		return false
	case contains(low, "/upload"):
		r.upload(url, flow{file: true, secret: facts.SecretFile(file)}, words)
	default:
		r.hand([]string{"curl", "-o", file, url})
	}
	return true
}

// splitArgs cuts text into words as Windows programs do.
func splitArgs(s string) []string {
	var out []string
	var b strings.Builder
	quoted, any := false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case c <= ' ' && !quoted:
			if any {
				out = append(out, b.String())
				b.Reset()
				any = false
			}
		default:
			b.WriteByte(c)
			any = true
		}
	}
	if any {
		out = append(out, b.String())
	}
	return out
}
