package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords whose names are in scripts other than ASCII.

// FindForeignPasswords finds passwords whose names are not ASCII. The bytes of these names would need
// more columns than the automaton has, so this probe skips ASCII and looks at each run of other bytes.
func FindForeignPasswords(f *search.Finder) {
	s := f.Text
	for i := 0; i < len(s); {
		for i+8 <= len(s) && isASCII8(s[i:i+8]) {
			i += 8
		}
		if i >= len(s) || s[i] < 0x80 {
			i++
			continue
		}
		i = lex.Skip(s, i, len(s), func(c byte) bool { return c >= 0x80 })
		findAfterForeignName(f, i)
		i++
	}
}

// isASCII8 reports whether the first eight bytes of b are ASCII. The compiler turns it into a single
// load.
func isASCII8(b string) bool {
	_ = b[7]
	all := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return all&0x8080808080808080 == 0
}

// findAfterForeignName finds the value after a password's name that ends at i, where a run of
// non-ASCII bytes ends, or with the letters that follow i.
func findAfterForeignName(f *search.Finder, i int) {
	s := f.Text
	end, op := foreignNameEnd(s, i)
	if !op && (i < 3 || s[i-3] < 0xe3) { // East Asian scripts, from 0xe3, put no space between words
		end = lex.Skip(s, i, min(len(s), i+8), lex.IsLetter)
	}
	from := lex.SkipBack(s, i, max(0, i-40), func(c byte) bool { return c >= 0x80 || lex.IsLetter(c) || c == ' ' })
	if lex.ContainsAnyFold(s[from:end], foreignPasswordWords) {
		addForeignValue(f, end, max(i, end), op)
	}
}

// foreignPasswordWords lists words for password in other languages, or parts of such words.
const foreignPasswordWords = "密码 密碼 口令 パスワード 비밀번호 비번 암호 ароль аролем аролю contraseña hasło lösenord şifre Şifre parolă jelszó " +
	"סיסמה κωδικός ωδικός المرور รหัสผ่าน khẩu"

// foreignNameEnd returns the offset where the name before i ends, without quotes and an operator in
// the same script, and reports whether there is such an operator.
func foreignNameEnd(s string, i int) (end int, op bool) {
	for range 4 {
		switch {
		case i >= 3 && (lex.WideQuoteLen(s, i-3) == 3 || lex.WideQuoteLen(s, i-2) == 2):
			i -= max(lex.WideQuoteLen(s, i-3), lex.WideQuoteLen(s, i-2))
		case i >= 3 && isEastAsianOperator(s[i-3:i]):
			return i - 3, true
		default:
			return i, false
		}
	}
	return i, false
}

// isEastAsianOperator reports whether c is a Chinese, Japanese or full-width character that may be
// between a name and its value.
func isEastAsianOperator(c string) bool {
	switch c {
	case lex.WideColon, "是", "为", "為", "は", "＝":
		return true
	}
	return false
}

// addForeignValue adds the value of the name that ends at end. The text up to i was read, including an
// operator if op is set.
func addForeignValue(f *search.Finder, end, i int, op bool) {
	s := f.Text
	rule := rules.IndexOf("generic-password")
	i, op = skipForeignOperator(s, i, op)
	if i >= len(s) {
		return
	}
	if !op {
		addForeignStated(f, rule, end, i)
		return
	}
	v := named.Value{NameFrom: end, NameTo: end, From: i, Op: ':', Tight: true, Last: true}
	if lex.IsQuote(s[i-1]) {
		v.Quote = s[i-1]
	}
	v.To = v.ValueEnd(s, i)
	v.To = lex.Skip(s, i, v.To, func(c byte) bool { return c < 0x80 })
	if v.Quote == 0 {
		v.To = lex.SkipBack(s, v.To, v.From, func(c byte) bool { return isSentenceEnd(c) && c != '!' })
	}
	if l := value.LookAt(s[v.From:v.To]); !l.Is(value.Reference) && value.PasswordRows.IsSecret(v.Place(named.Pass), &l) {
		f.Add(rule, v.From, v.To)
	}
}

// skipForeignOperator returns the offset after the operator at i, unless op states that it was read,
// and after quotes and spaces that open a value. It reports whether there is an operator.
func skipForeignOperator(s string, i int, op bool) (end int, ok bool) {
	for n := 0; n < 10 && i < len(s); n++ {
		c, size := s[i], 1
		switch {
		case (c == ':' || c == '=') && !op:
			op = true
		case lex.IsMarkupByte(c):
		case lex.HasPrefixFold(s[i:], lex.WideColon) && !op:
			op = true
			size = len(lex.WideColon)
		case lex.WideQuoteLen(s, i) > 0:
			size = lex.WideQuoteLen(s, i)
		default:
			return i, op
		}
		i += size
	}
	return i, op
}

// addForeignStated adds the password that a sentence states for the name that ends at end: the word at
// i, or a later one.
func addForeignStated(f *search.Finder, rule, end, i int) {
	w, to := wordAt(f.Text, i)
	if w.to > w.from && value.IsStatedPassword(f.Text[w.from:w.to], endsLine(f.Text, to)) {
		f.Add(rule, w.from, w.to)
		return
	}
	addStatedPassword(f, rule, end)
}
