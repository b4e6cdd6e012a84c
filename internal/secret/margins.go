package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// Lines that a program prints often have a margin: the sign of a diff, the number of a
// listing, the position of a search result. It hides a name above its value, a column or
// a command, so lines with a hit are also searched without it.

const (
	marginReach = 256      // bytes of a line up to its hit
	marginBack  = 1 << 10  // bytes of lines before a line with a hit
	marginAhead = 12 << 10 // bytes of lines from there on
)

// A margin is what a program prints before a line.
type margin struct {
	width  int
	sign   byte // its last sign
	number int  // the number of the line; 0 in a diff
}

// follows reports whether a line with the margin m can come after one with the margin before.
func (m margin) follows(before margin) bool {
	return m.sign == before.sign && (m.number == 0 && before.number == 0 || m.number == before.number+1)
}

// parseMargin returns the margin of a line; its width is 0 if there is none.
func parseMargin(line string) margin {
	if line == "" {
		return margin{}
	}
	switch c := line[0]; {
	case c == '+' || c == '-':
		if len(line) < 3 || line[1] != c || line[2] != c { // +++ and --- name files
			return margin{width: 1, sign: c}
		}
	case lex.IsBlank(c) || lex.IsDigit(c):
		return parseNumber(line, lex.Skip(line, 0, min(len(line), 8), lex.IsBlank))
	case lex.IsWord(c) || c == '.' || c == '/':
		return parsePosition(line)
	}
	return margin{}
}

// parseNumber returns the margin of a line that has its number at i.
func parseNumber(line string, i int) margin {
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

// parsePosition returns the margin of a line with the name of its file and its number: a/b.go:12: or,
// for context lines, a/b.go-12-.
func parsePosition(line string) margin {
	named := false
	for i := 0; i+2 < len(line); i++ {
		switch c := line[i]; {
		case c == '.' || c == '/':
			named = true
		case (c == ':' || c == '-') && named && lex.IsDigit(line[i+1]):
			if m := parseNumber(line, i+1); m.sign == c {
				return m
			}
		case !lex.IsName(c):
			return margin{}
		}
	}
	return margin{}
}

// markLineWithMargin records the line with the hit before end, if it has a margin.
func markLineWithMargin(f *search.Finder, end int) {
	s := f.Text
	from := strings.LastIndexByte(s[:end], '\n') + 1
	f.LineTo = lineEnd(s, end)
	if end-from <= marginReach && parseMargin(s[from:f.LineTo]).width > 0 {
		f.Marked = append(f.Marked, from)
	}
}

// lineEnd returns where the line that contains i ends.
func lineEnd(s string, i int) int { return decode.IndexFrom(s, '\n', i) }

// findWithoutMargins adds the findings in lines with a hit, and those around them, without their
// margins.
func findWithoutMargins(f *search.Finder) {
	if len(f.Marked) == 0 {
		return
	}
	known := search.Finder{Text: f.Text, Found: slices.Clone(f.Found)}
	mergeFound(&known)
	done := 0
	for _, at := range f.Marked {
		if at >= done {
			done = findWithoutMargin(f, at, known.Found)
		}
	}
}

// A shownLine holds where a line starts in the text, and in the text without margins.
type shownLine struct{ source, read int }

// findWithoutMargin adds the findings in the lines around the one at i, and returns where these lines
// end.
func findWithoutMargin(f *search.Finder, i int, known []search.Found) int {
	s := f.Text
	from := firstMargin(f, i)
	var text []byte
	var lines []shownLine
	at, before := from, margin{}
	for at < len(s) && at-i < marginAhead {
		end := lineEnd(s, at)
		m := parseMargin(s[at:end])
		if m.width == 0 || len(lines) > 0 && !m.follows(before) {
			break
		}
		lines = append(lines, shownLine{at + m.width, len(text)})
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
			continue // findings of several lines are found with margins
		}
		if shift := lines[k].source - lines[k].read; !overlaps(known, n.Start+shift, n.End+shift) {
			f.Add(n.Rule, n.Start+shift, n.End+shift)
		}
	}
	return at
}

// firstMargin returns the start of the first of the consecutive lines that lead to the one at i.
func firstMargin(f *search.Finder, i int) int {
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

// overlaps reports whether a finding of the sorted list overlaps the span.
func overlaps(list []search.Found, start, end int) bool {
	k, _ := slices.BinarySearchFunc(list, start, func(n search.Found, at int) int { return n.End - at - 1 })
	return k < len(list) && list[k].Start < end
}
