package pii

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds numbers of payment cards and bank accounts. They have no anchor, so all
// digits of the text are checked if the kind Personal is wanted.

// FindNumbers finds national phone numbers, card numbers and IBANs.
func FindNumbers(f *search.Finder) {
	s := f.Text
	for i := 0; i < len(s); i++ {
		if !lex.IsDigit(s[i]) {
			continue
		}
		end := lex.Skip(s, i, min(len(s), i+20), lex.IsDigit)
		switch {
		case isPhoneStart(s, i, end) && AddPhone(f, i) > 0:
			end = f.Found[len(f.Found)-1].End
		case i >= 2 && lex.IsUpper(s[i-1]) && lex.IsUpper(s[i-2]) && lex.OpensWord(s, i-2):
			end = max(end, addIBAN(f, i-2))
		case opensNumber(s, i):
			end = max(end, addCard(f, i))
		}
		i = lex.Skip(s, end, len(s), lex.IsDigit)
	}
}

// opensNumber reports whether a number that is not part of another one may start at i.
func opensNumber(s string, i int) bool {
	if !lex.OpensWord(s, i) {
		return false
	}
	return i == 0 || s[i-1] != '.' && s[i-1] != '-' && s[i-1] != '+' && s[i-1] != '#' && s[i-1] != '$' && s[i-1] != '/'
}

// addCard adds the card number that starts at i, and returns the offset where it ends, or 0 if there
// is none.
func addCard(f *search.Finder, i int) int {
	s := f.Text
	var digits [20]byte
	var groups [6]int
	n, g := 0, 0
	at := i
	for at < len(s) && n < len(digits) {
		switch c := s[at]; {
		case lex.IsDigit(c):
			digits[n] = c - '0'
			n++
			groups[g]++
			at++
			continue
		case (c == ' ' || c == '-') && g+1 < len(groups) && at+1 < len(s) && lex.IsDigit(s[at+1]):
			g++
			at++
			continue
		}
		break
	}
	if !lex.ClosesWord(s, at) || at+1 < len(s) && (s[at] == '.' || s[at] == '-') && lex.IsDigit(s[at+1]) {
		return 0
	}
	if !isCardGrouping(groups[:g+1]) || !isCardNumber(digits[:n]) || namesOtherNumber(f, i) {
		return 0
	}
	f.Add(rules.IndexOf("payment-card"), i, at)
	return at
}

// isCardGrouping reports whether digits in groups of these lengths are grouped as on a payment card,
// or not grouped.
func isCardGrouping(groups []int) bool {
	switch len(groups) {
	case 1:
		return groups[0] <= 16
	case 3:
		return groups[0] == 4 && groups[1] == 6 && (groups[2] == 4 || groups[2] == 5)
	case 4, 5:
		for _, n := range groups[:4] {
			if n != 4 {
				return false
			}
		}
		return len(groups) == 4 || groups[4] <= 3
	}
	return false
}

// isCardNumber reports whether the digits d have the prefix and the length of an issuer's card
// numbers, and end in the right Luhn check digit.
func isCardNumber(d []byte) bool {
	n := len(d)
	if n < 13 || n > 19 || !isIssuer(int(d[0])*1000+int(d[1])*100+int(d[2])*10+int(d[3]), n) {
		return false
	}
	sum, same := 0, true
	for i, c := range d {
		v := int(c)
		if (n-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
		same = same && (i == 0 || i == n-1 || c == d[1])
	}
	return sum%10 == 0 && (!same || d[1] == 1)
}

// isIssuer reports whether an issuer has card numbers of n digits that start with the four digits
// four.
func isIssuer(four, n int) bool {
	switch two := four / 100; {
	case two/10 == 4:
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34, two == 37:
		return n == 15
	case two == 30, two == 36, two == 38:
		return n == 14
	case two == 35, two == 62, two == 65, four == 6011, four >= 6440 && four <= 6499:
		return n >= 16
	}
	return false
}

// namesOtherNumber reports whether the words before i on its line name the number something other than
// a card number.
func namesOtherNumber(f *search.Finder, i int) bool {
	from := max(0, i-32)
	line := f.Text[from:i]
	if at := strings.LastIndexAny(line, "\n[]"); at >= 0 {
		line = line[at+1:]
	}
	if lex.ContainsAnyFold(line, "card visa master amex pan credit debit") {
		return false
	}
	return lex.ContainsAnyFold(line, "order invoice ref id= id: id\" _id time track sku serial build version commit phone session trace span seq")
}

// ibanSizes holds the country codes of IBANs, each followed by the length of the country's IBANs.
const ibanSizes = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21" +
	"HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24" +
	"SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"

// addIBAN adds the IBAN that starts at i, and returns the offset where it ends, or 0 if there is none.
func addIBAN(f *search.Finder, i int) int {
	s := f.Text
	size := 0
	for k := 0; k < len(ibanSizes); k += 4 {
		if ibanSizes[k:k+2] == s[i:i+2] {
			size = int(ibanSizes[k+2]-'0')*10 + int(ibanSizes[k+3]-'0')
		}
	}
	if size == 0 {
		return 0
	}
	var text [34]byte
	n, at := 0, i
	for at < len(s) && n < size {
		if c := s[at]; lex.IsUpper(c) || lex.IsDigit(c) {
			text[n] = c
			n++
		} else if c != ' ' && c != '-' || n == 0 || n%4 != 0 {
			return 0
		}
		at++
	}
	if n < size || !lex.ClosesWord(s, at) || !hasIBANCheck(text[:n]) {
		return 0
	}
	f.Add(rules.IndexOf("iban"), i, at)
	return at
}

// hasIBANCheck reports whether the check digits of the IBAN b are right: as a number, with its first
// four bytes moved to the end and letters counted from 10, it is 1 modulo 97.
func hasIBANCheck(b []byte) bool {
	rest := 0
	for i := range b {
		c := b[(i+4)%len(b)]
		if lex.IsDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
