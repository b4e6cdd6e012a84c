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

// executed follows a file that the system starts: by its first line, or as a script of
// a shell when it has none.
func (p *planner) executed(path string, args []shell.Word, at spot) {
	head := p.look.Head(path)
	line, is := strings.CutPrefix(string(head), "#!")
	if !is {
		if !IsBinary(head) {
			was := p.bash
			p.bash = false
			p.reads(path, "x", args, at)
			p.bash = was
		}
		return
	}
	if !p.enter(path, "x", args, at) {
		return
	}
	defer p.leave()
	line, _, _ = strings.Cut(line, "\n")
	line = strings.Trim(line, " \t\r")
	// The system gives all that follows the program as one word.
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
		p.visit(resolve.FollowWords(words, p.shellPlace(dir), p.setting()), dir)
	}
}

// sourced follows a file that a shell reads, whatever its first line says.
func (p *planner) sourced(path string, args []shell.Word, at spot) { p.reads(path, "r", args, at) }

// reads follows the text of a file.
func (p *planner) reads(path, how string, args []shell.Word, at spot) {
	if p.look.Kind(path) != Regular || !p.enter(path, how, args, at) {
		return
	}
	defer p.leave()
	text, err := p.look.File(path)
	switch {
	case errors.Is(err, ErrLarge):
		p.anywhere(p.called(path) + " is too long to follow")
		return
	case err != nil:
		return
	}
	plain, ok := readable(text)
	if !ok {
		p.anywhere(p.called(path) + " has bytes that are not text, so it cannot be followed")
	}
	for _, dir := range at.dirs {
		p.follow(plain, dir, &resolve.Setting{Zero: path, Args: args})
	}
}

// maxTimes is how often one file is followed, with other arguments, variables, input or
// from another directory each time.
const maxTimes = 16

// enter begins with a file that is followed. It reports false when it was followed
// before with the same, lies too deep, or runs itself again.
func (p *planner) enter(path, how string, args []shell.Word, at spot) bool {
	if isSystem(p.place.Root, path) {
		return false
	}
	key := how + path + "\x00"
	full := key + p.given(path, args, at)
	again := func(list []string) (n int) {
		for _, one := range list {
			if strings.HasPrefix(one, key) {
				n++
			}
		}
		return n
	}
	switch {
	case slices.Contains(p.ran, full), again(p.stack) > 1:
		return false
	case again(p.ran) >= maxTimes:
		p.anywhere(p.called(path) + " runs in more ways than are followed")
		return false
	case p.tooDeep():
		return false
	}
	p.ran, p.stack = append(p.ran, full), append(p.stack, full)
	p.inside++
	return true
}

func (p *planner) leave() {
	p.inside--
	p.stack = p.stack[:len(p.stack)-1]
}

// given is what a script is given, as far as it may make a difference.
func (p *planner) given(path string, args []shell.Word, at spot) string {
	text, err := p.look.File(path)
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

// tooDeep reports whether what runs lies deeper than is followed, and says so.
func (p *planner) tooDeep() bool {
	if p.inside < maxDepth {
		return false
	}
	p.anywhere("it runs files that run files, deeper than is followed")
	return true
}

// called is what people call a file.
func (p *planner) called(path string) string {
	if rel, err := filepath.Rel(p.place.Root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return visible(path)
}

// readable is a script as a shell reads it: without zero bytes. It reports false when a
// line other than a comment is not in UTF-8, for then a name in it may be misread.
func readable(text []byte) (string, bool) {
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

// IsBinary reports whether the system starts a file by itself.
func IsBinary(head []byte) bool {
	for _, magic := range [...]string{"\x7fELF", "MZ", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
