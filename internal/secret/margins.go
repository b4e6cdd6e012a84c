package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// Lines that a program prints often have a margin: the + or - of a diff, a line number, or
// the position of a search result. A margin separates a name from the value below it, and
// breaks columns and commands, so lines with a hit are also searched without it.

const (
	marginReach = 256      // maximum bytes from the start of a line to its hit
	marginBack  = 1 << 10  // maximum bytes of lines before a line with a hit
	marginAhead = 12 << 10 // maximum bytes of lines from the line with the hit
)

// A margin is the text that a program prints before the content of a line.
type margin struct {
	width  int
	sign   byte // the character that ends it
	number int  // the line number; 0 in a diff
}

// follows reports whether a line with margin m can directly follow one with margin before.
func (m margin) follows(before margin) bool {
	return m.sign == before.sign && (m.number == 0 && before.number == 0 || m.number == before.number+1)
}

// parseMargin returns the margin of line. Its width is 0 if line has none.
func parseMargin(line string) margin {
	if line == "" {
		return margin{}
	}
	switch c := line[0]; {
	case c == '+' || c == '-':
		if len(line) < 3 || line[1] != c || line[2] != c { // +++ and --- are file headers
			return margin{width: 1, sign: c}
		}
	case lex.IsBlank(c) || lex.IsDigit(c):
		return parseNumberMargin(line, lex.Skip(line, 0, min(len(line), 8), lex.IsBlank))
	case lex.IsWordByte(c) || c == '.' || c == '/':
		return parsePositionMargin(line)
	}
	return margin{}
}

// parseNumberMargin returns the margin of line, whose line number starts at i, or the zero margin if
// there is none.
func parseNumberMargin(line string, i int) margin {
	m := margin{}
	at := i
	for ; i < len(line) && i-at < 7 && lex.IsDigit(line[i]); i++ {
		m.number = m.number*10 + int(line[i]-'0')
	}
	if i == at || i == len(line) || m.number == 0 {
		return margin{}
	}
	rest := line[i:]
	switch m.sign = rest[0]; {
	case m.sign == '\t' || m.sign == ':' || m.sign == '-':
		m.width = i + 1
	case strings.HasPrefix(rest, "→"):
		m.width = i + len("→")
	case strings.HasPrefix(rest, " | "):
		m.sign, m.width = '|', i+len(" | ")
	default:
		return margin{}
	}
	return m
}

// parsePositionMargin returns the margin of a line that starts with a file name and a line number:
// a/b.go:12: or, for context lines, a/b.go-12-. It returns the zero margin if there is none.
func parsePositionMargin(line string) margin {
	named := false
	for i := 0; i+2 < len(line); i++ {
		switch c := line[i]; {
		case c == '.' || c == '/':
			named = true
		case (c == ':' || c == '-') && named && lex.IsDigit(line[i+1]):
			if m := parseNumberMargin(line, i+1); m.sign == c {
				return m
			}
		case !lex.IsNameByte(c):
			return margin{}
		}
	}
	return margin{}
}

// markLineWithMargin records the line with the hit that ends at end in f.Marked, if the line has a
// margin.
func markLineWithMargin(f *search.Finder, end int) {
	s := f.Text
	from := strings.LastIndexByte(s[:end], '\n') + 1
	f.LineTo = lineEnd(s, end)
	if end-from <= marginReach && parseMargin(s[from:f.LineTo]).width > 0 {
		f.Marked = append(f.Marked, from)
	}
}

// lineEnd returns the offset where the line that contains i ends.
func lineEnd(s string, i int) int { return decode.IndexFrom(s, '\n', i) }

// findWithoutMargins adds the findings in the marked lines and those around them when their margins
// are removed.
func findWithoutMargins(f *search.Finder) {
	if len(f.Marked) == 0 {
		return
	}
	known := search.Finder{Text: f.Text, Found: slices.Clone(f.Found)}
	mergeFound(&known)
	done := 0
	for _, at := range f.Marked {
		if at >= done {
			done = findAroundLine(f, at, known.Found)
		}
	}
}

// A lineOffsets holds the offsets of a line's content in the text, and in the text without margins.
type lineOffsets struct{ source, read int }

// findAroundLine adds the findings, without margins, in the consecutive lines around the one at i,
// unless they overlap known ones. It returns the offset where these lines end.
func findAroundLine(f *search.Finder, i int, known []search.Found) int {
	s := f.Text
	from := firstConsecutiveLine(f, i)
	var text []byte
	var lines []lineOffsets
	at, before := from, margin{}
	for at < len(s) && at-i < marginAhead {
		end := lineEnd(s, at)
		m := parseMargin(s[at:end])
		if m.width == 0 || len(lines) > 0 && !m.follows(before) {
			break
		}
		lines = append(lines, lineOffsets{at + m.width, len(text)})
		text = append(append(text, s[at+m.width:end]...), '\n')
		at, before = min(end+1, len(s)), m
	}
	in := f.NewInner(string(text), rules.Secrets)
	findAll(&in)
	k := 0
	for _, n := range mergeFound(&in) {
		for k+1 < len(lines) && lines[k+1].read <= n.Start {
			k++
		}
		if k+1 < len(lines) && n.End > lines[k+1].read {
			continue // findings that span several lines are found with their margins
		}
		if shift := lines[k].source - lines[k].read; !overlaps(known, n.Start+shift, n.End+shift) {
			f.Add(n.Rule, n.Start+shift, n.End+shift)
		}
	}
	return at
}

// firstConsecutiveLine returns the offset of the first of the consecutive lines with margins that lead
// to the line at i.
func firstConsecutiveLine(f *search.Finder, i int) int {
	s := f.Text
	after := parseMargin(s[i:lineEnd(s, i)])
	for from := i; ; {
		if from == 0 {
			return from
		}
		before := strings.LastIndexByte(s[:from-1], '\n') + 1
		m := parseMargin(s[before : from-1])
		if i-before > marginBack || m.width == 0 || !after.follows(m) {
			return from
		}
		from, after = before, m
	}
}

// overlaps reports whether a finding of the sorted list overlaps the span from start to end.
func overlaps(list []search.Found, start, end int) bool {
	k, _ := slices.BinarySearchFunc(list, start, func(n search.Found, at int) int { return n.End - at - 1 })
	return k < len(list) && list[k].Start < end
}
