package covers

import (
	"bytes"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// executed follows a file that the system starts: by its first line, or as a script of
// a shell when it has none.
func (p *planner) executed(path string, args []shell.Word, at spot) {
	text, ok := p.enter(path, "x")
	if !ok {
		return
	}
	defer p.leave()
	line, is := strings.CutPrefix(text, "#!")
	if !is {
		for _, dir := range at.dirs {
			p.follow(text, dir, &resolve.Setting{Zero: path, Args: args})
		}
		return
	}
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
func (p *planner) sourced(path string, args []shell.Word, at spot) {
	text, ok := p.enter(path, "r")
	if !ok {
		return
	}
	for _, dir := range at.dirs {
		p.follow(text, dir, &resolve.Setting{Zero: path, Args: args})
	}
	p.leave()
}

// enter begins with a file that is followed. It reports false when it is not a text,
// or was followed before.
func (p *planner) enter(path, how string) (string, bool) {
	if p.inside >= maxDepth || slices.Contains(p.ran, how+path) || isSystem(p.place.Root, path) {
		return "", false
	}
	text, err := p.look.File(path)
	if err != nil || bytes.IndexByte(text[:min(len(text), 512)], 0) >= 0 {
		return "", false
	}
	p.ran = append(p.ran, how+path)
	p.inside++
	return string(text), true
}

func (p *planner) leave() { p.inside-- }
