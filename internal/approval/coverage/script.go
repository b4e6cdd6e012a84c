package coverage

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// followExecuted follows a file that the system executes: it traces the interpreter in its first line,
// or follows the file as a shell script if that line names none. Binaries are not followed.
func (p *planner) followExecuted(path string, args []shell.Word, at spot) {
	head := p.disk.Head(path)
	line, is := strings.CutPrefix(string(head), "#!")
	if !is {
		if !IsBinary(head) {
			was := p.bash
			p.bash = false
			p.followFile(path, "x", args, at)
			p.bash = was
		}
		return
	}
	if !p.enterFile(path, "x", args, at) {
		return
	}
	defer p.leaveFile()
	line, _, _ = strings.Cut(line, "\n")
	line = strings.Trim(line, " \t\r")
	// The system passes everything after the program as a single argument.
	program, rest, _ := strings.Cut(line, " ")
	if at := strings.IndexByte(program, '\t'); at >= 0 {
		program, rest = program[:at], program[at+1:]+" "+rest
	}
	words := []shell.Word{{Text: program, Quoted: true}}
	if rest = strings.Trim(rest, " \t"); rest != "" {
		words = append(words, shell.Word{Text: rest, Quoted: true})
	}
	words = append(words, shell.Word{Text: path, Quoted: true})
	words = append(words, args...)
	for _, dir := range at.dirs {
		p.addTrace(resolve.TraceWords(words, p.shellPlace(dir), p.initialState()), dir)
	}
}

// followSourced follows the file at path, which a shell reads regardless of its first line.
func (p *planner) followSourced(path string, args []shell.Word, at spot) {
	p.followFile(path, "r", args, at)
}

// followFile follows the shell text of the file at path. how is "x" if it is executed and "r" if it is
// sourced.
func (p *planner) followFile(path, how string, args []shell.Word, at spot) {
	if p.disk.Kind(path) != Regular || !p.enterFile(path, how, args, at) {
		return
	}
	defer p.leaveFile()
	text, err := p.disk.File(path)
	switch {
	case errors.Is(err, ErrLarge):
		p.noteUnsureAnywhere(p.displayPath(path) + " is too long to follow")
		return
	case err != nil:
		return
	}
	plain, ok := scriptText(text)
	if !ok {
		p.noteUnsureAnywhere(p.displayPath(path) + " has bytes that are not text, so it cannot be followed")
	}
	for _, dir := range at.dirs {
		p.followText(plain, dir, &resolve.InitialState{Zero: path, Args: args})
	}
}

// maxTimes is how many times one file is followed, each time with different arguments, variables, input or
// directories.
const maxTimes = 16

// enterFile begins to follow a file. It returns false if the file must not be followed: it belongs to
// the operating system, was already followed with the same inputs or too often, is nested too deeply,
// or runs itself again.
func (p *planner) enterFile(path, how string, args []shell.Word, at spot) bool {
	if isSystem(p.place.Root, path) {
		return false
	}
	key := how + path + "\x00"
	full := key + p.inputsKey(path, args, at)
	again := func(list []string) (n int) {
		for _, one := range list {
			if strings.HasPrefix(one, key) {
				n++
			}
		}
		return n
	}
	switch {
	case slices.Contains(p.followed, full), again(p.stack) > 1:
		return false
	case again(p.followed) >= maxTimes:
		p.noteUnsureAnywhere(p.displayPath(path) + " runs in more ways than checkrein follows")
		return false
	case p.isTooDeep():
		return false
	}
	p.followed, p.stack = append(p.followed, full), append(p.stack, full)
	p.inside++
	return true
}

// leaveFile ends what enterFile began.
func (p *planner) leaveFile() {
	p.inside--
	p.stack = p.stack[:len(p.stack)-1]
}

// inputsKey returns a key of everything that may change what the script at path does: directories,
// arguments, variables and standard input.
func (p *planner) inputsKey(path string, args []shell.Word, at spot) string {
	text, err := p.disk.File(path)
	var b strings.Builder
	for _, dir := range at.dirs {
		b.WriteString(dir + "\x00")
	}
	for i := range args {
		b.WriteString("\x01" + args[i].Text)
	}
	for i := range p.vars {
		if v := &p.vars[i]; err == nil && bytes.Contains(text, []byte(v.Name)) {
			b.WriteString("\x02" + v.Name + "=" + v.Value.Text)
		}
	}
	if p.in != nil {
		b.WriteString("\x03" + p.in.Text)
		for _, from := range p.in.From {
			b.WriteString("\x03" + from.Path)
			for i := range from.Args {
				b.WriteString(" " + from.Args[i].Text)
			}
		}
	}
	return b.String()
}

// isTooDeep reports whether the nesting limit is reached, and if so adds it to Plan.Unsure.
func (p *planner) isTooDeep() bool {
	if p.inside < maxDepth {
		return false
	}
	p.noteUnsureAnywhere("it runs files that run other files, more levels deep than checkrein follows")
	return true
}

// displayPath returns path for messages, relative to the project if it lies there.
func (p *planner) displayPath(path string) string {
	if rel, err := filepath.Rel(p.place.Root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return messageText(path)
}

// scriptText returns text as a shell reads it, without zero bytes. It reports false if a line other
// than a comment is not valid UTF-8, since a name in it may be misread.
func scriptText(text []byte) (string, bool) {
	text = bytes.ReplaceAll(text, []byte{0}, nil)
	if utf8.Valid(text) {
		return string(text), true
	}
	ok := true
	for line := range bytes.Lines(text) {
		ok = ok && (bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) || utf8.Valid(line))
	}
	return strings.ToValidUTF8(string(text), "?"), ok
}

// IsBinary reports whether head, the beginning of a file, is that of a binary executable.
func IsBinary(head []byte) bool {
	for _, magic := range [...]string{"\x7fELF", "MZ", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
