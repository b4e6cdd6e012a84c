package secretguard

import (
	"errors"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxRewrite is the maximum length of a command that is passed to a program as one argument. Systems
// accept at most twice as much.
const maxRewrite = 64 << 10

// currentShell expands, in bash, zsh and sh, to the shell that runs a command. Other shells cannot
// parse it and so run nothing.
const currentShell = `"${BASH:-${ZSH_NAME:-sh}}"`

// encoders lists programs and options that print their input in a form in which secrets are not found,
// and programs that run code, which may do the same.
var encoders = []string{
	"base32", "base64", "basenc", "od", "xxd", "hexdump", "hd", "rev", "tr", "fold", "dd", "openssl", "uuencode", "iconv", "gzip", "bzip2", "xz", "zstd", "zip", "tar", "cpio", "qrencode",
	"substr", "reverse", "explode", "--bytes", "--characters",
	"python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "tclsh", "osascript", "pwsh", "fish", "nu",
}

// sideOutputs lists paths to which output can be written without passing through the program that runs
// a command.
var sideOutputs = []string{"/dev/tty", "/dev/pts", "/dev/console", "/proc/"}

// RewriteRedacted returns a command that runs the given command through program and prints its output
// without secrets: those that checkrein finds, and those in files, wherever they are printed. It
// returns an error if the command cannot be rewritten.
func RewriteRedacted(program, command string, files []string) (string, error) {
	head, rest, moves := expand.SplitLeadingCD(command)
	switch {
	case program == "" || runtime.GOOS == "windows":
		return "", errors.New("commands cannot be rewritten on this system")
	case len(command) > maxRewrite || strings.ContainsRune(command, 0):
		return "", errors.New("the command is too long to be rewritten")
	case strings.TrimSpace(rest) == "":
		return "", errors.New("there is nothing to rewrite")
	case moves:
		return "", errors.New("a rewritten command cannot change the directory for later ones: change it first, in a call of its own")
	case expand.HasWord(rest, encoders) || printsPieces(rest):
		return "", errors.New("it prints what it reads in a form in which secrets are not found, or runs code that may")
	}
	for _, name := range sideOutputs {
		if strings.Contains(rest, name) {
			return "", errors.New("output to " + name + " cannot be redacted")
		}
	}
	var b strings.Builder
	b.WriteString(head + tools.Quote(program) + " redact")
	for _, f := range files {
		b.WriteString(" --of " + tools.Quote(f))
	}
	b.WriteString(" --shell " + currentShell + " -c " + tools.Quote(rest))
	return b.String(), nil
}

// printsPieces reports whether the command text prints parts of lines, as cut -c, head -c and tail -c
// do.
func printsPieces(text string) bool {
	return expand.HasWord(text, []string{"cut", "head", "tail"}) && strings.Contains(text, "-c")
}

// originalCommand returns the command from which RewriteRedacted made command, or false if it is not a
// rewritten one.
func originalCommand(program, command string) (string, bool) {
	head, rest, ok := strings.Cut(command, tools.Quote(program)+" redact ")
	if program == "" || !ok {
		return "", false
	}
	for {
		after, more := strings.CutPrefix(rest, "--of ")
		if !more {
			break
		}
		if _, rest, ok = cutQuoted(after); !ok {
			return "", false
		}
		if rest, ok = strings.CutPrefix(rest, " "); !ok {
			return "", false
		}
	}
	if rest, ok = strings.CutPrefix(rest, "--shell "+currentShell+" -c "); !ok {
		return "", false
	}
	text, rest, ok := cutQuoted(rest)
	return head + text, ok && rest == ""
}

// cutQuoted returns the first word of text, as [tools.Quote] wrote it, and the rest. It returns false
// if there is no complete word.
func cutQuoted(text string) (word, rest string, ok bool) {
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

// singleCommand returns the argument and the command of a shell call with exactly one command for a
// POSIX shell. It returns false for other calls.
func singleCommand(t *checkrein.Tool) (key, text string, ok bool) {
	parts := study.Parts(t, tools.Runs)
	if t.Canonical != "shell" || len(parts) != 1 || parts[0].Role != tools.Command || parts[0].Lang != "" {
		return "", "", false
	}
	val, there := rawjson.Get(t.Input, parts[0].Key)
	text, isText := rawjson.Text(val)
	return parts[0].Key, text, there && isText && text == parts[0].Text
}

// redactCall returns the command of t, rewritten so that it prints no secrets of files, and the patch
// of the arguments. It returns an error if that is impossible.
func redactCall(t *checkrein.Tool, program string, files []readPath) (command string, patch []byte, err error) {
	key, text, ok := singleCommand(t)
	if !ok {
		return "", nil, errors.New("only calls that run one shell command can be")
	}
	var names []string
	for _, f := range files {
		names = append(names, f.full)
	}
	slices.Sort(names)
	command, err = RewriteRedacted(program, text, slices.Compact(names))
	return command, argPatch(key, command), err
}

// originalCall returns the call from which redactCall made t, or t itself if it was not rewritten.
func originalCall(t *checkrein.Tool, program string) *checkrein.Tool {
	key, text, ok := singleCommand(t)
	if !ok {
		return t
	}
	before, ok := originalCommand(program, text)
	if !ok {
		return t
	}
	input, err := rawjson.Patch(t.Input, argPatch(key, before))
	if err != nil {
		return t
	}
	was := *t
	was.Input = input
	return &was
}

// argPatch returns the patch that sets the argument key to text.
func argPatch(key, text string) []byte {
	patch := rawjson.Object{'{'}
	patch.Raw(key, rawjson.Quote(text))
	patch.Close()
	return patch
}
