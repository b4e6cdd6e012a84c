package value

import "strings"

// A value without a shape is judged by where it was met and how it looks: the less
// the place says, the more the value has to. What has to be so at a kind of place
// is a threshold, and the first row that fits decides.

// Row is one reason to take a value for a secret, or not to. It fits a value that
// is at all of its places and off the others, has all of its kinds and lacks the
// others, and is all of its traits and none of the others.
type Row struct {
	at, off    Place
	has, lacks kinds
	is, isnt   trait
	Yes        bool // it is a secret
	why        string
}

// Threshold is what a value has to be. Its last row fits every value.
type Threshold []Row

// thresholdOf returns the threshold that a trait stands for, and where it is.
func thresholdOf(t trait) (Threshold, Place) {
	switch t {
	case AsTyped:
		return typedRows, 0
	case AsChosen:
		return chosenRows, 0
	case AsArgument:
		return argumentRows, 0
	case AsMade:
		return madeRows, 0
	case asKey:
		return chanceRows, 0
	case AsSaid:
		return saidRows, 0
	}
	return saidRows, Last // asSaidLast
}

// Reason returns why the row decides about a value, and what decided about the
// threshold that it asks for.
func (r *Row) Reason(val string) string {
	if r == nil {
		return "its place has to tell"
	}
	said := r.why
	if r.Yes {
		said = "a secret: " + said
	}
	for t := firstBar; t <= asSaidLast; t <<= 1 {
		if (r.is|r.isnt)&t == 0 {
			continue
		}
		l := LookAt(val)
		rows, at := thresholdOf(t)
		if inner := rows.Fit(at, &l); inner == nil || !inner.Yes {
			said += " (" + strings.TrimPrefix(inner.Reason(val), "a secret: ") + ")"
		}
	}
	return said
}

// Decide reports whether the value, met at p, is a secret.
func (t Threshold) Decide(p Place, l *Look) bool { return t.Fit(p, l).Yes }

// Fit returns the row that decides; nil if FirstRows have none.
func (t Threshold) Fit(p Place, l *Look) *Row {
	for i := range t {
		r := &t[i]
		if p&r.at == r.at && p&r.off == 0 && l.Has&r.has == r.has && l.Has&r.lacks == 0 && (r.is == 0 || l.Is(r.is)) && (r.isnt == 0 || !l.IsAny(r.isnt)) {
			return r
		}
	}
	return nil
}

// typedRows are for what stands where a program expects a password: behind a flag,
// in a header. It may be weak, but not a plain word.
var typedRows = Threshold{
	{is: appPassword, Yes: true, why: "a password in the format that Google and Apple generate"},
	{is: Template, why: "a template or a template reference"},
	{is: variable, why: "a shell variable"},
	{is: StandIn, why: "a placeholder"},
	{is: weakest, why: "a well-known default password"},
	{has: hyphenFirst | aLower, lacks: ADigit, why: "the next flag"},
	{has: slashFirst, is: dotted, why: "a path"},
	{has: sixDigits, lacks: ALetter | anOther, Yes: true, why: "a number of six digits or more"},
	{lacks: ALetter, why: "a short number, or only symbols"},
	{has: ADigit | anUpper, Yes: true, why: "a digit and an uppercase letter"},
	{has: ADigit | anOther, Yes: true, why: "a digit and a symbol"},
	{has: ADigit | Of6, Yes: true, why: "six characters with a digit"},
	{has: anOther, isnt: WordLike, Yes: true, why: "a symbol, and no words"},
	{has: twoUppers | twoLowers | of8, isnt: WordLike, Yes: true, why: "uppercase and lowercase letters, and no words"},
	{why: "a plain word"},
}

// chosenRows are for a place where little but a password stands: an argument of a
// login, a cell below the word password. It has more than letters or is no word.
var chosenRows = Threshold{
	{lacks: of5, why: "too short"},
	{has: over256, why: "too long"},
	{is: flagLike, why: "a flag"},
	{lacks: ADigit | aSign | twoUppers, isnt: appPassword, why: "a word"},
	{lacks: ADigit | aSign | twoLowers, isnt: appPassword, why: "an uppercase word"},
	{lacks: ADigit | aSign, is: WordLike, isnt: appPassword, why: "words"},
	{is: Reference, why: "a reference to the secret, or code"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: Location, why: "a path, a file or a host name"},
	{is: digest, why: "a password hash"},
	{is: called, why: "a call"},
	{is: AsTyped, Yes: true, why: "looks like a password that a user would type"},
	{why: "a plain word, a placeholder or a variable name"},
}

// saidRows are for a word among other words. The last one of a sentence, or one in
// quotes, has to be less telling.
var saidRows = Threshold{
	{lacks: Of6, why: "too short"},
	{has: over64, why: "too long"},
	{lacks: ADigit | twoSigns, isnt: jumbled, why: "a word without digits or symbols"},
	{off: Last, lacks: ADigit | twoSigns, why: "a word followed by more words"},
	{is: CodeSigned, why: "contains symbols from the surrounding code"},
	{isnt: AsChosen, why: "not like a password that users choose"},
	{has: hyphenFirst, why: "an option or a list item"},
	{is: codePath, why: "an identifier in code"},
	{at: Last, is: jumbled, Yes: true, why: "random-looking letters"},
	{has: twoSigns | bothCases | of8, lacks: ADigit, isnt: WordLike, Yes: true, why: "two symbols, uppercase and lowercase letters, and no words"},
	{lacks: ADigit, why: "words and symbols"},
	{has: twoSigns, Yes: true, why: "a digit and two symbols"},
	{has: aSign | twoDigits, Yes: true, why: "a symbol and two digits"},
	{has: aSign | bothCases, Yes: true, why: "a symbol, a digit, and uppercase and lowercase letters"},
	{has: aSign, why: "only one symbol and one digit"},
	{has: twoDigits, is: passphrase, Yes: true, why: "a passphrase with a number"},
	{has: bothCases, is: passphrase, Yes: true, why: "a passphrase with uppercase letters"},
	{is: passphrase, why: "lowercase words and only one digit"},
	{has: bothCases | twoDigits, Yes: true, why: "uppercase and lowercase letters and two digits"},
	{has: bothCases | anOther, Yes: true, why: "uppercase and lowercase letters, a digit and a symbol"},
	{has: bothCases, isnt: wordNumber, Yes: true, why: "uppercase and lowercase letters and a digit, but not just a word and a number"},
	{has: bothCases, why: "a word followed by a number"},
	{at: Last, has: anUpper | twoDigits, isnt: WordLike, Yes: true, why: "uppercase letters and two digits"},
	{has: anUpper, why: "an uppercase name followed by a number"},
	{at: Last, has: anOther | threeDigits | digitLast, Yes: true, why: "words, symbols and three digits"},
	{has: anOther, why: "a name like web-01"},
	{has: fourDigits, Yes: true, why: "letters and four digits"},
	{at: Last, has: twoDigits, Yes: true, why: "letters and two digits, and nothing follows"},
	{has: twoDigits | of8, isnt: WordLike, Yes: true, why: "two digits and letters that are not words"},
	{why: "letters and few digits"},
}

// madeRows are for a key that a program made by chance: a UUID, a hexadecimal
// number, or letters and digits that are no words.
var madeRows = Threshold{
	{lacks: Of16, why: "too short"},
	{has: over256, why: "too long"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{lacks: twoLetters, why: "a number"},
	{is: Reference, why: "a reference to the secret, or code"},
	{is: StandIn, why: "a placeholder"},
	{lacks: bothCases | anOther, is: HexOnly | bits27, Yes: true, why: "a hexadecimal number"},
	{lacks: bothCases, is: HexOnly | uuidLong | bits27, Yes: true, why: "a UUID"},
	{is: HexOnly, why: "hexadecimal, but not random"},
	{is: manySigns, why: "too many signs"},
	{is: thirdWords, why: "words"},
	{is: dotted, why: "a path, a host name or a version"},
	{is: Location, why: "a path, a file or a host name"},
	{is: codePath, why: "an identifier in code"},
	{is: digest, why: "a password hash"},
	{is: called, why: "a call"},
	{is: CodeSigned, isnt: base64Only, why: "contains symbols from the surrounding code"},
	{has: twoUppers | twoLowers, is: bits32, Yes: true, why: "random uppercase and lowercase letters and digits"},
	{has: twoUppers | twoLowers, why: "letters and digits, but not random"},
	{has: of20 | threeDigits, lacks: anOther, is: bits34, Yes: true, why: "random letters of one case and digits"},
	{why: "letters and digits, but too few or not random"},
}

// SettingRows are for what a line gives to a password without quotes, password =
// canyon5423: it may be a name of code. Among other settings it is none.
var SettingRows = Threshold{
	{lacks: ALetter, why: "no letters"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: Location, why: "a path, a file or a host name"},
	{is: digest, why: "a password hash"},
	{is: codePath, why: "an identifier in code"},
	{at: Among, has: aSign | bothCases | of8, lacks: ADigit, isnt: WordLike, Yes: true, why: "a setting's value with symbols, uppercase and lowercase letters, and no words"},
	{lacks: ADigit, why: "a name, because it has no digits"},
	{is: passphrase, Yes: true, why: "a passphrase"},
	{at: Among, has: twoDigits, Yes: true, why: "a setting's value with two digits"},
	{at: Among, has: bothCases, Yes: true, why: "a setting's value with a digit, and uppercase and lowercase letters"},
	{at: Among, has: aSign, Yes: true, why: "a setting's value with a digit and a symbol"},
	{isnt: numberLast, why: "a name, because it does not end in a number"},
	{is: wordAndYear, Yes: true, why: "a word and four or more digits"},
	{has: upperFirst | aLower, is: wordAndPair, Yes: true, why: "a word with an uppercase letter, and two or more digits"},
	{has: bothCases | anOther, is: signBehind, Yes: true, why: "uppercase and lowercase letters, then a number and a symbol"},
	{has: bothCases | anOther, is: markedAmid, Yes: true, why: "uppercase and lowercase letters, a number and a symbol not used in names"},
	{why: "a name followed by a number"},
}

// chanceRows are for a key or a token, whoever made it: it is not words.
var chanceRows = Threshold{
	{lacks: of8, why: "too short"},
	{lacks: ALetter, why: "no letters"},
	{is: signHeavy, why: "too many signs"},
	{has: twoOthers, lacks: ADigit, why: "words and symbols"},
	{lacks: ADigit | Of16, why: "a word"},
	{lacks: ADigit | Of24 | anUpper, why: "a word"},
	{lacks: ADigit | Of24 | aLower, why: "a word"},
	{isnt: bitsOfKey, why: "not random"},
	{is: WordLike, why: "words"},
	{is: dotted, why: "a path, a host name or a version"},
	{is: StandIn, why: "a placeholder"},
	{Yes: true, why: "random"},
}

// FirstRows are about what a value is that says where the secret is, or that
// needs nothing more. What they do not fit is judged by its place.
var FirstRows = Threshold{
	{at: OfDigest, is: HexOnly, why: "a password hash"},
	{at: OfPassword | NameLast, off: Bare | Listed | Blank, is: NumberOnly, Yes: true, why: "a numeric password setting"},
	{is: StandIn, why: "a placeholder"},
	{is: Reference, why: "a reference to the secret, or code"},
}

// PasswordRows are for what is called a password.
var PasswordRows = Threshold{
	{lacks: ALetter, why: "no letters"},
	{is: StandIn, why: "a placeholder"},
	{at: Bare, off: Enclosed | Equals, why: "\"pass\" has other meanings too"},
	{is: appPassword, Yes: true, why: "a password in the format that Google and Apple generate"},
	{at: JSONText, has: lowerFirst, Yes: true, why: "data, because labels start with an uppercase letter"},
	{at: Equals | Held, has: Of16 | twoDigits, lacks: anOther, is: HexOnly | bits27, Yes: true, why: "a hexadecimal number passed to a program, so not a hash"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: digest, why: "a password hash"},
	{is: Location, why: "a path, a file or a host name"},

	{at: MayBeCode, has: of10, is: asKey, Yes: true, why: "random"},
	{at: MayBeCode, has: aSign | ADigit, isnt: WordLike, Yes: true, why: "a symbol and a digit, and no words"},
	{at: MayBeCode | Blank | Last, is: asSaidLast, Yes: true, why: "the last word of a sentence"},
	{at: MayBeCode | Blank, off: Last, is: AsSaid, Yes: true, why: "stated in a sentence"},
	{at: MayBeCode, why: "may be an identifier in code"},

	{has: aSign | ADigit, lacks: nameSign, Yes: true, why: "a symbol not used in names, and a digit"},
	{has: aSign | anUpper, lacks: nameSign, Yes: true, why: "a symbol not used in names, and an uppercase letter"},
	{has: of8 | bothCases, lacks: ADigit | threeOthers, isnt: WordLike, Yes: true, why: "uppercase and lowercase letters, and no words"},
	{has: of8 | aSign, lacks: ADigit | threeOthers, isnt: WordLike, Yes: true, why: "a symbol, and no words"},
	{lacks: ADigit, why: "words"},
	{has: nameSign, is: WordLike | passphrase, Yes: true, why: "a passphrase"},
	{has: nameSign | bothCases, is: WordLike, Yes: true, why: "words with uppercase letters, symbols and a digit"},
	{has: nameSign | aSign | lowerFirst, is: WordLike, Yes: true, why: "words, a digit and a symbol not used in names"},
	{has: nameSign | aSign | upperFirst, is: WordLike, Yes: true, why: "words, a digit and a symbol not used in names"},
	{has: nameSign, is: WordLike, why: "a name like input-password2"},
	{has: aSign, Yes: true, why: "a digit and a symbol not used in names"},
	{at: Held, Yes: true, why: "a digit in a literal value"},
	{at: Last, Yes: true, why: "a digit in a value at the end of its line"},
	{isnt: WordLike, Yes: true, why: "a digit, and no words"},
	{why: "words and a digit, possibly code"},
}

// SecretRows are for what is called a token or a secret.
var SecretRows = Threshold{
	{at: Enclosed, is: asKey, Yes: true, why: "random"},
	{has: of10, is: asKey, Yes: true, why: "random"},
	{at: Literal | OfCredential, is: asSaidLast, Yes: true, why: "credentials chosen by a user"},
	{at: Literal | OfSecret, is: madeUp | asSaidLast, Yes: true, why: "a secret chosen by a user"},
	{at: OwnLine | Last | OfCredential, is: madeUp | asSaidLast, Yes: true, why: "credentials made up by a user"},
	{at: OwnLine | Last | OfSecret, is: madeUp | asSaidLast, Yes: true, why: "a secret chosen by a user"},
	{why: "neither random nor like a secret that users choose"},
}

// KeyRows are for what is called a key, or access: most of that is something else.
var KeyRows = Threshold{
	{at: OfKey, Yes: true, why: "random, and named like a key"},
	{lacks: Of16, why: "too short"},
	{at: MayBeCode, why: "may be an identifier in code"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{is: someWords, why: "words"},
	{is: scattered, why: "too many signs"},
	{has: of32, lacks: bothCases, is: HexOnly | Bits30 | asKey, Yes: true, why: "a long hexadecimal number"},
	{is: HexOnly, why: "hexadecimal, but short or not random"},
	{has: bothCases, is: bits36 | asKey, Yes: true, why: "random uppercase and lowercase letters and digits"},
	{why: "not random"},
}

// StrictRows are for values in what is written down, where the name alone decides.
var StrictRows = Threshold{
	{is: variable, why: "a shell variable"},
	{is: Template, why: "a template or a template reference"},
	{is: keyword, why: "a word of a language, not a value"},
	{is: flagLike, why: "a flag"},
	{lacks: ALetter | ADigit, why: "only symbols"},
	{at: OfKey, isnt: asKey, why: "not random"},
	{at: OfCount, lacks: ALetter, why: "a number of tokens"},
	{at: Bare, off: Enclosed | Equals, why: "\"pass\" has other meanings too"},
	{at: MayBeCode, off: Blank | Last, is: codePath, why: "an identifier in code"},
	{at: MayBeCode, off: Blank | Last, is: CodeSigned, why: "code"},
	{at: MayBeCode | Blank, isnt: AsChosen, why: "a word of a sentence"},
	{has: slashFirst, isnt: asKey, why: "a path"},
	{Yes: true, why: "named like a secret"},
}

// SpacedRows are for a word right behind the name of a password, with nothing but a
// blank between them: most such words are only the next ones of a sentence.
var SpacedRows = Threshold{
	{at: PlainText, is: AsChosen, Yes: true, why: "follows a word that means password"},
	{at: Last, isnt: asSaidLast, why: "not like a password that users choose"},
	{off: Last, isnt: AsSaid, why: "not like a password that users choose, or the sentence continues"},
	{off: Last | Opened, lacks: twoDigits | aSign, why: "one digit, and the sentence continues"},
	{off: Opened, lacks: twoDigits | aSign | anOther, why: "letters and one digit"},
	{off: Last, lacks: anUpper | aSign, isnt: passphrase, why: "lowercase letters and digits, and the sentence continues"},
	{off: Opened | Apart | Led | OwnLine, lacks: anUpper | aSign, isnt: passphrase, why: "lowercase letters and digits, and nothing introduces them"},
	{Yes: true, why: "like a password that users choose, directly after a password's name"},
}

// argumentRows are for a quoted text in a place of code where a password is.
var argumentRows = Threshold{
	{isnt: AsChosen, why: "not like a password that users choose"},
	{is: codePath, why: "an identifier in code"},
	{is: ofTests, why: "a typical test value"},
	{Yes: true, why: "like a password that users choose, where code expects one"},
}

// PartedRows are for joe / v, which nothing calls a password.
var PartedRows = Threshold{
	{isnt: asSaidLast, why: "not like a password that users choose"},
	{lacks: threeLetters, why: "a number and its unit"},
	{has: aSign, isnt: equation, Yes: true, why: "a symbol not used in names"},
	{has: bothCases | twoDigits, Yes: true, why: "uppercase and lowercase letters and two digits"},
	{has: bothCases | twoOthers, Yes: true, why: "uppercase and lowercase letters and two symbols"},
	{has: bothCases | ADigit | anOther, Yes: true, why: "uppercase and lowercase letters, a digit and a symbol"},
	{at: UserNear, has: fourDigits, Yes: true, why: "four digits, directly after a user name"},
	{at: UserNear, has: twoDigits, isnt: WordLike, Yes: true, why: "two digits and no words, directly after a user name"},
	{is: passphrase, Yes: true, why: "a passphrase"},
	{why: "inconclusive without a name such as password"},
}
