package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// inWords returns what a person did wrong where the parser gave up, in their words for
// the usual mistakes and in the parser's for others.
func inWords(src []byte, said string, line, column int) *yamldoc.Error {
	d := diagnosis{lines: strings.Split(string(src), "\n"), said: said, line: min(max(1, line), 1+strings.Count(string(src), "\n")), column: max(1, column)}
	for _, find := range causes {
		if e := find(&d); e != nil {
			return e
		}
	}
	return &yamldoc.Error{Line: d.line, Column: d.column, Msg: strings.TrimSuffix("this line cannot be read as YAML: "+said, ": "), Remedy: "check its indentation, quotes and brackets"}
}

// A diagnosis is a file that cannot be read, and where the parser gave up.
type diagnosis struct {
	lines        []string
	said         string
	line, column int // from 1
}

// causes are what people do, the surest sign first.
var causes = [...]func(*diagnosis) *yamldoc.Error{
	(*diagnosis).conflict, (*diagnosis).tab, (*diagnosis).duplicateKey, (*diagnosis).openQuote, (*diagnosis).openFlow,
	(*diagnosis).sign, (*diagnosis).colon,
}

// at is an error at a byte of a line, both from 0.
func (d *diagnosis) at(line, i int, remedy, format string, args ...any) *yamldoc.Error {
	i = min(i, len(d.lines[line]))
	return &yamldoc.Error{Line: line + 1, Column: 1 + utf8.RuneCountInString(d.lines[line][:i]), Msg: fmt.Sprintf(format, args...), Remedy: remedy}
}

func (d *diagnosis) text() string { return strings.TrimRight(d.lines[d.line-1], "\r") }

// conflict finds what git leaves in a file that it could not merge.
func (d *diagnosis) conflict() *yamldoc.Error {
	for i, l := range d.lines {
		if strings.HasPrefix(l, "<<<<<<< ") || strings.HasPrefix(l, ">>>>>>> ") {
			return d.at(i, 0, "keep one of the two versions and remove the lines <<<<<<<, ======= and >>>>>>>", "a merge conflict is left in the file")
		}
	}
	return nil
}

func (d *diagnosis) tab() *yamldoc.Error {
	l := d.lines[d.line-1]
	indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
	if i := strings.IndexByte(indent, '\t'); i >= 0 && strings.TrimSpace(l) != "" {
		return d.at(d.line-1, i, "use spaces", "this line is indented with a tab, which YAML forbids")
	}
	return nil
}

func (d *diagnosis) duplicateKey() *yamldoc.Error {
	rest, ok := strings.CutPrefix(d.said, "mapping key ")
	if !ok {
		return nil
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return nil
	}
	var first int
	_, _ = fmt.Sscanf(rest[len(quoted):], " already defined at [%d:", &first)
	return &yamldoc.Error{Line: d.line, Column: d.column, Msg: fmt.Sprintf("%s occurs twice: the first is on line %d", quoted, first), Remedy: "merge the two into one"}
}

func (d *diagnosis) openQuote() *yamldoc.Error {
	if !strings.HasPrefix(d.said, "could not find end character of") {
		return nil
	}
	mark := byte('"')
	if strings.Contains(d.said, "single") {
		mark = '\''
	}
	for i := d.line - 1; i >= 0; i-- { // the parser may point behind the text
		if at := strings.IndexByte(d.lines[i], mark); at >= 0 && strings.Count(d.lines[i], string(mark))%2 == 1 {
			return d.at(i, at, "add "+string(mark)+" where the string ends", "this quote is never closed")
		}
	}
	return nil
}

// sign finds a text that begins with a character which means something to YAML.
func (d *diagnosis) sign() *yamldoc.Error {
	l := d.text()
	at := strings.Index(l, ": ") + len(": ")
	for at < len(l) && (l[at] == '{' || l[at] == '[') && strings.Contains(l[at:], ": ") {
		at += strings.Index(l[at:], ": ") + len(": ")
	}
	if at >= len(l) || strings.IndexByte("*!@`%[{", l[at]) < 0 {
		return nil
	}
	return d.at(d.line-1, at, quoting(strings.TrimRight(l[at:], "}], ")), "a string that starts with %c needs quotes", l[at])
}

// colon finds a text with a colon in it.
func (d *diagnosis) colon() *yamldoc.Error {
	key, value, at := split(d.text())
	if key == "" || value == "" || strings.ContainsAny(value[:1], `"'[{|>`) {
		return nil
	}
	if i := strings.Index(value+" ", ": "); i >= 0 {
		return d.at(d.line-1, at+i, quoting(value), "the string contains a colon, so it needs quotes")
	}
	return nil
}

func (d *diagnosis) openFlow() *yamldoc.Error {
	switch {
	case strings.Contains(d.said, "end token '}'"):
		return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "this { is never closed", Remedy: "add } where the mapping ends"}
	case strings.Contains(d.said, "end token ']'"):
		return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "this [ is never closed", Remedy: "add ] where the list ends"}
	}
	return nil
}

// levels are where a line begins, and where its key does behind a dash.
func levels(l string) (item, key int) {
	rest := strings.TrimLeft(l, " ")
	item = len(l) - len(rest)
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[1:], " ")
	}
	return item, len(l) - len(rest)
}

// split cuts a line of a block into its key and what follows, which begins at at.
func split(l string) (key, value string, at int) {
	l = strings.TrimRight(l, "\r ")
	_, begin := levels(l)
	rest := l[min(begin, len(l)):]
	i := strings.Index(rest+" ", ": ")
	if i < 0 || i == 0 || strings.ContainsAny(rest[:1], `"'[{`) {
		return "", rest, begin
	}
	value = strings.TrimLeft(rest[i+1:min(len(rest), len(rest))], " ")
	return rest[:i], value, len(l) - len(value)
}

// quoting shows a text in quotes: in single ones, in which nothing else counts.
func quoting(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 60 || strings.Contains(text, "'") || strings.ContainsAny(text[:1], "[{") {
		return "put the string in single quotes"
	}
	return "write '" + text + "'"
}
