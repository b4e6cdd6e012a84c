package secret

import "strings"

// A value without a shape is judged by where it was met and how it looks: the less
// the place says, the more the value has to. What has to be so at a kind of place
// is a threshold, and the first row that fits decides.

// row is one reason to take a value for a secret, or not to. It fits a value that
// is at all of its places and off the others, has all of its kinds and lacks the
// others, and is all of its traits and none of the others.
type row struct {
	at, off    place
	has, lacks kinds
	is, isnt   trait
	yes        bool // it is a secret
	why        string
}

// threshold is what a value has to be. Its last row fits every value.
type threshold []row

// thresholdOf returns the threshold that a trait stands for, and where it is.
func thresholdOf(t trait) (threshold, place) {
	switch t {
	case asTyped:
		return typedRows, 0
	case asChosen:
		return chosenRows, 0
	case asArgument:
		return argumentRows, 0
	case asMade:
		return madeRows, 0
	case asKey:
		return chanceRows, 0
	case asSaid:
		return saidRows, 0
	}
	return saidRows, last // asSaidLast
}

// Reason returns why the row decides about a value, and what decided about the
// threshold that it asks for.
func (r *row) Reason(val string) string {
	if r == nil {
		return "its place has to tell"
	}
	said := r.why
	if r.yes {
		said = "a secret: " + said
	}
	for t := firstBar; t <= asSaidLast; t <<= 1 {
		if (r.is|r.isnt)&t == 0 {
			continue
		}
		l := lookAt(val)
		rows, at := thresholdOf(t)
		if inner := rows.fit(at, &l); inner == nil || !inner.yes {
			said += " (" + strings.TrimPrefix(inner.Reason(val), "a secret: ") + ")"
		}
	}
	return said
}

// decide reports whether the value, met at p, is a secret.
func (t threshold) decide(p place, l *look) bool { return t.fit(p, l).yes }

// fit returns the row that decides; nil if firstRows have none.
func (t threshold) fit(p place, l *look) *row {
	for i := range t {
		r := &t[i]
		if p&r.at == r.at && p&r.off == 0 && l.has&r.has == r.has && l.has&r.lacks == 0 && (r.is == 0 || l.is(r.is)) && (r.isnt == 0 || !l.isAny(r.isnt)) {
			return r
		}
	}
	return nil
}

// typedRows are for what stands where a program expects a password: behind a flag,
// in a header. It may be weak, but not a plain word.
var typedRows = threshold{
	{is: appPassword, yes: true, why: "a password in the format that Google and Apple generate"},
	{is: template, why: "a template or a template reference"},
	{is: variable, why: "a shell variable"},
	{is: standIn, why: "a placeholder"},
	{is: weakest, why: "a well-known default password"},
	{has: hyphenFirst | aLower, lacks: aDigit, why: "the next flag"},
	{has: slashFirst, is: dotted, why: "a path"},
	{has: sixDigits, lacks: aLetter | anOther, yes: true, why: "a number of six digits or more"},
	{lacks: aLetter, why: "a short number, or only symbols"},
	{has: aDigit | anUpper, yes: true, why: "a digit and an uppercase letter"},
	{has: aDigit | anOther, yes: true, why: "a digit and a symbol"},
	{has: aDigit | of6, yes: true, why: "six characters with a digit"},
	{has: anOther, isnt: wordLike, yes: true, why: "a symbol, and no words"},
	{has: twoUppers | twoLowers | of8, isnt: wordLike, yes: true, why: "uppercase and lowercase letters, and no words"},
	{why: "a plain word"},
}

// chosenRows are for a place where little but a password stands: an argument of a
// login, a cell below the word password. It has more than letters or is no word.
var chosenRows = threshold{
	{lacks: of5, why: "too short"},
	{has: over256, why: "too long"},
	{is: flagLike, why: "a flag"},
	{lacks: aDigit | aSign | twoUppers, isnt: appPassword, why: "a word"},
	{lacks: aDigit | aSign | twoLowers, isnt: appPassword, why: "an uppercase word"},
	{lacks: aDigit | aSign, is: wordLike, isnt: appPassword, why: "words"},
	{is: reference, why: "a reference to the secret, or code"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: location, why: "a path, a file or a host name"},
	{is: digest, why: "a password hash"},
	{is: called, why: "a call"},
	{is: asTyped, yes: true, why: "looks like a password that a user would type"},
	{why: "a plain word, a placeholder or a variable name"},
}

// saidRows are for a word among other words. The last one of a sentence, or one in
// quotes, has to be less telling.
var saidRows = threshold{
	{lacks: of6, why: "too short"},
	{has: over64, why: "too long"},
	{lacks: aDigit | twoSigns, isnt: jumbled, why: "a word without digits or symbols"},
	{off: last, lacks: aDigit | twoSigns, why: "a word followed by more words"},
	{is: codeSigned, why: "contains symbols from the surrounding code"},
	{isnt: asChosen, why: "not like a password that users choose"},
	{has: hyphenFirst, why: "an option or a list item"},
	{is: codePath, why: "an identifier in code"},
	{at: last, is: jumbled, yes: true, why: "random-looking letters"},
	{has: twoSigns | bothCases | of8, lacks: aDigit, isnt: wordLike, yes: true, why: "two symbols, uppercase and lowercase letters, and no words"},
	{lacks: aDigit, why: "words and symbols"},
	{has: twoSigns, yes: true, why: "a digit and two symbols"},
	{has: aSign | twoDigits, yes: true, why: "a symbol and two digits"},
	{has: aSign | bothCases, yes: true, why: "a symbol, a digit, and uppercase and lowercase letters"},
	{has: aSign, why: "only one symbol and one digit"},
	{has: twoDigits, is: passphrase, yes: true, why: "a passphrase with a number"},
	{has: bothCases, is: passphrase, yes: true, why: "a passphrase with uppercase letters"},
	{is: passphrase, why: "lowercase words and only one digit"},
	{has: bothCases | twoDigits, yes: true, why: "uppercase and lowercase letters and two digits"},
	{has: bothCases | anOther, yes: true, why: "uppercase and lowercase letters, a digit and a symbol"},
	{has: bothCases, isnt: wordNumber, yes: true, why: "uppercase and lowercase letters and a digit, but not just a word and a number"},
	{has: bothCases, why: "a word followed by a number"},
	{at: last, has: anUpper | twoDigits, isnt: wordLike, yes: true, why: "uppercase letters and two digits"},
	{has: anUpper, why: "an uppercase name followed by a number"},
	{at: last, has: anOther | threeDigits | digitLast, yes: true, why: "words, symbols and three digits"},
	{has: anOther, why: "a name like web-01"},
	{has: fourDigits, yes: true, why: "letters and four digits"},
	{at: last, has: twoDigits, yes: true, why: "letters and two digits, and nothing follows"},
	{has: twoDigits | of8, isnt: wordLike, yes: true, why: "two digits and letters that are not words"},
	{why: "letters and few digits"},
}

// madeRows are for a key that a program made by chance: a UUID, a hexadecimal
// number, or letters and digits that are no words.
var madeRows = threshold{
	{lacks: of16, why: "too short"},
	{has: over256, why: "too long"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{lacks: twoLetters, why: "a number"},
	{is: reference, why: "a reference to the secret, or code"},
	{is: standIn, why: "a placeholder"},
	{lacks: bothCases | anOther, is: hexOnly | bits27, yes: true, why: "a hexadecimal number"},
	{lacks: bothCases, is: hexOnly | uuidLong | bits27, yes: true, why: "a UUID"},
	{is: hexOnly, why: "hexadecimal, but not random"},
	{is: manySigns, why: "too many signs"},
	{is: thirdWords, why: "words"},
	{is: dotted, why: "a path, a host name or a version"},
	{is: location, why: "a path, a file or a host name"},
	{is: codePath, why: "an identifier in code"},
	{is: digest, why: "a password hash"},
	{is: called, why: "a call"},
	{is: codeSigned, isnt: base64Only, why: "contains symbols from the surrounding code"},
	{has: twoUppers | twoLowers, is: bits32, yes: true, why: "random uppercase and lowercase letters and digits"},
	{has: twoUppers | twoLowers, why: "letters and digits, but not random"},
	{has: of20 | threeDigits, lacks: anOther, is: bits34, yes: true, why: "random letters of one case and digits"},
	{why: "letters and digits, but too few or not random"},
}

// settingRows are for what a line gives to a password without quotes, password =
// canyon5423: it may be a name of code. Among other settings it is none.
var settingRows = threshold{
	{lacks: aLetter, why: "no letters"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: location, why: "a path, a file or a host name"},
	{is: digest, why: "a password hash"},
	{is: codePath, why: "an identifier in code"},
	{at: among, has: aSign | bothCases | of8, lacks: aDigit, isnt: wordLike, yes: true, why: "a setting's value with symbols, uppercase and lowercase letters, and no words"},
	{lacks: aDigit, why: "a name, because it has no digits"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{at: among, has: twoDigits, yes: true, why: "a setting's value with two digits"},
	{at: among, has: bothCases, yes: true, why: "a setting's value with a digit, and uppercase and lowercase letters"},
	{at: among, has: aSign, yes: true, why: "a setting's value with a digit and a symbol"},
	{isnt: numberLast, why: "a name, because it does not end in a number"},
	{is: wordAndYear, yes: true, why: "a word and four or more digits"},
	{has: upperFirst | aLower, is: wordAndPair, yes: true, why: "a word with an uppercase letter, and two or more digits"},
	{has: bothCases | anOther, is: signBehind, yes: true, why: "uppercase and lowercase letters, then a number and a symbol"},
	{has: bothCases | anOther, is: markedAmid, yes: true, why: "uppercase and lowercase letters, a number and a symbol not used in names"},
	{why: "a name followed by a number"},
}

// chanceRows are for a key or a token, whoever made it: it is not words.
var chanceRows = threshold{
	{lacks: of8, why: "too short"},
	{lacks: aLetter, why: "no letters"},
	{is: signHeavy, why: "too many signs"},
	{has: twoOthers, lacks: aDigit, why: "words and symbols"},
	{lacks: aDigit | of16, why: "a word"},
	{lacks: aDigit | of24 | anUpper, why: "a word"},
	{lacks: aDigit | of24 | aLower, why: "a word"},
	{isnt: bitsOfKey, why: "not random"},
	{is: wordLike, why: "words"},
	{is: dotted, why: "a path, a host name or a version"},
	{is: standIn, why: "a placeholder"},
	{yes: true, why: "random"},
}

// firstRows are about what a value is that says where the secret is, or that
// needs nothing more. What they do not fit is judged by its place.
var firstRows = threshold{
	{at: ofDigest, is: hexOnly, why: "a password hash"},
	{at: ofPassword | nameLast, off: bare | listed | blank, is: numberOnly, yes: true, why: "a numeric password setting"},
	{is: standIn, why: "a placeholder"},
	{is: reference, isnt: oddStart, why: "a reference to the secret, or code"},
	{off: ofPassword, is: reference, why: "a reference to the secret, or code"},
	{off: literal, is: reference, why: "a reference to the secret, or code"},
	{off: quoted, lacks: starFirst, is: reference, why: "a reference to the secret, or code"},
}

// passwordRows are for what is called a password.
var passwordRows = threshold{
	{lacks: aLetter, why: "no letters"},
	{is: standIn, why: "a placeholder"},
	{at: bare, off: enclosed | equals, why: "\"pass\" has other meanings too"},
	{is: appPassword, yes: true, why: "a password in the format that Google and Apple generate"},
	{at: jsonText, has: lowerFirst, yes: true, why: "data, because labels start with an uppercase letter"},
	{at: equals | held, has: of16 | twoDigits, lacks: anOther, is: hexOnly | bits27, yes: true, why: "a hexadecimal number passed to a program, so not a hash"},
	{is: technical, why: "a technical term, a version or a date"},
	{is: digest, why: "a password hash"},
	{is: location, why: "a path, a file or a host name"},

	{at: mayBeCode, has: of10, is: asKey, yes: true, why: "random"},
	{at: mayBeCode, has: aSign | aDigit, isnt: wordLike, yes: true, why: "a symbol and a digit, and no words"},
	{at: mayBeCode | blank | last, is: asSaidLast, yes: true, why: "the last word of a sentence"},
	{at: mayBeCode | blank, off: last, is: asSaid, yes: true, why: "stated in a sentence"},
	{at: mayBeCode, why: "may be an identifier in code"},

	{has: aSign | aDigit, lacks: nameSign, yes: true, why: "a symbol not used in names, and a digit"},
	{has: aSign | anUpper, lacks: nameSign, yes: true, why: "a symbol not used in names, and an uppercase letter"},
	{has: of8 | bothCases, lacks: aDigit | threeOthers, isnt: wordLike, yes: true, why: "uppercase and lowercase letters, and no words"},
	{has: of8 | aSign, lacks: aDigit | threeOthers, isnt: wordLike, yes: true, why: "a symbol, and no words"},
	{lacks: aDigit, why: "words"},
	{has: nameSign, is: wordLike | passphrase, yes: true, why: "a passphrase"},
	{has: nameSign | bothCases, is: wordLike, yes: true, why: "words with uppercase letters, symbols and a digit"},
	{has: nameSign | aSign | lowerFirst, is: wordLike, yes: true, why: "words, a digit and a symbol not used in names"},
	{has: nameSign | aSign | upperFirst, is: wordLike, yes: true, why: "words, a digit and a symbol not used in names"},
	{has: nameSign, is: wordLike, why: "a name like input-password2"},
	{has: aSign, yes: true, why: "a digit and a symbol not used in names"},
	{at: held, yes: true, why: "a digit in a literal value"},
	{at: last, yes: true, why: "a digit in a value at the end of its line"},
	{isnt: wordLike, yes: true, why: "a digit, and no words"},
	{why: "words and a digit, possibly code"},
}

// secretRows are for what is called a token or a secret.
var secretRows = threshold{
	{at: enclosed, is: asKey, yes: true, why: "random"},
	{has: of10, is: asKey, yes: true, why: "random"},
	{at: literal | ofCredential, is: asSaidLast, yes: true, why: "credentials chosen by a user"},
	{at: literal | ofSecret, is: madeUp | asSaidLast, yes: true, why: "a secret chosen by a user"},
	{at: ownLine | last | ofCredential, is: madeUp | asSaidLast, yes: true, why: "credentials made up by a user"},
	{at: ownLine | last | ofSecret, is: madeUp | asSaidLast, yes: true, why: "a secret chosen by a user"},
	{why: "neither random nor like a secret that users choose"},
}

// keyRows are for what is called a key, or access: most of that is something else.
var keyRows = threshold{
	{at: ofKey, yes: true, why: "random, and named like a key"},
	{lacks: of16, why: "too short"},
	{at: mayBeCode, why: "may be an identifier in code"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{is: someWords, why: "words"},
	{is: scattered, why: "too many signs"},
	{has: of32, lacks: bothCases, is: hexOnly | bits30 | asKey, yes: true, why: "a long hexadecimal number"},
	{is: hexOnly, why: "hexadecimal, but short or not random"},
	{has: bothCases, is: bits36 | asKey, yes: true, why: "random uppercase and lowercase letters and digits"},
	{why: "not random"},
}

// flowRows are for a password that a bracket ends: {name: joe, password: x}.
var flowRows = threshold{
	{isnt: asSaidLast, why: "an identifier in code"},
	{has: fourDigits, yes: true, why: "four digits"},
	{at: inWords, has: aDigit, yes: true, why: "stated in brackets"},
	{at: userNear, has: twoDigits, yes: true, why: "two digits, after a user name"},
	{has: aSign, yes: true, why: "a symbol not used in names"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{why: "an identifier in code"},
}

// spacedRows are for a word right behind the name of a password, with nothing but a
// blank between them: most such words are only the next ones of a sentence.
var spacedRows = threshold{
	{at: plainText, is: asChosen, yes: true, why: "follows a word that means password"},
	{at: last, isnt: asSaidLast, why: "not like a password that users choose"},
	{off: last, isnt: asSaid, why: "not like a password that users choose, or the sentence continues"},
	{off: last | opened, lacks: twoDigits | aSign, why: "one digit, and the sentence continues"},
	{off: opened, lacks: twoDigits | aSign | anOther, why: "letters and one digit"},
	{off: last, lacks: anUpper | aSign, isnt: passphrase, why: "lowercase letters and digits, and the sentence continues"},
	{off: opened | apart | led | ownLine, lacks: anUpper | aSign, isnt: passphrase, why: "lowercase letters and digits, and nothing introduces them"},
	{yes: true, why: "like a password that users choose, directly after a password's name"},
}

// argumentRows are for a quoted text in a place of code where a password is.
var argumentRows = threshold{
	{isnt: asChosen, why: "not like a password that users choose"},
	{is: codePath, why: "an identifier in code"},
	{is: ofTests, why: "a typical test value"},
	{yes: true, why: "like a password that users choose, where code expects one"},
}

// partedRows are for joe / v, which nothing calls a password.
var partedRows = threshold{
	{isnt: asSaidLast, why: "not like a password that users choose"},
	{lacks: threeLetters, why: "a number and its unit"},
	{has: aSign, isnt: equation, yes: true, why: "a symbol not used in names"},
	{has: bothCases | twoDigits, yes: true, why: "uppercase and lowercase letters and two digits"},
	{has: bothCases | twoOthers, yes: true, why: "uppercase and lowercase letters and two symbols"},
	{has: bothCases | aDigit | anOther, yes: true, why: "uppercase and lowercase letters, a digit and a symbol"},
	{at: userNear, has: fourDigits, yes: true, why: "four digits, directly after a user name"},
	{at: userNear, has: twoDigits, isnt: wordLike, yes: true, why: "two digits and no words, directly after a user name"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{why: "inconclusive without a name such as password"},
}

// pairRows are for joe/v and joe:v near a word like creds.
var pairRows = threshold{
	{isnt: asSaid, why: "not like a password that users choose"},
	{has: aSign, yes: true, why: "a symbol not used in names"},
	{has: bothCases, yes: true, why: "uppercase and lowercase letters"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{at: last, yes: true, why: "at the end of the line"},
	{why: "a path, or a name followed by a number"},
}
