package reader

import "github.com/checkrein/checkrein/internal/secret/lex"

// A wordReader reads the words of a command, quoted or not, up to the end of the command. The command
// may be part of a JSON string, with \" for quotes.
type wordReader struct {
	s         string
	at, limit int
	from, to  int // the current word, without its quotes
	quoted    bool
	list      bool // the words are quoted and separated by commas
}

// next moves to the next word. It reports false at the end of the command.
func (w *wordReader) next() bool {
	s := w.s
	if w.list {
		w.at = lex.Skip(s, w.at, w.limit, func(c byte) bool { return lex.IsSpace(c) || c == ',' })
		return w.at < w.limit && lex.IsQuote(s[w.at]) && w.readQuoted()
	}
	for w.at < w.limit && w.isSeparator(w.at) {
		w.at++
	}
	if w.at >= w.limit {
		return false
	}
	switch c := s[w.at]; c {
	case '"', '\'', '`':
		return w.readQuoted()
	case '\\':
		if w.at+1 < w.limit && lex.IsQuote(s[w.at+1]) {
			return w.readQuoted()
		}
	case '\n', '\r', ';', '|', '&', '>', ')', '#':
		return false
	}
	w.from, w.quoted = w.at, false
	w.at = w.wordEnd(w.at)
	w.to = w.at
	return w.to > w.from
}

// isSeparator reports whether the byte at i separates two words of the same command.
func (w *wordReader) isSeparator(i int) bool {
	s := w.s
	switch {
	case lex.IsBlank(s[i]):
		return true
	case s[i] == '\\':
		return i+1 < w.limit && (s[i+1] == '\n' || s[i+1] == '\r')
	}
	return lex.IsSpace(s[i]) && i > 1 && followsBackslash(s, i)
}

// followsBackslash reports whether the line end at i follows a backslash, which continues the command.
func followsBackslash(s string, i int) bool {
	return s[i-1] == '\\' || s[i] == '\n' && s[i-1] == '\r' && s[i-2] == '\\'
}

// readQuoted reads a word that starts with a quote. It reports false if the closing quote is missing.
func (w *wordReader) readQuoted() bool {
	s := w.s
	escaped := s[w.at] == '\\'
	if escaped {
		w.at++
	}
	q := s[w.at]
	w.from, w.quoted = w.at+1, true
	end := lex.Skip(s, w.from, w.limit, func(c byte) bool { return c != q && c != '\n' })
	if end >= w.limit || s[end] != q {
		return false
	}
	w.to, w.at = end, end+1
	if escaped && s[end-1] == '\\' && w.to > w.from {
		w.to--
	}
	return true
}

// wordEnd returns the offset where the unquoted word at i ends. It may contain a quoted value: -p'x',
// --creds="x".
func (w *wordReader) wordEnd(i int) int {
	for k := i; k < w.limit; k++ {
		if lex.IsQuote(w.s[k]) {
			end := w.quotedEnd(i, k)
			if end < 0 {
				return k
			}
			k = end
		} else if w.endsWord(i, k) {
			return k
		}
	}
	return w.limit
}

// quotedEnd returns the offset of the quote that closes the one at k, or -1 if the quote is not part
// of the word at i.
func (w *wordReader) quotedEnd(i, k int) int {
	s := w.s
	if before := s[k-1]; k-i != 2 && before != '=' && before != ':' && before != '%' && before != '/' {
		return -1
	}
	end := lex.Skip(s, k+1, w.limit, func(c byte) bool { return c != s[k] && c != '\n' })
	if end >= w.limit || s[end] != s[k] {
		return -1
	}
	return end
}

// endsWord reports whether the word at i ends at k.
func (w *wordReader) endsWord(i, k int) bool {
	s := w.s
	switch c := s[k]; c {
	case '<', '>', '|':
		return true
	case ';', '&', ')':
		return k+1 >= len(s) || lex.IsSpace(s[k+1]) || s[k+1] == c
	case '\\':
		return k+1 < len(s) && (s[k+1] == 'n' || s[k+1] == '\n' || lex.IsQuote(s[k+1]) && k-i != 2)
	default:
		return lex.IsSpace(c)
	}
}

// text returns the current word without its quotes.
func (w *wordReader) text() string { return w.s[w.from:w.to] }

// valueSpan returns the span of the current word without a leading = and surrounding quotes.
func (w *wordReader) valueSpan() (from, to int) {
	from, to = w.from, w.to
	if !w.quoted && from < to && w.s[from] == '=' {
		from++
	}
	return trimQuoteSpan(w.s, from, to)
}

// trimQuoteSpan returns the span from from to to without quotes and backslashes at its ends.
func trimQuoteSpan(s string, from, to int) (start, end int) {
	for from < to && (lex.IsQuote(s[from]) || s[from] == '\\' && from+1 < to && lex.IsQuote(s[from+1])) {
		from++
	}
	for to > from && (lex.IsQuote(s[to-1]) || s[to-1] == '\\') {
		to--
	}
	return from, to
}
