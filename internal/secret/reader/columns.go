package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords in columns of Markdown tables, of the output of database clients,
// of comma-separated values, and of INSERT statements. The name is in the header row, and
// its position there determines which cells are passwords.

const (
	headReach  = 400      // maximum bytes of a header on each side of the name
	tableReach = 12 << 10 // maximum bytes of a table after its header
)

// addColumnPasswords reports whether the name of v is in the header of a table, and adds the passwords
// in the rows below it.
func addColumnPasswords(f *search.Finder, v named.Value) bool {
	s := f.Text
	before, after := bytesAroundName(s, v)
	if (before == '(' || after == ')' || before == ',' && after == ',') && addInsertPasswords(f, v) {
		return true
	}
	sep := before
	if lex.IsLineEnd(sep) {
		sep = after
	}
	if !isCellSeparator(sep) || after != sep && !lex.IsLineEnd(after) {
		return false
	}
	return v.NameFrom < f.TableTo || addPasswordsBelowHeader(f, v, sep)
}

// bytesAroundName returns the bytes before and after the name of v, skipping spaces, quotes and
// asterisks but not tabs. Either is a newline if the text ends there.
func bytesAroundName(s string, v named.Value) (before, after byte) {
	start := lex.SkipBack(s, v.NameFrom, max(0, v.NameFrom-2), lex.IsMarkupByte)
	end := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+named.NameReach), lex.IsMarkupByte)
	before, after = '\n', '\n'
	if start > 0 {
		before = s[start-1]
	}
	if end < len(s) {
		after = s[end]
	}
	if s[min(v.NameTo, len(s)-1)] == '\t' {
		after = '\t'
	}
	if v.NameFrom > 0 && s[v.NameFrom-1] == '\t' {
		before = '\t'
	}
	return before, after
}

// isCellSeparator reports whether c may separate the cells of a table.
func isCellSeparator(c byte) bool { return c == '|' || c == ',' || c == ';' || c == '\t' }

// addPasswordsBelowHeader adds the passwords of the table whose header contains the name of v. It
// reports whether the table has rows.
func addPasswordsBelowHeader(f *search.Finder, v named.Value, sep byte) (hasRows bool) {
	s := f.Text
	from, to, ok := headerLine(s, v, sep)
	if !ok {
		return false
	}
	t := tableLayout{sep: sep, column: countSeparators(s[from:v.NameFrom], sep), width: countSeparators(s[from:to], sep)}
	at, end := to+1, min(len(s), to+tableReach)
	for n := 0; at < end; n++ {
		next := lex.Skip(s, at, end, func(c byte) bool { return c != '\n' })
		line := s[at:next]
		if isRuler(line) {
			t.ruled = true
		} else if t.isRow(line, n == 0) {
			addCellPassword(f, at, line, sep, t.column)
		} else {
			break
		}
		at = next + 1
	}
	setTablePending(f, from, at)
	f.TableTo = at
	return at > to+1
}

// headerLine returns the span of the line that contains the name of v. It reports false if that is not
// the header of a table with logins.
func headerLine(s string, v named.Value, sep byte) (from, to int, ok bool) {
	from = lex.SkipBack(s, v.NameFrom, max(0, v.NameFrom-headReach), func(c byte) bool { return c != '\n' })
	to = lex.Skip(s, v.NameTo, min(len(s), v.NameTo+headReach), func(c byte) bool { return c != '\n' })
	if from > 0 && s[from-1] != '\n' || to >= len(s) || s[to] != '\n' || !isHeader(s[from:to], sep) {
		return 0, 0, false
	}
	alone := !v.Bare && sep == '|' // the name is clear enough without another column
	return from, to, alone || hasUserColumn(s[from:to], sep)
}

// A tableLayout describes how a table is written, and which column has the passwords.
type tableLayout struct {
	sep           byte
	column, width int
	ruled         bool // a ruler separates the header from the rows
}

// isRow reports whether line is a row of the table. The parameter first is set for the line directly
// below the header.
func (t *tableLayout) isRow(line string, first bool) bool {
	n := countSeparators(line, t.sep)
	if n < t.column || n == 0 {
		return false
	}
	if t.sep == '|' {
		return t.ruled || first || line[0] == '|'
	}
	return n == t.width
}

// setTablePending marks the text from the table's header at from as pending if more rows may follow,
// so that a stream does not emit the header before the whole table.
func setTablePending(f *search.Finder, from, end int) {
	if end+lex.Hold >= len(f.Text) {
		f.SetPending(from)
	}
}

// isHeader reports whether line consists of short names with sep between them.
func isHeader(line string, sep byte) bool {
	run, parts := 0, 1
	for i := range len(line) {
		switch c := line[i]; {
		case c == sep:
			run = 0
			parts++
		case lex.IsNameByte(c) || lex.IsBlank(c) && (sep == '|' || sep == '\t') || lex.IsQuote(c) || c == '\r' || c == '*' || c == '#' && run == 0 || c == '/' && run > 0:
			if run++; run > 40 {
				return false
			}
		case c >= 0x80 && sep == '|':
		default:
			return false
		}
	}
	return parts > 1
}

// hasUserColumn reports whether the header line has a column that often accompanies a password, such
// as user or host.
func hasUserColumn(line string, sep byte) bool {
	for at := 0; at <= len(line); {
		to := lex.Skip(line, at, len(line), func(c byte) bool { return c != sep && c != '\r' })
		end := to
		for end > at && !lex.IsLetter(line[end-1]) {
			end--
		}
		from := lex.SkipBack(line, end, at, func(c byte) bool { return lex.IsLetter(c) || c == '-' })
		if lex.IsOneOf(line[from:end], "user username login name email e-mail mail host hostname id uid account role server site url uri "+
			"system db database service ip port notes note title env device benutzer usuario utilisateur") {
			return true
		}
		at = to + 1
	}
	return false
}

// countSeparators returns the number of separators in line that are outside quotes.
func countSeparators(line string, sep byte) int {
	_, signs := cellStart(line, sep, len(line)+1)
	return signs
}

// cellStart returns the offset of the cell with the given number, counted from 0, and the number of
// separators before it. Both stop at the end of line if it has fewer cells.
func cellStart(line string, sep byte, number int) (at, signs int) {
	quoted := false
	for ; at < len(line) && signs < number; at++ {
		switch {
		case line[at] == '"' && sep != '|':
			quoted = !quoted
		case line[at] == sep && !quoted && (at == 0 || line[at-1] != sep || sep != '|'):
			signs++
		}
	}
	return at, signs
}

// isRuler reports whether line is a ruler such as |---|---|, which separates the header of a table
// from its rows.
func isRuler(line string) bool {
	dashes := 0
	for i := range len(line) {
		switch c := line[i]; c {
		case '-', '=':
			dashes++
		case '|', '+', ':', ' ', '\r', '\t':
		default:
			return false
		}
	}
	return dashes > 2
}

// addCellPassword adds the password in a column of line, which starts at offset at of the text.
func addCellPassword(f *search.Finder, at int, line string, sep byte, column int) {
	i, _ := cellStart(line, sep, column)
	from := lex.Skip(line, i, len(line), func(c byte) bool {
		if c == sep {
			return sep == '|'
		}
		return lex.IsMarkupByte(c)
	})
	to := cellEnd(line, from, i, sep)
	for to > from && (lex.IsBlank(line[to-1]) || lex.IsQuote(line[to-1])) {
		to--
	}
	if isCellPassword(line[from:to]) {
		f.Add(rules.IndexOf("table-password"), at+from, at+to)
	}
}

// cellEnd returns the offset where the content at from ends, in a cell that starts at i. Quoted
// content ends at its closing quote.
func cellEnd(line string, from, i int, sep byte) int {
	quote := sep
	if from > i && lex.IsQuote(line[from-1]) {
		quote = line[from-1]
	}
	if quote == '"' {
		sep = quote
	}
	return lex.Skip(line, from, len(line), func(c byte) bool { return c != sep && c != quote && c != '\r' })
}

// isCellPassword reports whether val, the content of a cell in a password column, is a password.
func isCellPassword(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsChosen) && !l.Is(value.StandIn)
}

// addInsertPasswords reports whether the name of v is a column of an INSERT statement, and adds the
// passwords of its rows.
func addInsertPasswords(f *search.Finder, v named.Value) bool {
	s := f.Text
	column := 0
	i := v.NameFrom
	least := max(0, i-headReach)
	for ; i > least && s[i-1] != '('; i-- {
		switch c := s[i-1]; {
		case c == ',':
			column++
		case !lex.IsNameByte(c) && !lex.IsSpace(c) && !lex.IsQuote(c) && c != '[' && c != ']':
			return false
		}
	}
	before := s[max(0, i-120):i]
	if i == least || !lex.ContainsFold(before, "insert") && !lex.ContainsFold(before, "replace into") {
		return false
	}
	if i < f.TableTo {
		return true
	}
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+headReach), func(c byte) bool { return c != ')' })
	at = lex.Skip(s, at, min(len(s), at+40), func(c byte) bool { return lex.IsSpace(c) || c == ')' })
	w := wordReader{s: s, at: at, limit: min(len(s), at+named.NameReach)}
	if !w.next() {
		return false
	}
	if lex.HasPrefixFold(w.text(), "values") {
		addInsertRows(f, i, at+len("values"), column)
	}
	return true
}

// addInsertRows adds the passwords in the given column of the rows (1, 'joe', 'X'), (2, ...) at i. The
// statement starts at from.
func addInsertRows(f *search.Finder, from, i, column int) {
	s := f.Text
	end := min(len(s), i+tableReach)
	depth, n := 0, 0
	for i < end {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			to := sqlQuoteEnd(s, i, end)
			if depth == 1 && n == column && isCellPassword(s[i+1:to]) {
				f.Add(rules.IndexOf("table-password"), i+1, to)
			}
			i = to
		case c == '(':
			if depth++; depth == 1 {
				n = 0
			}
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			n++
		case c == ';' && depth == 0, depth < 0:
			end = i
		}
		i++
	}
	setTablePending(f, from, i)
	f.TableTo = i
}

// sqlQuoteEnd returns the offset of the quote that closes the SQL string opened at i, or end. A quote
// within the string is doubled or has a backslash before it.
func sqlQuoteEnd(s string, i, end int) int {
	quote := s[i]
	for i++; i < end && (s[i] != quote || i+1 < end && s[i+1] == quote); i++ {
		if s[i] == '\\' || s[i] == quote {
			i++
		}
	}
	return min(i, end)
}
