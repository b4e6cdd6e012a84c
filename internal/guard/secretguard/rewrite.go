package secretguard

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxRewrite is how long a command may be that is handed to a program as one argument:
// systems take no more than twice as much.
const maxRewrite = 64 << 10

// theShell is, for bash, zsh and sh alike, the shell that runs a command. Others do not
// understand it and run nothing.
const theShell = `"${BASH:-${ZSH_NAME:-sh}}"`

// spelled are words of commands that print what they read so that nobody finds a secret in it,
// and programs that run code, which may.
var spelled = []string{
	"base32", "base64", "basenc", "od", "xxd", "hexdump", "hd", "rev", "tr", "fold", "dd", "openssl", "uuencode", "iconv", "gzip", "bzip2", "xz", "zstd", "zip", "tar", "cpio", "qrencode",
	"substr", "reverse", "explode", "--bytes", "--characters",
	"python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "tclsh", "osascript", "pwsh", "fish", "nu",
}

// past are places through which output passes the one that runs a command.
var past = []string{"/dev/tty", "/dev/pts", "/dev/console", "/proc/"}

// Redacted returns the command that does what a command does, and has checkrein print its
// output without secrets: those that it finds, and those of the files, wherever they are
// printed. An error says why there is none.
func Redacted(program, command string, files []string) (string, error) {
	head, rest, moves := resolve.Leading(command)
	switch {
	case program == "" || runtime.GOOS == "windows":
		return "", errors.New("commands cannot be rewritten on this system")
	case len(command) > maxRewrite || strings.ContainsRune(command, 0):
		return "", errors.New("the command is too long to be rewritten")
	case strings.TrimSpace(rest) == "":
		return "", errors.New("there is nothing to rewrite")
	case moves:
		return "", errors.New("a rewritten command cannot change the directory for later ones: change it first, in a call of its own")
	case resolve.HasWord(rest, spelled) || cuts(rest):
		return "", errors.New("it prints what it reads in a form in which secrets are not found, or runs code that may")
	}
	for _, name := range past {
		if strings.Contains(rest, name) {
			return "", errors.New("what is printed to " + name + " cannot be redacted")
		}
	}
	var b strings.Builder
	b.WriteString(head + tools.Quote(program) + " redact")
	for _, f := range files {
		b.WriteString(" --of " + tools.Quote(f))
	}
	b.WriteString(" --shell " + theShell + " -c " + tools.Quote(rest))
	return b.String(), nil
}

// cuts reports whether a command prints pieces of lines: cut -c, head -c, tail -c.
func cuts(text string) bool {
	return resolve.HasWord(text, []string{"cut", "head", "tail"}) && strings.Contains(text, "-c")
}

// unredacted returns the command that a rewritten one stands for; false = it is none.
func unredacted(program, command string) (string, bool) {
	head, rest, ok := strings.Cut(command, tools.Quote(program)+" redact ")
	if program == "" || !ok {
		return "", false
	}
	for {
		after, more := strings.CutPrefix(rest, "--of ")
		if !more {
			break
		}
		if _, rest, ok = unquoted(after); !ok {
			return "", false
		}
		if rest, ok = strings.CutPrefix(rest, " "); !ok {
			return "", false
		}
	}
	if rest, ok = strings.CutPrefix(rest, "--shell "+theShell+" -c "); !ok {
		return "", false
	}
	text, rest, ok := unquoted(rest)
	return head + text, ok && rest == ""
}

// unquoted reads a word that Quote wrote.
func unquoted(text string) (word, rest string, ok bool) {
	if !strings.HasPrefix(text, "'") {
		end := strings.IndexByte(text+" ", ' ')
		return text[:end], text[end:], end > 0
	}
	var b strings.Builder
	for {
		part, after, closed := strings.Cut(text[1:], "'")
		if !closed {
			return "", "", false
		}
		b.WriteString(part)
		if !strings.HasPrefix(after, `\''`) {
			return b.String(), after, true
		}
		b.WriteByte('\'')
		text = after[2:]
	}
}

// oneCommand is the one command of a call that a POSIX shell runs, and the argument that has
// it; false = the call is not like that.
func oneCommand(t *checkrein.Tool) (key, text string, ok bool) {
	parts := study.Parts(t, tools.Runs)
	if t.Canonical != "shell" || len(parts) != 1 || parts[0].Role != tools.Command || parts[0].Lang != "" {
		return "", "", false
	}
	val, there := rawjson.Get(t.Input, parts[0].Key)
	text, isText := rawjson.Text(val)
	return parts[0].Key, text, there && isText && text == parts[0].Text
}

// redacting returns what a call's command becomes so that it prints none of the secrets of
// files, and the patch of the call's arguments. An error says why that cannot be.
func redacting(t *checkrein.Tool, program string, files []readPath) (command string, patch []byte, err error) {
	key, text, ok := oneCommand(t)
	if !ok {
		return "", nil, errors.New("only calls that run one shell command can be")
	}
	var names []string
	for _, f := range files {
		names = append(names, f.full)
	}
	slices.Sort(names)
	command, err = Redacted(program, text, slices.Compact(names))
	return command, set(key, command), err
}

// plainly is a call as it was before it was rewritten.
func plainly(t *checkrein.Tool, program string) *checkrein.Tool {
	key, text, ok := oneCommand(t)
	if !ok {
		return t
	}
	before, ok := unredacted(program, text)
	if !ok {
		return t
	}
	input, err := rawjson.Patch(t.Input, set(key, before))
	if err != nil {
		return t
	}
	was := *t
	was.Input = input
	return &was
}

// set is the patch that sets an argument.
func set(key, text string) []byte {
	patch := rawjson.Object{'{'}
	patch.Raw(key, rawjson.Quote(text))
	patch.Close()
	return patch
}
