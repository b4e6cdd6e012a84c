package term

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// Diff prints text, a unified diff, indented. Added and removed lines have their own colours. Lines
// are never truncated and tabs stay tabs, so that the diff can be applied from a pipe.
func (s *Screen) Diff(indent string, text []byte) {
	var b bytes.Buffer
	s.writeDiff(&b, indent, text)
	s.write(b.Bytes())
}

// DiffString returns what Diff prints.
func (s *Screen) DiffString(indent string, text []byte) string {
	var b bytes.Buffer
	s.writeDiff(&b, indent, text)
	return b.String()
}

// writeDiff writes a diff to b as Diff prints it.
func (s *Screen) writeDiff(b *bytes.Buffer, indent string, text []byte) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	named := false // the previous line was a --- header
	for i, line := range lines {
		style := Plain
		switch {
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "), named && strings.HasPrefix(line, "+++ "):
			style = Strong
		case strings.HasPrefix(line, "@@"):
			style = Faint
		case strings.HasPrefix(line, "+"):
			style = Added
		case strings.HasPrefix(line, "-"):
			style = Removed
		}
		named = style == Strong && strings.HasPrefix(line, "--- ")
		b.WriteString(indent)
		line = visible.EscapeText(line)
		if look := s.colourCode(style); look != "" && line != "" {
			line = "\x1b[" + look + "m" + line + "\x1b[0m"
		}
		b.WriteString(line + "\n")
	}
}
