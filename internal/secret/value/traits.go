// Package value judges values that have no shape of their own, such as passwords: how
// they look, what else they may be, and how much that has to be where they were met.
// docs/secrets.md describes the model.
//
//	traits.go, shapes.go, chance.go            how a value looks, and whether chance made it
//	place.go, thresholds.go                    where it was met, and what is asked of it there
//	stands_for.go, stand_ins.go, lock_digest.go, published_examples.go
//	                                           what it may be other than a secret
package value

import (
	"math"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// Look is how a value looks. It is made once for each value, by LookAt, and handed
// on; what costs more than counting is found out when somebody asks for it.
type Look struct {
	Text   string
	counts // of its bytes
	Has    kinds

	known, found trait // what was asked for, and what of that is so

	words   int     // bytes in words; see wordy
	bits    float64 // of information in a byte; see entropy
	worked  bool    // words is set
	sampled bool    // bits is set
}

// counts describes how many bytes of each kind a value has.
type counts struct{ Digits, Uppers, Lowers, signs, others int } // others are neither letters nor digits; signs are those that no name has

// kinds are what bytes a value has, how many of them, and how long it is.
type kinds uint64

const (
	ADigit kinds = 1 << iota
	twoDigits
	threeDigits
	fourDigits
	sixDigits
	anUpper
	twoUppers
	aLower
	twoLowers
	bothCases
	ALetter
	twoLetters
	threeLetters
	aSign // one that no name has: ! @ # $
	twoSigns
	anOther // neither a letter nor a digit
	twoOthers
	threeOthers
	nameSign // one that names have too: - . _ /
	lowerFirst
	upperFirst
	hyphenFirst
	slashFirst
	starFirst
	digitLast
	of5 // bytes, or more
	Of6
	of8
	of10
	Of16
	of20
	Of24
	of32
	over64
	over256
)

// trait is what reading says about a value.
type trait uint64

const (
	// How much there is of what.
	WordLike   trait = 1 << iota // the better part is words
	thirdWords                   // more than a third is
	someWords                    // more than three tenths are
	manySigns                    // more than a sixth is neither letter nor digit
	scattered                    // more than an eighth is, three or more
	signHeavy                    // more than a third is
	bits27                       // 2.7 bits of information in a byte, or more
	Bits30
	bits32
	bits34
	bits36
	bitsOfKey // as many as a key of this length has

	// How bytes follow each other.
	HexOnly     // hexadecimal digits, with hyphens or not
	uuidLong    // as long as a UUID, and with as many hyphens
	base64Only  // nothing but base64
	jumbled     // letters that a program mixed
	NumberOnly  // digits, as many as a password has
	numberLast  // something and a number, signs behind it aside
	wordAndYear // letters and four digits or more, signs behind them aside
	wordAndPair // letters and two digits or more, signs behind them aside
	signBehind  // a sign that no name has, behind the number
	markedAmid  // one of # @ $
	equation    // has =
	wordNumber  // one word and its number, like Level3
	passphrase  // words with a sign between them, and a number
	appPassword // sixteen letters, as Google and Apple make them
	madeUp      // words with capitals and a number, or signs

	// What it may be other than a secret.
	StandIn    // a placeholder
	Reference  // says where the secret is, or is text or code
	Template   // of which a part is put in
	variable   // of a shell
	technical  // a word of the trade, a version, a date
	Location   // a path, a file, a host
	digest     // what was made of a password
	called     // a call, or a type with its length
	codePath   // names with dots between them
	CodeSigned // has a sign that belongs to code around it
	dotted     // a path of names, a host, a version
	flagLike   // starts as a flag does
	weakest    // a password that every program starts with
	ofTests    // a password that tests have
	keyword    // a word of a language: null, true, the name of a type

	// Which threshold it reaches.
	AsTyped
	AsChosen
	AsArgument
	AsMade
	asKey
	AsSaid     // among other words
	asSaidLast // as the last word

	firstShape = HexOnly
	firstOther = StandIn
	firstBar   = AsTyped
)

// CountsOf counts the bytes of s.
func CountsOf(s string) (n counts) {
	for i := range len(s) {
		switch c := s[i]; {
		case lex.IsLower(c):
			n.Lowers++
		case lex.IsDigit(c):
			n.Digits++
		case lex.IsUpper(c):
			n.Uppers++
		default:
			n.others++
			if isSign(c) {
				n.signs++
			}
		}
	}
	return n
}

// LookAt returns how val looks.
func LookAt(val string) Look {
	l := Look{Text: val, counts: CountsOf(val)}
	l.Has = l.sizes() | edges(val)
	return l
}

// Kinds by a number of bytes; the last is for all higher ones too.
var (
	digitKinds  = [...]kinds{0, ADigit, ADigit | twoDigits, ADigit | twoDigits | threeDigits, ADigit | twoDigits | threeDigits | fourDigits, ADigit | twoDigits | threeDigits | fourDigits, ADigit | twoDigits | threeDigits | fourDigits | sixDigits}
	upperKinds  = [...]kinds{0, anUpper, anUpper | twoUppers}
	lowerKinds  = [...]kinds{0, aLower, aLower | twoLowers}
	letterKinds = [...]kinds{0, ALetter, ALetter | twoLetters, ALetter | twoLetters | threeLetters}
	signKinds   = [...]kinds{0, aSign, aSign | twoSigns}
	otherKinds  = [...]kinds{0, anOther, anOther | twoOthers, anOther | twoOthers | threeOthers}
)

// sizes returns the kinds that are numbers of bytes.
func (l *Look) sizes() kinds {
	has := digitKinds[min(l.Digits, len(digitKinds)-1)] | upperKinds[min(l.Uppers, len(upperKinds)-1)] | lowerKinds[min(l.Lowers, len(lowerKinds)-1)] |
		letterKinds[min(l.Uppers+l.Lowers, len(letterKinds)-1)] | signKinds[min(l.signs, len(signKinds)-1)] | otherKinds[min(l.others, len(otherKinds)-1)]
	if l.Uppers > 0 && l.Lowers > 0 {
		has |= bothCases
	}
	if l.others > l.signs {
		has |= nameSign
	}
	for _, at := range lengthKinds {
		if len(l.Text) < at.least {
			break
		}
		has |= at.is
	}
	return has
}

var lengthKinds = [...]struct {
	least int
	is    kinds
}{{5, of5}, {6, Of6}, {8, of8}, {10, of10}, {16, Of16}, {20, of20}, {24, Of24}, {32, of32}, {65, over64}, {lex.MaxValue + 1, over256}}

// edges returns the kinds that are about the first and the last byte.
func edges(val string) (has kinds) {
	if val == "" {
		return 0
	}
	switch c := val[0]; {
	case lex.IsLower(c):
		has = lowerFirst
	case lex.IsUpper(c):
		has = upperFirst
	case c == '-':
		has = hyphenFirst
	case c == '/':
		has = slashFirst
	case c == '*':
		has = starFirst
	}
	if lex.IsDigit(val[len(val)-1]) {
		has |= digitLast
	}
	return has
}

// Is reports whether the value has all of the traits.
func (l *Look) Is(all trait) bool {
	if l.known&^l.found&all != 0 {
		return false
	}
	for left := all &^ l.known; left != 0; {
		t := left & -left
		if !l.learn(t) {
			return false
		}
		left &^= t
	}
	return true
}

// IsAny reports whether the value has one of the traits.
func (l *Look) IsAny(one trait) bool {
	if l.found&one != 0 {
		return true
	}
	for left := one &^ l.known; left != 0; {
		t := left & -left
		if l.learn(t) {
			return true
		}
		left &^= t
	}
	return false
}

// Know notes whether the value has the trait.
func (l *Look) Know(t trait, so bool) {
	l.known |= t
	if so {
		l.found |= t
	}
}

// learn finds out whether the value has the trait, which is not known yet.
func (l *Look) learn(t trait) bool {
	so := false
	switch {
	case t < firstShape:
		so = l.madeOf(t)
	case t < firstOther:
		so = l.shaped(t)
	case t < firstBar:
		so = l.standsFor(t)
	default:
		so = l.reaches(t)
	}
	l.Know(t, so)
	return so
}

// madeOf is learn for how much there is of what.
func (l *Look) madeOf(t trait) bool {
	n := len(l.Text)
	switch t {
	case WordLike:
		return l.wordBytes()*2 > n
	case thirdWords:
		return l.wordBytes()*3 > n
	case someWords:
		return l.wordBytes()*10 > n*3
	case manySigns:
		return l.others*6 > n
	case scattered:
		return l.others > 2 && l.others*8 > n
	case signHeavy:
		return l.others*3 > n
	case bits27:
		return l.entropy() >= 2.7
	case Bits30:
		return l.entropy() >= 3
	case bits32:
		return l.entropy() >= 3.2
	case bits34:
		return l.entropy() >= 3.4
	case bits36:
		return l.entropy() >= 3.6
	}
	return l.entropy() >= l.leastBits() // bitsOfKey
}

// leastBits returns how many bits of information a byte of a key as long as this
// has at least.
func (l *Look) leastBits() float64 {
	least := min(3.5, math.Log2(float64(len(l.Text)))*0.8)
	if l.Is(HexOnly) {
		least = min(least, 2.9)
	}
	return least
}

func (l *Look) wordBytes() int {
	if !l.worked {
		l.words, l.worked = wordy(l.Text), true
	}
	return l.words
}

func (l *Look) entropy() float64 {
	if !l.sampled {
		l.bits, l.sampled = Entropy(l.Text), true
	}
	return l.bits
}

// shaped is learn for how bytes follow each other.
func (l *Look) shaped(t trait) bool {
	s := l.Text
	switch t {
	case HexOnly:
		return l.signs == 0 && IsHexText(s)
	case uuidLong:
		return l.others == 4 && len(s) == 36
	case base64Only:
		return IsBase64Text(s)
	case jumbled:
		return l.isJumbled()
	case NumberOnly:
		return l.Digits == len(s) && isDigits(s)
	case numberLast, wordAndYear, wordAndPair, signBehind:
		return l.numbered(t)
	case markedAmid:
		return l.signs > 0 && strings.ContainsAny(s, "#@$")
	case equation:
		return strings.Contains(s, "=")
	case wordNumber:
		return isNumbered(s)
	case passphrase:
		return l.Has&nameSign != 0 && isPassphrase(s)
	case appPassword:
		return IsAppPassword(s)
	}
	return l.isMadeUp()
}

// isJumbled reports whether the value is letters that a program mixed.
func (l *Look) isJumbled() bool {
	return l.Digits == 0 && l.others == 0 && len(l.Text) >= 12 && l.Uppers > 2 && l.Lowers > 2 && l.Is(bits32)
}

// isMadeUp reports whether the value is what people make up when a secret is asked
// of them: words with capitals and two digits or more, or signs.
func (l *Look) isMadeUp() bool {
	return l.signs > 0 || l.Digits > 1 && l.Uppers > 0 && l.Lowers > 2 && lex.IsLetter(l.Text[0]) && !lex.IsDigit(l.Text[1]) || l.Is(passphrase)
}

// numbered is learn for what has a number at its end.
func (l *Look) numbered(t trait) bool {
	s := l.Text
	end := lex.SkipBack(s, len(s), 0, func(c byte) bool { return !lex.IsAlnum(c) })
	at := lex.SkipBack(s, end, 0, lex.IsDigit)
	switch {
	case at == 0 || at == end:
		return false
	case t == wordAndYear:
		return end-at > 3 && lex.Skip(s, 0, at, lex.IsLetter) == at
	case t == wordAndPair:
		return end-at > 1 && lex.Skip(s, 0, at, lex.IsLetter) == at
	case t == signBehind:
		return passwordSigns(s[end:]) > 0
	}
	return true
}

// standsFor is learn for what the value may be other than a secret.
func (l *Look) standsFor(t trait) bool {
	s := l.Text
	switch t {
	case StandIn:
		return IsStandIn(s)
	case Reference:
		return isReference(s)
	case Template:
		return IsReferenceIn(s)
	case variable:
		return isVariable(s)
	case technical:
		return isTechnical(s)
	case Location:
		return isPlace(s)
	case digest:
		return isHash(s)
	case called:
		return isCall(s)
	case codePath:
		return isCodePath(s)
	case CodeSigned:
		return l.Has&nameSign != 0 && HasCodeSign(s)
	case dotted:
		return isDotted(s)
	case flagLike:
		return l.Has&hyphenFirst != 0 && s[1] == '-'
	case keyword:
		return lex.IsOneOf(s, "true false null nil none undefined string str bytes bool boolean int any number []byte")
	case weakest:
		return lex.IsOneOf(s, "changeit secret pass1 pass123")
	}
	return lex.IsOneOf(s, "pass12 pass123 pass1234 user1 user2 user01 user123 foo123 bar123 abc123 test1 test12 test123 test1234 secret1 secret2 secret123 admin1") // ofTests
}

// reaches is learn for the thresholds.
func (l *Look) reaches(t trait) bool {
	rows, at := thresholdOf(t)
	return rows.Decide(at, l)
}

// isSign reports whether c is a sign that no name has.
func isSign(c byte) bool {
	switch c {
	case '!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~':
		return true
	}
	return false
}

// passwordSigns counts them.
func passwordSigns(val string) int {
	signs := 0
	for i := range len(val) {
		if isSign(val[i]) {
			signs++
		}
	}
	return signs
}

// IsKey reports whether val, called a token or secret, is one.
func IsKey(val string) bool {
	l := LookAt(val)
	return l.Is(asKey)
}

// IsChosen reports whether val, in a place where little but a password stands, is
// one. It may be weak, but it has more than letters or is no word.
func IsChosen(val string) bool {
	l := LookAt(val)
	return l.Is(AsChosen)
}

// IsSaid is IsChosen for a word of a text in which other words stand as well.
// With last, nothing more of the sentence follows, or the word is quoted.
func IsSaid(val string, ends bool) bool {
	l := LookAt(val)
	return l.IsSaid(ends)
}

func (l *Look) IsSaid(ends bool) bool {
	if ends {
		return l.Is(asSaidLast)
	}
	return l.Is(AsSaid)
}
