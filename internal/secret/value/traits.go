// Package value judges values without a recognisable form, such as passwords, by how they
// look, what else they may be, and where they were found. docs/secrets.md describes the
// model.
//
//	traits.go, shapes.go, chance.go            how a value looks, and whether it is random
//	place.go, thresholds.go                    where it was found, and what is required there
//	stands_for.go, stand_ins.go, lock_digest.go, published_examples.go
//	                                           what it may be other than a secret
package value

import (
	"math"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// A Look describes how a value looks. LookAt counts the bytes of the value; traits that cost more are
// computed when they are first needed.
type Look struct {
	Text   string
	counts // number of its bytes of each kind
	Has    kinds

	known, found trait // the traits computed so far, and those that the value has

	words   int     // number of bytes in words; see wordBytes
	bits    float64 // entropy in bits per byte; see entropy
	worked  bool    // words is set
	sampled bool    // bits is set
}

// counts holds the number of bytes of each kind in a value.
type counts struct{ Digits, Uppers, Lowers, signs, others int } // others are neither letters nor digits; signs are those of them that names do not contain

// kinds is a set of facts about the bytes of a value: which kinds it has, how many of them, and its
// length.
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
	aSign // a character that names do not contain: ! @ # $
	twoSigns
	anOther // neither a letter nor a digit
	twoOthers
	threeOthers
	nameSign // a character that names may contain: - . _ /
	lowerFirst
	upperFirst
	hyphenFirst
	slashFirst
	starFirst
	digitLast
	of5 // five bytes or more
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

// A trait is a fact about a value that counting its bytes does not show.
type trait uint64

const (
	// Proportions of the bytes of the value.
	WordLike   trait = 1 << iota // more than half of the bytes are in words
	thirdWords                   // more than a third of the bytes are in words
	someWords                    // more than 30 % of the bytes are in words
	manySigns                    // more than a sixth of the bytes are neither letters nor digits
	scattered                    // at least three bytes, and more than an eighth, are neither letters nor digits
	signHeavy                    // more than a third of the bytes are neither letters nor digits
	bits27                       // at least 2.7 bits of entropy per byte
	Bits30
	bits32
	bits34
	bits36
	bitsOfKey // at least the entropy of a key of this length; see minKeyBits

	// The form of the value.
	HexOnly     // only hexadecimal digits and hyphens
	uuidLong    // the length and the number of hyphens of a UUID
	base64Only  // only base64 digits and padding
	jumbled     // random letters
	NumberOnly  // only digits, as many as a password may have
	numberLast  // ends in a number, apart from punctuation after it
	wordAndYear // letters, then four or more digits, then at most punctuation
	wordAndPair // letters, then two or more digits, then at most punctuation
	signBehind  // numberLast, with a character after the number that names do not contain
	markedAmid  // contains # @ or $
	equation    // contains =
	wordNumber  // one word and a number, like Level3
	passphrase  // words with a separator between them, and a number
	appPassword // sixteen letters, as Google and Apple generate them
	madeUp      // words with upper-case letters and a number, or with symbols

	// What the value may be other than a secret.
	StandIn    // a placeholder
	Reference  // names where the secret is stored, or is prose or code
	Template   // contains a part that is filled in later
	variable   // a shell variable
	technical  // a technical term, a version, a date
	Location   // a path, a file, a host
	digest     // the hash of a password
	called     // a call, or a type with its length
	codePath   // identifiers with dots between them
	CodeSigned // contains punctuation of the surrounding code
	dotted     // a path, a host, a version
	flagLike   // starts like a flag
	weakest    // a well-known default password
	ofTests    // a typical password of tests
	keyword    // a keyword: null, true, the name of a type

	// The threshold that the value reaches; see traitThreshold.
	AsTyped
	AsChosen
	AsArgument
	AsMade
	asKey
	AsSaid     // stated in a sentence that continues
	asSaidLast // stated as the last word of a sentence

	firstShape = HexOnly
	firstOther = StandIn
	firstBar   = AsTyped
)

// CountBytes returns the number of bytes of s of each kind.
func CountBytes(s string) (n counts) {
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
			if isNonNameSymbol(c) {
				n.signs++
			}
		}
	}
	return n
}

// LookAt returns a description of how val looks.
func LookAt(val string) Look {
	l := Look{Text: val, counts: CountBytes(val)}
	l.Has = l.countKinds() | edgeKinds(val)
	return l
}

// The kinds that a value with i such bytes has, at index i. The last element also holds for higher numbers.
var (
	digitKinds  = [...]kinds{0, ADigit, ADigit | twoDigits, ADigit | twoDigits | threeDigits, ADigit | twoDigits | threeDigits | fourDigits, ADigit | twoDigits | threeDigits | fourDigits, ADigit | twoDigits | threeDigits | fourDigits | sixDigits}
	upperKinds  = [...]kinds{0, anUpper, anUpper | twoUppers}
	lowerKinds  = [...]kinds{0, aLower, aLower | twoLowers}
	letterKinds = [...]kinds{0, ALetter, ALetter | twoLetters, ALetter | twoLetters | threeLetters}
	signKinds   = [...]kinds{0, aSign, aSign | twoSigns}
	otherKinds  = [...]kinds{0, anOther, anOther | twoOthers, anOther | twoOthers | threeOthers}
)

// countKinds returns the kinds that depend on numbers of bytes.
func (l *Look) countKinds() kinds {
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

// edgeKinds returns the kinds that depend on the first and the last byte of val.
func edgeKinds(val string) (has kinds) {
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

// Is reports whether the value has all of the given traits.
func (l *Look) Is(all trait) bool {
	if l.known&^l.found&all != 0 {
		return false
	}
	for left := all &^ l.known; left != 0; {
		t := left & -left
		if !l.computeTrait(t) {
			return false
		}
		left &^= t
	}
	return true
}

// IsAny reports whether the value has at least one of the given traits.
func (l *Look) IsAny(one trait) bool {
	if l.found&one != 0 {
		return true
	}
	for left := one &^ l.known; left != 0; {
		t := left & -left
		if l.computeTrait(t) {
			return true
		}
		left &^= t
	}
	return false
}

// SetTrait records whether the value has the trait t, so that it is not computed.
func (l *Look) SetTrait(t trait, so bool) {
	l.known |= t
	if so {
		l.found |= t
	}
}

// computeTrait computes, records and returns whether the value has the trait t.
func (l *Look) computeTrait(t trait) bool {
	so := false
	switch {
	case t < firstShape:
		so = l.hasProportion(t)
	case t < firstOther:
		so = l.hasShape(t)
	case t < firstBar:
		so = l.isNonSecret(t)
	default:
		so = l.reachesThreshold(t)
	}
	l.SetTrait(t, so)
	return so
}

// hasProportion is computeTrait for proportions.
func (l *Look) hasProportion(t trait) bool {
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
	return l.entropy() >= l.minKeyBits() // bitsOfKey
}

// minKeyBits returns the minimum entropy in bits per byte of a key with the length of the value.
func (l *Look) minKeyBits() float64 {
	least := min(3.5, math.Log2(float64(len(l.Text)))*0.8)
	if l.Is(HexOnly) {
		least = min(least, 2.9)
	}
	return least
}

// wordBytes returns the number of bytes in words. It computes the number once; see countWordBytes.
func (l *Look) wordBytes() int {
	if !l.worked {
		l.words, l.worked = countWordBytes(l.Text), true
	}
	return l.words
}

// entropy returns the entropy in bits per byte. It computes it once; see Entropy.
func (l *Look) entropy() float64 {
	if !l.sampled {
		l.bits, l.sampled = Entropy(l.Text), true
	}
	return l.bits
}

// hasShape is computeTrait for the form of the value.
func (l *Look) hasShape(t trait) bool {
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
		return l.Digits == len(s) && isDigitPassword(s)
	case numberLast, wordAndYear, wordAndPair, signBehind:
		return l.hasNumberEnd(t)
	case markedAmid:
		return l.signs > 0 && strings.ContainsAny(s, "#@$")
	case equation:
		return strings.Contains(s, "=")
	case wordNumber:
		return isWordNumber(s)
	case passphrase:
		return l.Has&nameSign != 0 && isPassphrase(s)
	case appPassword:
		return IsAppPassword(s)
	}
	return l.isMadeUp()
}

// isJumbled reports whether the value is random letters.
func (l *Look) isJumbled() bool {
	return l.Digits == 0 && l.others == 0 && len(l.Text) >= 12 && l.Uppers > 2 && l.Lowers > 2 && l.Is(bits32)
}

// isMadeUp reports whether the value looks like a password that a user made up: words with upper-case
// letters and at least two digits, or with symbols.
func (l *Look) isMadeUp() bool {
	return l.signs > 0 || l.Digits > 1 && l.Uppers > 0 && l.Lowers > 2 && lex.IsLetter(l.Text[0]) && !lex.IsDigit(l.Text[1]) || l.Is(passphrase)
}

// hasNumberEnd is computeTrait for values that end in a number.
func (l *Look) hasNumberEnd(t trait) bool {
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
		return countNonNameSymbols(s[end:]) > 0
	}
	return true
}

// isNonSecret is computeTrait for things that the value may be other than a secret.
func (l *Look) isNonSecret(t trait) bool {
	s := l.Text
	switch t {
	case StandIn:
		return IsStandIn(s)
	case Reference:
		return isReference(s)
	case Template:
		return IsTemplate(s)
	case variable:
		return isVariable(s)
	case technical:
		return isTechnical(s)
	case Location:
		return isLocation(s)
	case digest:
		return isPasswordHash(s)
	case called:
		return isCall(s)
	case codePath:
		return isCodePath(s)
	case CodeSigned:
		return l.Has&nameSign != 0 && HasCodePunctuation(s)
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

// reachesThreshold is computeTrait for thresholds.
func (l *Look) reachesThreshold(t trait) bool {
	rows, at := traitThreshold(t)
	return rows.IsSecret(at, l)
}

// isNonNameSymbol reports whether c is a symbol that names do not contain.
func isNonNameSymbol(c byte) bool {
	switch c {
	case '!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~':
		return true
	}
	return false
}

// countNonNameSymbols returns the number of symbols in val that names do not contain.
func countNonNameSymbols(val string) int {
	signs := 0
	for i := range len(val) {
		if isNonNameSymbol(val[i]) {
			signs++
		}
	}
	return signs
}

// LooksLikeKey reports whether val is random enough to be a token or secret, given that something
// calls it one.
func LooksLikeKey(val string) bool {
	l := LookAt(val)
	return l.Is(asKey)
}

// IsChosenPassword reports whether val, at a place where a password is expected, is one. The password
// may be weak, but is more than a plain word.
func IsChosenPassword(val string) bool {
	l := LookAt(val)
	return l.Is(AsChosen)
}

// IsStatedPassword is IsChosenPassword for a word among other words. The parameter ends states that
// the sentence ends after the word, or that the word is quoted.
func IsStatedPassword(val string, ends bool) bool {
	l := LookAt(val)
	return l.IsStatedPassword(ends)
}

// IsStatedPassword is the function [IsStatedPassword] for the value.
func (l *Look) IsStatedPassword(ends bool) bool {
	if ends {
		return l.Is(asSaidLast)
	}
	return l.Is(AsSaid)
}
