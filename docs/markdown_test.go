package docs_test

import (
	"regexp"
	"strings"
)

// A blockKind is what a block of a page is.
type blockKind uint8

// The kinds.
const (
	isParagraph blockKind = iota
	isHeading
	isItem
	isTable
	isFence
	isIndented // code without a fence, which nothing says the language of
	isComment
)

// A mdBlock is a part of a page.
type mdBlock struct {
	Kind  blockKind
	Line  int        // of the page, from 1
	Level int        // of a heading; of an item, the columns before its text
	Mark  string     // of an item: "-" or "1."
	Info  string     // of a fence: its language
	Text  string     // running text on one line; of code and comments, lines as they are
	Rows  [][]string // of a table, the head first
}

var mdItem = regexp.MustCompile(`^( *)([-*]|\d+\.) +(.*)$`)

// parseMarkdown takes a page apart. It reads what our pages use, and no more.
func parseMarkdown(page string) []mdBlock {
	r := mdReader{lines: strings.Split(strings.TrimSuffix(page, "\n"), "\n")}
	for r.at < len(r.lines) {
		r.block()
	}
	return r.out
}

type mdReader struct {
	lines []string
	at    int
	inner int // the columns before the text of the list's last item; 0 outside of lists
	out   []mdBlock
}

func (r *mdReader) add(b mdBlock) {
	r.out = append(r.out, b)
}

// block reads the block at the line where r is.
func (r *mdReader) block() {
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
	case mdItem.MatchString(line) && indent < r.inner+4:
		m := mdItem.FindStringSubmatch(line)
		r.inner = len(line) - len(m[3])
		r.add(mdBlock{Kind: isItem, Line: at, Level: r.inner, Mark: m[2], Text: r.running(m[3])})
	case indent >= r.inner+4:
		r.indented()
	case strings.HasPrefix(line, "#"):
		r.inner = 0
		text := strings.TrimLeft(line, "#")
		r.add(mdBlock{Kind: isHeading, Line: at, Level: len(line) - len(text), Text: strings.TrimSpace(text)})
		r.at++
	case strings.HasPrefix(text, "|"):
		r.table()
	default:
		r.inner = min(r.inner, indent)
		r.add(mdBlock{Kind: isParagraph, Line: at, Level: r.inner, Text: r.running(text)})
	}
}

// running reads the text that begins at this line, until a blank line or another block.
func (r *mdReader) running(first string) string {
	words := []string{strings.TrimSpace(first)}
	for r.at++; r.at < len(r.lines); r.at++ {
		line := strings.TrimSpace(r.lines[r.at])
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") || strings.HasPrefix(r.lines[r.at], "#") || mdItem.MatchString(r.lines[r.at]) {
			break
		}
		words = append(words, line)
	}
	return strings.Join(words, " ")
}

func (r *mdReader) fence(indent int) {
	b := mdBlock{Kind: isFence, Line: r.at + 1, Level: indent, Info: strings.TrimSpace(strings.Trim(r.lines[r.at], " `"))}
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

func (r *mdReader) comment() {
	b := mdBlock{Kind: isComment, Line: r.at + 1}
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

func (r *mdReader) indented() {
	b := mdBlock{Kind: isIndented, Line: r.at + 1}
	for ; r.at < len(r.lines) && (strings.HasPrefix(r.lines[r.at], "    ") || strings.TrimSpace(r.lines[r.at]) == ""); r.at++ {
		b.Text += strings.TrimPrefix(r.lines[r.at], "    ") + "\n"
	}
	b.Text = strings.TrimRight(b.Text, "\n") + "\n"
	r.add(b)
}

func (r *mdReader) table() {
	r.inner = 0
	b := mdBlock{Kind: isTable, Line: r.at + 1}
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
