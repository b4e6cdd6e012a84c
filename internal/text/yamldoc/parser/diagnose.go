package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// inWords says what a person did wrong where the parser gave up. The parser knows
// what it expected; people know what they wrote, so the text decides, and what the
// parser says is only a hint. Its words are never shown.
func inWords(src []byte, said string, line, column int) *yamldoc.Error {
	d := diagnosis{lines: strings.Split(string(src), "\n"), said: said, line: min(max(1, line), 1+strings.Count(string(src), "\n")), column: max(1, column)}
	for _, find := range causes {
		if e := find(&d); e != nil {
			return e
		}
	}
	return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "this line cannot be read as YAML", Remedy: "check its indentation, quotes and brackets"}
}

// A diagnosis is a file that cannot be read, and where the parser gave up.
type diagnosis struct {
	lines        []string
	said         string
	line, column int // from 1
}

// causes are what people do, the surest sign first.
var causes = [...]func(*diagnosis) *yamldoc.Error{
	(*diagnosis).conflict, (*diagnosis).tab, (*diagnosis).duplicateKey, (*diagnosis).tag, (*diagnosis).openQuote, (*diagnosis).afterQuote,
	(*diagnosis).noSpace, (*diagnosis).star, (*diagnosis).reserved, (*diagnosis).brackets, (*diagnosis).colon, (*diagnosis).openFlow,
	(*diagnosis).indented,
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

// tag finds a text that begins with an exclamation mark.
func (d *diagnosis) tag() *yamldoc.Error {
	if _, value, i := split(d.text()); strings.HasPrefix(value, "!") {
		return d.at(d.line-1, i, quoting(value), "a string that starts with ! needs quotes")
	}
	return nil
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

// afterQuote finds what follows a quoted value, as in 'don't' and "no" really.
func (d *diagnosis) afterQuote() *yamldoc.Error {
	_, value, at := split(d.text())
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return nil
	}
	end := 1
	for end < len(value) && value[end] != value[0] {
		if value[0] == '"' && value[end] == '\\' {
			end++
		}
		end++
	}
	if end+1 >= len(value) {
		return nil
	}
	rest := strings.TrimLeft(value[end+1:], " ")
	if rest == "" || strings.HasPrefix(rest, "#") || strings.ContainsAny(rest[:1], ",}]") {
		return nil
	}
	if value[0] == '\'' && value[end+1] != ' ' {
		return d.at(d.line-1, at+end, "write '' for an apostrophe, or put the string in double quotes", "the string ends at this quote")
	}
	return d.at(d.line-1, at+end+1, "put the whole string inside the quotes", "there is more text after the closing quote")
}

// noSpace finds key:value and -key, which are texts to YAML.
func (d *diagnosis) noSpace() *yamldoc.Error {
	for _, i := range [...]int{d.line - 1, d.line - 2} {
		if i < 0 {
			continue
		}
		l := strings.TrimLeft(d.lines[i], " ")
		indent := len(d.lines[i]) - len(l)
		rest := strings.TrimPrefix(l, "- ")
		if n := wordLength(l[min(1, len(l)):]); strings.HasPrefix(l, "-") && n > 0 && strings.HasPrefix(l[1+n:], ":") {
			return d.at(i, indent+1, "write - "+l[1:1+n]+":", "a list dash needs a space after it")
		}
		n := wordLength(rest)
		if n > 0 && len(rest) > n+1 && rest[n] == ':' && rest[n+1] != ' ' && rest[n+1] != '\r' && !strings.HasPrefix(rest[n+1:], "//") {
			return d.at(i, indent+len(l)-len(rest)+n+1, "write "+rest[:n+1]+" "+strings.TrimSpace(rest[n+1:]), "the colon after a key needs a space after it")
		}
	}
	return nil
}

func wordLength(s string) int {
	return len(s) - len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
}

// star finds a text that begins with a star, in a block or between braces.
func (d *diagnosis) star() *yamldoc.Error {
	for _, i := range [...]int{d.line - 1, d.line - 2} {
		if i < 0 {
			continue
		}
		for _, lead := range [...]string{": ", "- ", "[", ", "} {
			at := strings.Index(d.lines[i], lead+"*")
			if at < 0 || strings.Count(d.lines[i][:at], "'")%2 == 1 || strings.Count(d.lines[i][:at], `"`)%2 == 1 {
				continue
			}
			at += len(lead)
			if rest := d.lines[i][at+1:]; wordLength(rest) > 0 && len(strings.TrimRight(rest, " \r")) == wordLength(rest) && i != d.line-1 {
				continue // an alias
			}
			return d.at(i, at, quoting(d.lines[i][at:]), "a string that starts with * needs quotes")
		}
	}
	return nil
}

func (d *diagnosis) reserved() *yamldoc.Error {
	if _, value, at := split(d.text()); value != "" && strings.ContainsAny(value[:1], "@`%&|>") {
		if value[0] != '|' && value[0] != '>' && value[0] != '&' || strings.Contains(d.said, "header") {
			return d.at(d.line-1, at, quoting(value), "a string that starts with %s needs quotes", value[:1])
		}
	}
	return nil
}

// brackets finds [Gg]it and {a,b}/** without quotes: YAML takes the bracket for a
// list or a mapping, and does not know what to make of the rest.
func (d *diagnosis) brackets() *yamldoc.Error {
	if !strings.Contains(d.said, "must be specified") && !strings.Contains(d.said, "not allowed") && !strings.Contains(d.said, "unexpected") {
		return nil
	}
	l := d.text()
	for i := 0; i+2 < len(l); i++ {
		if l[i] != ':' || l[i+1] != ' ' || l[i+2] != '[' && l[i+2] != '{' {
			continue
		}
		end := closing(l, i+2)
		if end < 0 || end+1 >= len(l) || strings.IndexByte(" ,]}\r#", l[end+1]) >= 0 && !strings.HasPrefix(l[end+1:], " ") {
			continue
		}
		if rest := strings.TrimLeft(l[end+1:], " "); rest == "" || strings.ContainsAny(rest[:1], ",]}#") {
			continue
		}
		return d.at(d.line-1, i+2, quoting(l[i+2:]), "a string that starts with %c needs quotes", l[i+2])
	}
	if strings.Contains(d.said, "must be specified") {
		return &yamldoc.Error{Line: d.line, Column: d.column, Msg: "a comma or a closing bracket is missing before this", Remedy: "add it; a string that contains , [ ] { } needs quotes"}
	}
	return nil
}

// closing is where the bracket at i is closed, -1 = nowhere in the line.
func closing(l string, i int) int {
	depth := 0
	for ; i < len(l); i++ {
		switch l[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
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

// indented finds a line that is indented like none above it.
func (d *diagnosis) indented() *yamldoc.Error {
	for _, i := range [...]int{d.line - 1, d.line} {
		if i >= len(d.lines) || strings.TrimSpace(d.lines[i]) == "" {
			continue
		}
		if e := d.misplaced(i); e != nil {
			return e
		}
	}
	return nil
}

// misplaced says where a line should begin. A line may go on at any level that is
// open above it; only a key without a value opens a deeper one.
func (d *diagnosis) misplaced(i int) *yamldoc.Error {
	here, _ := levels(d.lines[i])
	dash := strings.HasPrefix(strings.TrimLeft(d.lines[i], " "), "-")
	last, lowest := -1, 1<<30 // the nearest line above, and the level that is still open
	var open []level
	for j := i - 1; j >= 0; j-- {
		if text := strings.TrimSpace(d.lines[j]); text == "" || text[0] == '#' {
			continue
		}
		if last < 0 {
			last = j
		}
		item, key := levels(d.lines[j])
		for _, at := range [...]level{{key, j, false}, {item, j, item != key}} {
			if at.column < lowest {
				open, lowest = append(open, at), at.column
			}
		}
	}
	if last < 0 {
		return nil
	}
	want := level{line: -1}
	for _, o := range open {
		if o.column == here && o.dash == dash {
			return nil
		}
		if o.dash == dash && (want.line < 0 || abs(o.column-here) < abs(want.column-here)) {
			want = o
		}
	}
	if key, value, _ := split(d.lines[last]); key != "" && value == "" && here > open[0].column {
		return nil // it opens a level
	}
	if want.line < 0 {
		return nil
	}
	than := "less"
	if here > want.column {
		than = "more"
	}
	return d.at(i, here, fmt.Sprintf("indent it like line %d, by %d spaces", want.line+1, want.column), "this line is indented %s than the other lines of its block", than)
}

// A level is a column at which a line above goes on.
type level struct {
	column, line int
	dash         bool // of a list's item, rather than a key
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

func abs(n int) int { return max(n, -n) }

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
	if i := strings.IndexAny(text, "}],"); i > 0 && strings.ContainsAny(text[:1], "*!@`") {
		text = text[:i]
	}
	if text == "" || len(text) > 60 || strings.Contains(text, "'") || strings.ContainsAny(text[:1], "[{") {
		return "put the string in single quotes"
	}
	return "write '" + text + "'"
}
