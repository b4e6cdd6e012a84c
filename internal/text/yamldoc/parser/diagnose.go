package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// diagnose returns an error for src, which the parser rejected with the message said at this line and
// column. It describes the usual mistakes in plain words, and others with the parser's message.
func diagnose(src []byte, said string, line, column int) *yamldoc.Error {
	d := diagnosis{lines: strings.Split(string(src), "\n"), message: said, line: min(max(1, line), 1+strings.Count(string(src), "\n")), column: max(1, column)}
	for _, find := range causes {
		if e := find(&d); e != nil {
			return e
		}
	}
	return &yamldoc.Error{Line: d.line, Column: d.column, Msg: strings.TrimSuffix("this line cannot be read as YAML: "+said, ": "), Remedy: "check its indentation, quotes and brackets"}
}

// A diagnosis holds a file that cannot be parsed, and where the parser stopped.
type diagnosis struct {
	lines        []string
	message      string
	line, column int // from 1
}

// causes find the usual mistakes. Those with the most reliable signs come first.
var causes = [...]func(*diagnosis) *yamldoc.Error{
	(*diagnosis).findConflict, (*diagnosis).findTab, (*diagnosis).findDuplicateKey, (*diagnosis).findOpenQuote, (*diagnosis).findOpenFlow,
	(*diagnosis).findSpecialStart, (*diagnosis).findColon,
}

// errorAt returns an error at byte i of a line; both are counted from 0.
func (d *diagnosis) errorAt(line, i int, remedy, format string, args ...any) *yamldoc.Error {
	i = min(i, len(d.lines[line]))
	return &yamldoc.Error{Line: line + 1, Column: 1 + utf8.RuneCountInString(d.lines[line][:i]), Msg: fmt.Sprintf(format, args...), Remedy: remedy}
}

// currentLine returns the line at which the parser stopped.
func (d *diagnosis) currentLine() string { return strings.TrimRight(d.lines[d.line-1], "\r") }

// findConflict returns an error if the file has the marks of an unresolved merge conflict.
func (d *diagnosis) findConflict() *yamldoc.Error {
	for i, l := range d.lines {
		if strings.HasPrefix(l, "<<<<<<< ") || strings.HasPrefix(l, ">>>>>>> ") {
			return d.errorAt(i, 0, "keep one of the two versions and remove the lines <<<<<<<, ======= and >>>>>>>", "a merge conflict is left in the file")
		}
	}
	return nil
}

// findTab returns an error if the line is indented with a tab.
func (d *diagnosis) findTab() *yamldoc.Error {
	l := d.lines[d.line-1]
	indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
	if i := strings.IndexByte(indent, '\t'); i >= 0 && strings.TrimSpace(l) != "" {
		return d.errorAt(d.line-1, i, "use spaces", "this line is indented with a tab, which YAML forbids")
	}
	return nil
}

// findDuplicateKey returns an error if the parser reported a duplicate key.
func (d *diagnosis) findDuplicateKey() *yamldoc.Error {
	rest, ok := strings.CutPrefix(d.message, "mapping key ")
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

// findOpenQuote returns an error if a quote is not closed.
func (d *diagnosis) findOpenQuote() *yamldoc.Error {
	if !strings.HasPrefix(d.message, "could not find end character of") {
		return nil
	}
	mark := byte('"')
	if strings.Contains(d.message, "single") {
		mark = '\''
	}
	for i := d.line - 1; i >= 0; i-- { // the parser may report a line after the string
		if at := strings.IndexByte(d.lines[i], mark); at >= 0 && strings.Count(d.lines[i], string(mark))%2 == 1 {
			return d.errorAt(i, at, "add "+string(mark)+" where the string ends", "this quote is never closed")
		}
	}
	return nil
}

// findSpecialStart returns an error if an unquoted string begins with a character that is special in
// YAML.
func (d *diagnosis) findSpecialStart() *yamldoc.Error {
	l := d.currentLine()
	at := strings.Index(l, ": ") + len(": ")
	for at < len(l) && (l[at] == '{' || l[at] == '[') && strings.Contains(l[at:], ": ") {
		at += strings.Index(l[at:], ": ") + len(": ")
	}
	if at >= len(l) || strings.IndexByte("*!@`%[{", l[at]) < 0 {
		return nil
	}
	return d.errorAt(d.line-1, at, quoteRemedy(strings.TrimRight(l[at:], "}], ")), "a string that starts with %c needs quotes", l[at])
}

// findColon returns an error if an unquoted string contains a colon.
func (d *diagnosis) findColon() *yamldoc.Error {
	key, value, at := splitKey(d.currentLine())
	if key == "" || value == "" || strings.ContainsAny(value[:1], `"'[{|>`) {
		return nil
	}
	if i := strings.Index(value+" ", ": "); i >= 0 {
		return d.errorAt(d.line-1, at+i, quoteRemedy(value), "the string contains a colon, so it needs quotes")
	}
	return nil
}

// findOpenFlow returns an error if a brace or bracket is not closed.
func (d *diagnosis) findOpenFlow() *yamldoc.Error {
	switch {
	case strings.Contains(d.message, "end token '}'"):
		return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "this { is never closed", Remedy: "add } where the mapping ends"}
	case strings.Contains(d.message, "end token ']'"):
		return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "this [ is never closed", Remedy: "add ] where the list ends"}
	}
	return nil
}

// indentLevels returns the column at which the text of a line begins, and the column at which its key
// begins after dashes.
func indentLevels(l string) (item, key int) {
	rest := strings.TrimLeft(l, " ")
	item = len(l) - len(rest)
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[1:], " ")
	}
	return item, len(l) - len(rest)
}

// splitKey splits a line of a block into its key and its value. at is the offset of the value.
func splitKey(l string) (key, value string, at int) {
	l = strings.TrimRight(l, "\r ")
	_, begin := indentLevels(l)
	rest := l[min(begin, len(l)):]
	i := strings.Index(rest+" ", ": ")
	if i < 0 || i == 0 || strings.ContainsAny(rest[:1], `"'[{`) {
		return "", rest, begin
	}
	value = strings.TrimLeft(rest[i+1:min(len(rest), len(rest))], " ")
	return rest[:i], value, len(l) - len(value)
}

// quoteRemedy returns the advice to put text in single quotes, in which no character but the quote is
// special.
func quoteRemedy(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 60 || strings.Contains(text, "'") || strings.ContainsAny(text[:1], "[{") {
		return "put the string in single quotes"
	}
	return "write '" + text + "'"
}
