package pii

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds phone numbers: international ones, +49 30 123456, by their plus, and
// national ones by the words before them, because they have too many forms to be
// recognised alone.

// FindPhone finds the international phone number after the anchor +.
func FindPhone(f *search.Finder, rule, start, end int) {
	s := f.Text
	if start > 0 && (lex.IsWordByte(s[start-1]) || s[start-1] == '+' || s[start-1] == '.' || s[start-1] == ')') && !lex.OpensWord(s, start) {
		return
	}
	if to, n, signs := phoneEnd(s, end); n >= 10 && n <= 15 || n >= 8 && n <= 15 && signs > 0 {
		if s[end] != '0' {
			f.Add(rule, start, to)
		}
	}
}

// phoneEnd reads the digits of a phone number at i, and the separators between them. It returns the
// offset where the number ends, and how many digits and separators it has.
func phoneEnd(s string, i int) (end, digits, signs int) {
	end = i
	for at := i; at < min(len(s), i+24); at++ {
		switch c := s[at]; {
		case lex.IsDigit(c):
			digits++
			end = at + 1
		case isPhoneSeparator(c):
			if at > i && !lex.IsDigit(s[at-1]) && s[at-1] != ')' && !(s[at-1] == ' ' && c == '(') && !(s[at-1] == '(') {
				return end, digits, signs
			}
			signs++
		default:
			if lex.IsWordByte(c) && at == end {
				return end, 0, 0
			}
			return end, digits, signs
		}
	}
	return end, digits, signs
}

func isPhoneSeparator(c byte) bool {
	return c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '/'
}

// A groupedNumber is a number in groups of digits.
type groupedNumber struct {
	from, to int
	digits   int
	n        int // the number of groups
	group    [8]string
	sign     [8]byte // the separator after each group
}

// parseGroups parses the number whose first digit is at i. The result has no groups if there is none.
func parseGroups(s string, i int) (p groupedNumber) {
	p.from = i
	if i > 0 && s[i-1] == '(' {
		p.from--
	}
	for p.n < len(p.group) {
		end := lex.Skip(s, i, min(len(s), i+16), lex.IsDigit)
		if end == i || p.digits+end-i > 15 || end < len(s) && p.isPartOfWord(s, i, end) {
			break
		}
		p.group[p.n], p.to = s[i:end], end
		p.digits += end - i
		p.n++
		if i = p.gapEnd(s, end); i == end {
			break
		}
		p.sign[p.n-1] = s[i-1]
	}
	return p
}

// isPartOfWord reports whether the digits s[i:end] are part of a word, or the hour of a time.
func (p *groupedNumber) isPartOfWord(s string, i, end int) bool {
	switch c := s[end]; {
	case c == ':':
		return end+1 < len(s) && lex.IsDigit(s[end+1])
	case c >= 0x80:
		return p.n == 0 && end-i < 3
	default:
		return lex.IsWordByte(c)
	}
}

// gapEnd returns the offset after the separators at i between two groups: one, or up to three
// different ones.
func (p *groupedNumber) gapEnd(s string, i int) int {
	for n := 0; n < 3 && i < len(s) && isPhoneSeparator(s[i]); n++ {
		if n > 0 && (p.n > 1 || s[i] != '/') && (s[i] == s[i-1] || s[i] == '/' || s[i] == '.') {
			break
		}
		i++
	}
	return i
}

// isPhoneStart reports whether the digits s[i:end] may start a national phone number. It is a cheap
// check that most digits fail.
func isPhoneStart(s string, i, end int) bool {
	if end-i >= 9 {
		return end-i <= 15 && (i == 0 || !lex.IsWordByte(s[i-1]) || lex.OpensWord(s, i))
	}
	return end < len(s) && isPhoneSeparator(s[end]) && end+1 < len(s) && (lex.IsDigit(s[end+1]) || isPhoneSeparator(s[end+1])) && (i == 0 || !lex.IsWordByte(s[i-1]) || lex.OpensWord(s, i))
}

// AddPhone adds the national phone number whose first digit is at i, and returns the offset where it
// ends, or 0 if there is none.
func AddPhone(f *search.Finder, i int) int {
	p := parseGroups(f.Text, i)
	if p.digits < 7 || p.digits < 9 && p.n == 1 || !p.mayBePhone() {
		return 0
	}
	switch judgePhoneWords(f.Text, p.from) {
	case named.Mute:
		return 0
	case named.Weak:
		if !p.looksDialled() {
			return 0
		}
	}
	f.Add(rules.IndexOf("phone-number"), p.from, p.to)
	return p.to
}

// mayBePhone reports whether the groups can be those of a phone number, and not of a date, an IP
// address or a version.
func (p *groupedNumber) mayBePhone() bool {
	dots, short := 0, 0
	for i, g := range p.group[:p.n] {
		if len(g) == 1 && i > 1 {
			return false
		}
		if len(g) <= 3 {
			short++
		}
		if i+1 < p.n && p.sign[i] == '.' {
			dots++
		}
	}
	if p.n == 4 && dots == 3 && short == 4 || p.n == 2 && dots == 1 && len(p.group[0]) == 1 {
		return false
	}
	return !p.isDate()
}

// isDate reports whether the groups are a date, or two years.
func (p *groupedNumber) isDate() bool {
	a, b, c := p.group[0], p.group[1], p.group[2]
	switch {
	case p.n == 2:
		return isYear(a) && isYear(b)
	case p.n < 3:
		return false
	}
	return isYear(a) && len(b) == 2 && len(c) == 2 || len(a) <= 2 && len(b) <= 2 && isYear(c)
}

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") }

// looksDialled reports whether the number looks enough like a phone number that an ambiguous word
// before it suffices.
func (p *groupedNumber) looksDialled() bool {
	if p.digits < 9 || p.digits > 15 {
		return false
	}
	if p.group[0][0] == '0' {
		return true
	}
	thousands := true
	for _, g := range p.group[1:p.n] {
		thousands = thousands && len(g) == 3
	}
	return p.n > 1 && p.digits >= 10 && !thousands
}

// phoneReach is the maximum distance in bytes between a number and the words about it.
const phoneReach = 64

// judgePhoneWords returns what the words before i on its line suggest about the number at i: Mute for
// nothing, Weak if it may be a phone number, Strong if it is one.
func judgePhoneWords(s string, i int) named.Strength {
	least := max(0, i-phoneReach)
	var labelled, asked, dotted bool // after an operator or the word number; after a word such as me; after an abbreviation
	for n := 0; n < 8; n++ {
		end := i
		for i > least && isPhoneGap(s[i-1]) {
			i--
			labelled = labelled || n == 0 && (s[i] == ':' || s[i] == '=' || s[i] == '>')
			dotted = s[i] == '.'
		}
		word := lastPhoneWord(s[least:i])
		if lex.HasSuffixFold(s[least:i], "whatsapp") {
			word = s[i-len("whatsapp") : i]
		}
		switch {
		case word == "" || n == 0 && end == i && s[i-1] < 0x80:
			return named.Mute
		case lex.IsOneOf(word, "me us him her"):
			asked = true
		case lex.IsOneOf(word, "number numbers num no nr nummer numero"):
			labelled = true
		case !isPhoneFiller(word):
			return judgePhoneWord(word, labelled || dotted, asked)
		case lex.IsOneOf(word, "mobile cell") && !endsInPhoneWord(s[least:i-len(word)]):
			return judgePhoneWord(word, labelled || dotted, asked)
		}
		i -= len(word)
	}
	return named.Mute
}

// isPhoneFiller reports whether word may be between a number and the word that describes it.
func isPhoneFiller(word string) bool {
	return lex.IsOneOf(word, "is are at on my our your under via the by to or and home work office direct main private privat business primary secondary day "+
		"mobile cell landline line td b strong span dt dd th")
}

// endsInPhoneWord reports whether s ends in a word that means phone, as in Phone (mobile).
func endsInPhoneWord(s string) bool {
	s = s[:lex.SkipBack(s, len(s), 0, isPhoneGap)]
	return judgePhoneWord(lastPhoneWord(s), false, false) == named.Strong
}

func isPhoneGap(c byte) bool {
	return lex.IsBlank(c) || lex.IsQuote(c) || strings.IndexByte(`:=#\.()<>/-_|*,;`, c) >= 0
}

// lastPhoneWord returns the last word of s, with letters of any script and up to two digits. An
// upper-case letter after a lower-case one starts a word.
func lastPhoneWord(s string) string {
	end := len(s)
	at := end
	for at > 0 && lex.IsDigit(s[at-1]) && end-at < 2 { // phone1
		at--
	}
	for at > 0 && (lex.IsLetter(s[at-1]) || s[at-1] >= 0x80) && !(at < end && lex.IsLower(s[at-1]) && lex.IsUpper(s[at])) {
		at--
	}
	return s[at:end]
}

// judgePhoneWord returns what word suggests about the number after it. The parameter labelled states
// that the word labels the number, asked that the text asks for a call.
func judgePhoneWord(word string, labelled, asked bool) named.Strength {
	word = strings.TrimRight(word, "0123456789")
	if lex.Skip(word, 0, len(word), lex.IsLetter) < len(word) {
		for _, part := range [...]string{"手机", "手機", "电话", "電話", "携帯", "전화", "휴대폰", "телефон", "Телефон", "ТЕЛЕФОН", "тел", "Тел", "моб", "Моб", "tél", "Tél", "TÉL",
			"teléf", "Teléf", "TELÉF", "móvil", "Móvil", "MÓVIL", "τηλ", "Τηλ", "هاتف", "फोन", "điện thoại", "nº"} {
			if strings.HasPrefix(word, part) || part[0] >= 0xe0 && strings.Contains(word, part) {
				return named.Strong
			}
		}
		return named.Mute
	}
	switch {
	case lex.IsOneOf(word, "tel tlf tfn fax telefax mobil phone phones whatsapp rufnummer durchwahl hotline handynummer handynr faxnummer faxnumber faxno "+
		"mobilnummer mobilfunk mobileno mobilenumber mobilephone phonenumber phoneno celular cellulare cellular movil telno telnr msisdn"):
		return named.Strong
	case lex.IsOneOf(word, "iphone microphone headphone headphones earphone smartphone"):
		return named.Mute
	case lex.HasPrefixFold(word, "telef"), lex.HasSuffixFold(word, "phone"), lex.HasSuffixFold(word, "telefon"):
		return named.Strong
	case lex.IsOneOf(word, "contact kontakt contacto contato portable mobile cel cell handy sms mob ph viber"):
		if labelled || asked {
			return named.Strong
		}
		return named.Weak
	case lex.IsOneOf(word, "call dial ring text reach"):
		if asked {
			return named.Strong
		}
		return named.Weak
	}
	return named.Mute
}
