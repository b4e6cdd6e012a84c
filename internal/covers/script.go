package covers

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
		if !isBinary(head) {
			p.reads(path, "x", args, at)
		}
		return
	}
	if !p.enter(path, "x") {
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
	if p.look.Kind(path) != Regular || !p.enter(path, how) {
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
		p.anywhere(p.called(path) + " has bytes that are no text, so it cannot be followed")
	}
	for _, dir := range at.dirs {
		p.follow(plain, dir, &resolve.Setting{Zero: path, Args: args})
	}
}

// enter begins with a file that is followed. It reports false when it was followed
// before, or lies too deep.
func (p *planner) enter(path, how string) bool {
	if slices.Contains(p.ran, how+path) || isSystem(p.place.Root, path) || p.tooDeep() {
		return false
	}
	p.ran = append(p.ran, how+path)
	p.inside++
	return true
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

// isBinary reports whether the system starts a file by itself.
func isBinary(head []byte) bool {
	for _, magic := range [...]string{"\x7fELF", "MZ", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

func (p *planner) leave() { p.inside-- }
