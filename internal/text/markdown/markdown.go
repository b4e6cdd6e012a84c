// Package markdown reads the pages of the documentation, for those who show them and for
// those who run what is in them. It knows what our pages use, and no more.
package markdown

import (
	"regexp"
	"strings"
)

// A Kind says what a block is.
type Kind uint8

// The kinds.
const (
	Paragraph Kind = iota
	Heading
	Item
	Table
	Fence
	Indented // code without a fence, which nothing says the language of
	Comment
)

// A Block is a part of a page.
type Block struct {
	Kind  Kind
	Line  int        // of the page, from 1
	Level int        // of a heading; of an item, the columns before its text
	Mark  string     // of an item: "-" or "1."
	Info  string     // of a fence: its language
	Text  string     // running text on one line; of code and comments, lines as they are
	Rows  [][]string // of a table, the head first
}

var item = regexp.MustCompile(`^( *)([-*]|\d+\.) +(.*)$`)

// Parse takes a page apart.
func Parse(page string) []Block {
	r := reader{lines: strings.Split(strings.TrimSuffix(page, "\n"), "\n")}
	for r.at < len(r.lines) {
		r.block()
	}
	return r.out
}

type reader struct {
	lines []string
	at    int
	inner int // the columns before the text of the list's last item; 0 outside of lists
	out   []Block
}

func (r *reader) add(b Block) {
	r.out = append(r.out, b)
}

// block reads the block at the line where r is.
func (r *reader) block() {
	line := r.lines[r.at]
	text := strings.TrimLeft(line, " ")
	indent, at := len(line)-len(text), r.at+1
	switch {
	case text == "":
		r.at++
	case strings.HasPrefix(text, "```"):
		r.fence(indent)
	case strings.HasPrefix(text, "<!--"):
		r.comment()
	case item.MatchString(line) && indent < r.inner+4:
		m := item.FindStringSubmatch(line)
		r.inner = len(line) - len(m[3])
		r.add(Block{Kind: Item, Line: at, Level: r.inner, Mark: m[2], Text: r.running(m[3])})
	case indent >= r.inner+4:
		r.indented()
	case strings.HasPrefix(line, "#"):
		r.inner = 0
		text := strings.TrimLeft(line, "#")
		r.add(Block{Kind: Heading, Line: at, Level: len(line) - len(text), Text: strings.TrimSpace(text)})
		r.at++
	case strings.HasPrefix(text, "|"):
		r.table()
	default:
		r.inner = min(r.inner, indent)
		r.add(Block{Kind: Paragraph, Line: at, Level: r.inner, Text: r.running(text)})
	}
}

// running reads the text that begins at this line, until a blank line or another block.
func (r *reader) running(first string) string {
	words := []string{strings.TrimSpace(first)}
	for r.at++; r.at < len(r.lines); r.at++ {
		line := strings.TrimSpace(r.lines[r.at])
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") || strings.HasPrefix(r.lines[r.at], "#") || item.MatchString(r.lines[r.at]) {
			break
		}
		words = append(words, line)
	}
	return strings.Join(words, " ")
}

func (r *reader) fence(indent int) {
	b := Block{Kind: Fence, Line: r.at + 1, Level: indent, Info: strings.TrimSpace(strings.Trim(r.lines[r.at], " `"))}
	var code []string
	for r.at++; r.at < len(r.lines); r.at++ {
		if strings.HasPrefix(strings.TrimSpace(r.lines[r.at]), "```") {
			r.at++
			break
		}
		line := r.lines[r.at]
		for range indent {
			line = strings.TrimPrefix(line, " ")
		}
		code = append(code, line)
	}
	if b.Text = strings.Join(code, "\n"); b.Text != "" {
		b.Text += "\n"
	}
	r.add(b)
}

func (r *reader) comment() {
	b := Block{Kind: Comment, Line: r.at + 1}
	var text []string
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.at++
		text = append(text, line)
		if strings.Contains(line, "-->") {
			break
		}
	}
	b.Text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.Join(text, "\n")), "<!--"))
	b.Text = strings.TrimSpace(strings.TrimSuffix(b.Text, "-->"))
	r.add(b)
}

func (r *reader) indented() {
	b := Block{Kind: Indented, Line: r.at + 1}
	for ; r.at < len(r.lines) && (strings.HasPrefix(r.lines[r.at], "    ") || strings.TrimSpace(r.lines[r.at]) == ""); r.at++ {
		b.Text += strings.TrimPrefix(r.lines[r.at], "    ") + "\n"
	}
	b.Text = strings.TrimRight(b.Text, "\n") + "\n"
	r.add(b)
}

func (r *reader) table() {
	r.inner = 0
	b := Block{Kind: Table, Line: r.at + 1}
	for ; r.at < len(r.lines) && strings.HasPrefix(strings.TrimSpace(r.lines[r.at]), "|"); r.at++ {
		line := strings.TrimSpace(r.lines[r.at])
		if strings.Trim(line, "|-: ") == "" && strings.Contains(line, "-") {
			continue
		}
		b.Rows = append(b.Rows, cells(line))
	}
	r.add(b)
}

// cells splits a row at the bars that no backslash takes back.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	const bar = "\x00"
	parts := strings.Split(strings.ReplaceAll(line, `\|`, bar), "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(p, bar, "|"))
	}
	return parts
}
