package secret

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
	{is: appPassword, yes: true, why: "a password as Google and Apple make them"},
	{is: template, why: "a template, or a reference in one"},
	{is: variable, why: "a variable of the shell"},
	{is: standIn, why: "a placeholder"},
	{is: weakest, why: "what every program starts with"},
	{has: hyphenFirst | aLower, lacks: aDigit, why: "the next flag"},
	{has: slashFirst, is: dotted, why: "a path"},
	{has: sixDigits, lacks: aLetter | anOther, yes: true, why: "a number of six digits or more"},
	{lacks: aLetter, why: "a short number, or signs"},
	{has: aDigit | anUpper, yes: true, why: "a digit and a capital"},
	{has: aDigit | anOther, yes: true, why: "a digit and a sign"},
	{has: aDigit | of6, yes: true, why: "six bytes, a digit among them"},
	{has: anOther, isnt: wordLike, yes: true, why: "a sign, and no words"},
	{has: twoUppers | twoLowers | of8, isnt: wordLike, yes: true, why: "both cases, and no words"},
	{why: "a plain word"},
}

// chosenRows are for a place where little but a password stands: an argument of a
// login, a cell below the word password. It has more than letters or is no word.
var chosenRows = threshold{
	{lacks: of5, why: "too short"},
	{has: over256, why: "too long"},
	{is: flagLike, why: "a flag"},
	{lacks: aDigit | aSign | twoUppers, isnt: appPassword, why: "a word"},
	{lacks: aDigit | aSign | twoLowers, isnt: appPassword, why: "a word in capitals"},
	{lacks: aDigit | aSign, is: wordLike, isnt: appPassword, why: "words"},
	{is: reference, why: "says where the secret is, or is code"},
	{is: technical, why: "a word of the trade, a version, a date"},
	{is: location, why: "a path, a file, a host"},
	{is: digest, why: "what was made of a password"},
	{is: called, why: "a call"},
	{is: asTyped, yes: true, why: "what somebody would type for a password"},
	{why: "a plain word, a placeholder or a variable"},
}

// saidRows are for a word among other words. The last one of a sentence, or one in
// quotes, has to be less telling.
var saidRows = threshold{
	{lacks: of6, why: "too short"},
	{has: over64, why: "too long"},
	{lacks: aDigit | twoSigns, isnt: jumbled, why: "a word: neither digits nor signs"},
	{off: last, lacks: aDigit | twoSigns, why: "a word, and more follow"},
	{is: codeSigned, why: "has a sign of the code around it"},
	{isnt: asChosen, why: "not what people choose"},
	{has: hyphenFirst, why: "a flag, or the item of a list"},
	{is: codePath, why: "a name of code"},
	{at: last, is: jumbled, yes: true, why: "letters that a program mixed"},
	{has: twoSigns | bothCases | of8, lacks: aDigit, isnt: wordLike, yes: true, why: "two signs and both cases, and no words"},
	{lacks: aDigit, why: "words and signs"},
	{has: twoSigns, yes: true, why: "a digit and two signs"},
	{has: aSign | twoDigits, yes: true, why: "a sign and two digits"},
	{has: aSign | bothCases, yes: true, why: "a sign, a digit and both cases"},
	{has: aSign, why: "one sign and one digit only"},
	{has: twoDigits, is: passphrase, yes: true, why: "a passphrase with a number"},
	{has: bothCases, is: passphrase, yes: true, why: "a passphrase with capitals"},
	{is: passphrase, why: "small words, and one digit only"},
	{has: bothCases | twoDigits, yes: true, why: "both cases and two digits"},
	{has: bothCases | anOther, yes: true, why: "both cases, a digit and a sign"},
	{has: bothCases, isnt: wordNumber, yes: true, why: "both cases and a digit, and more than a word with its number"},
	{has: bothCases, why: "a word and its number"},
	{at: last, has: anUpper | twoDigits, isnt: wordLike, yes: true, why: "capitals and two digits"},
	{has: anUpper, why: "a name in capitals, and its number"},
	{at: last, has: anOther | threeDigits | digitLast, yes: true, why: "words, signs and three digits"},
	{has: anOther, why: "a name like web-01"},
	{has: fourDigits, yes: true, why: "letters and four digits"},
	{at: last, has: twoDigits, yes: true, why: "letters and two digits, and nothing follows"},
	{has: twoDigits | of8, isnt: wordLike, yes: true, why: "two digits and letters that are no words"},
	{why: "letters and few digits"},
}

// madeRows are for a key that a program made by chance: a UUID, a hexadecimal
// number, or letters and digits that are no words.
var madeRows = threshold{
	{lacks: of16, why: "too short"},
	{has: over256, why: "too long"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{lacks: twoLetters, why: "a number"},
	{is: reference, why: "says where the secret is, or is code"},
	{is: standIn, why: "a placeholder"},
	{lacks: bothCases | anOther, is: hexOnly | bits27, yes: true, why: "a hexadecimal number"},
	{lacks: bothCases, is: hexOnly | uuidLong | bits27, yes: true, why: "a UUID"},
	{is: hexOnly, why: "hexadecimal, but not by chance"},
	{is: manySigns, why: "too many signs"},
	{is: thirdWords, why: "words"},
	{is: dotted, why: "a path of names, a host, a version"},
	{is: location, why: "a path, a file, a host"},
	{is: codePath, why: "a name of code"},
	{is: digest, why: "what was made of a password"},
	{is: called, why: "a call"},
	{is: codeSigned, isnt: base64Only, why: "has a sign of the code around it"},
	{has: twoUppers | twoLowers, is: bits32, yes: true, why: "letters of both cases and digits, by chance"},
	{has: twoUppers | twoLowers, why: "letters and digits, but not by chance"},
	{has: of20 | threeDigits, lacks: anOther, is: bits34, yes: true, why: "letters of one case and digits, by chance"},
	{why: "letters and digits, but few or not by chance"},
}

// settingRows are for what a line gives to a password without quotes, password =
// canyon5423: it may be a name of code. Among other settings it is none.
var settingRows = threshold{
	{lacks: aLetter, why: "no letters"},
	{is: technical, why: "a word of the trade, a version, a date"},
	{is: location, why: "a path, a file, a host"},
	{is: digest, why: "what was made of a password"},
	{is: codePath, why: "a name of code"},
	{at: among, has: aSign | bothCases | of8, lacks: aDigit, isnt: wordLike, yes: true, why: "a setting with signs and both cases, and no words"},
	{lacks: aDigit, why: "a name: no digits"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{at: among, has: twoDigits, yes: true, why: "a setting with two digits"},
	{at: among, has: bothCases, yes: true, why: "a setting with a digit and both cases"},
	{at: among, has: aSign, yes: true, why: "a setting with a digit and a sign"},
	{isnt: numberLast, why: "a name: it does not end in a number"},
	{is: wordAndYear, yes: true, why: "a word and four digits or more"},
	{has: upperFirst | aLower, is: wordAndPair, yes: true, why: "a word with a capital, and two digits or more"},
	{has: bothCases | anOther, is: signBehind, yes: true, why: "both cases, a number and a sign behind it"},
	{has: bothCases | anOther, is: markedAmid, yes: true, why: "both cases, a number and a sign that no name has"},
	{why: "a name and its number"},
}

// chanceRows are for a key or a token, whoever made it: it is not words.
var chanceRows = threshold{
	{lacks: of8, why: "too short"},
	{lacks: aLetter, why: "no letters"},
	{is: signHeavy, why: "too many signs"},
	{has: twoOthers, lacks: aDigit, why: "words and signs"},
	{lacks: aDigit | of16, why: "a word"},
	{lacks: aDigit | of24 | anUpper, why: "a word"},
	{lacks: aDigit | of24 | aLower, why: "a word"},
	{isnt: bitsOfKey, why: "not by chance"},
	{is: wordLike, why: "words"},
	{is: dotted, why: "a path of names, a host, a version"},
	{is: standIn, why: "a placeholder"},
	{yes: true, why: "made by chance"},
}

// firstRows are about what a value is that says where the secret is, or that
// needs nothing more. What they do not fit is judged by its place.
var firstRows = threshold{
	{at: ofDigest, is: hexOnly, why: "what was made of a password"},
	{at: ofPassword | nameLast, off: bare | listed | blank, is: numberOnly, yes: true, why: "a number that is given to a password"},
	{is: standIn, why: "a placeholder"},
	{is: reference, isnt: oddStart, why: "says where the secret is, or is code"},
	{off: ofPassword, is: reference, why: "says where the secret is, or is code"},
	{off: literal, is: reference, why: "says where the secret is, or is code"},
	{off: quoted, lacks: starFirst, is: reference, why: "says where the secret is, or is code"},
}

// passwordRows are for what is called a password.
var passwordRows = threshold{
	{lacks: aLetter, why: "no letters"},
	{is: standIn, why: "a placeholder"},
	{at: bare, off: enclosed | equals, why: "pass is a word of other trades as well"},
	{is: appPassword, yes: true, why: "a password as Google and Apple make them"},
	{at: jsonText, has: lowerFirst, yes: true, why: "data: labels start with a capital"},
	{at: equals | held, has: of16 | twoDigits, lacks: anOther, is: hexOnly | bits27, yes: true, why: "a hexadecimal number that a program is given: what was made of a password is in records"},
	{is: technical, why: "a word of the trade, a version, a date"},
	{is: digest, why: "what was made of a password"},
	{is: location, why: "a path, a file, a host"},

	{at: mayBeCode, has: of10, is: asKey, yes: true, why: "made by chance"},
	{at: mayBeCode, has: aSign | aDigit, isnt: wordLike, yes: true, why: "a sign and a digit, and no words"},
	{at: mayBeCode | blank | last, is: asSaidLast, yes: true, why: "a sentence ends with it"},
	{at: mayBeCode | blank, off: last, is: asSaid, yes: true, why: "a sentence says it"},
	{at: mayBeCode, why: "may be a name of code"},

	{has: aSign | aDigit, lacks: nameSign, yes: true, why: "a sign that no name has, and a digit"},
	{has: aSign | anUpper, lacks: nameSign, yes: true, why: "a sign that no name has, and a capital"},
	{has: of8 | bothCases, lacks: aDigit | threeOthers, isnt: wordLike, yes: true, why: "both cases, and no words"},
	{has: of8 | aSign, lacks: aDigit | threeOthers, isnt: wordLike, yes: true, why: "a sign, and no words"},
	{lacks: aDigit, why: "words"},
	{has: nameSign, is: wordLike | passphrase, yes: true, why: "a passphrase"},
	{has: nameSign | bothCases, is: wordLike, yes: true, why: "words with capitals, signs and a digit"},
	{has: nameSign | aSign | lowerFirst, is: wordLike, yes: true, why: "words, a digit and a sign that no name has"},
	{has: nameSign | aSign | upperFirst, is: wordLike, yes: true, why: "words, a digit and a sign that no name has"},
	{has: nameSign, is: wordLike, why: "a name like input-password2"},
	{has: aSign, yes: true, why: "a digit and a sign that no name has"},
	{at: held, yes: true, why: "a digit in a value that is written out"},
	{at: last, yes: true, why: "a digit in a value that ends its line"},
	{isnt: wordLike, yes: true, why: "a digit, and no words"},
	{why: "words and a digit, which may be code"},
}

// secretRows are for what is called a token or a secret.
var secretRows = threshold{
	{at: enclosed, is: asKey, yes: true, why: "made by chance"},
	{has: of10, is: asKey, yes: true, why: "made by chance"},
	{at: literal | ofCredential, is: asSaidLast, yes: true, why: "credentials that somebody chose"},
	{at: literal | ofSecret, is: madeUp | asSaidLast, yes: true, why: "a secret that somebody made up"},
	{at: ownLine | last | ofCredential, is: madeUp | asSaidLast, yes: true, why: "credentials that somebody made up"},
	{at: ownLine | last | ofSecret, is: madeUp | asSaidLast, yes: true, why: "a secret that somebody made up"},
	{why: "neither by chance nor what people choose for a secret"},
}

// keyRows are for what is called a key, or access: most of that is something else.
var keyRows = threshold{
	{at: ofKey, yes: true, why: "made by chance, and the name is that of a key"},
	{lacks: of16, why: "too short"},
	{at: mayBeCode, why: "may be a name of code"},
	{lacks: twoDigits, why: "fewer than two digits"},
	{is: someWords, why: "words"},
	{is: scattered, why: "too many signs"},
	{has: of32, lacks: bothCases, is: hexOnly | bits30 | asKey, yes: true, why: "a long hexadecimal number"},
	{is: hexOnly, why: "hexadecimal, but short or not by chance"},
	{has: bothCases, is: bits36 | asKey, yes: true, why: "letters of both cases and digits, by chance"},
	{why: "not by chance"},
}

// flowRows are for a password that a bracket ends: {name: joe, password: x}.
var flowRows = threshold{
	{isnt: asSaidLast, why: "a name of code"},
	{has: fourDigits, yes: true, why: "four digits"},
	{at: inWords, has: aDigit, yes: true, why: "a text says it in brackets"},
	{at: userNear, has: twoDigits, yes: true, why: "two digits, and a user before it"},
	{has: aSign, yes: true, why: "a sign that no name has"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{why: "a name of code"},
}

// spacedRows are for a word right behind the name of a password, with nothing but a
// blank between them: most such words are only the next ones of a sentence.
var spacedRows = threshold{
	{at: plainText, is: asChosen, yes: true, why: "a word before it says that it is a password"},
	{at: last, isnt: asSaidLast, why: "not what people choose"},
	{off: last, isnt: asSaid, why: "not what people choose, or the sentence goes on"},
	{off: last | opened, lacks: twoDigits | aSign, why: "one digit, and the sentence goes on"},
	{off: opened, lacks: twoDigits | aSign | anOther, why: "letters and one digit"},
	{off: last, lacks: anUpper | aSign, isnt: passphrase, why: "small letters and digits, and the sentence goes on"},
	{off: opened | apart | led | ownLine, lacks: anUpper | aSign, isnt: passphrase, why: "small letters and digits, and nothing leads to them"},
	{yes: true, why: "what people choose, right behind the name of a password"},
}

// argumentRows are for a quoted text in a place of code where a password is.
var argumentRows = threshold{
	{isnt: asChosen, why: "not what people choose"},
	{is: codePath, why: "a name of code"},
	{is: ofTests, why: "what tests have"},
	{yes: true, why: "what people choose, where code has a password"},
}

// partedRows are for joe / v, which nothing calls a password.
var partedRows = threshold{
	{isnt: asSaidLast, why: "not what people choose"},
	{lacks: threeLetters, why: "a number and its unit"},
	{has: aSign, isnt: equation, yes: true, why: "a sign that no name has"},
	{has: bothCases | twoDigits, yes: true, why: "both cases and two digits"},
	{has: bothCases | twoOthers, yes: true, why: "both cases and two signs"},
	{has: bothCases | aDigit | anOther, yes: true, why: "both cases, a digit and a sign"},
	{at: userNear, has: fourDigits, yes: true, why: "four digits, and surely a user before it"},
	{at: userNear, has: twoDigits, isnt: wordLike, yes: true, why: "two digits and no words, and surely a user before it"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{why: "not telling enough without a name"},
}

// pairRows are for joe/v and joe:v near a word like creds.
var pairRows = threshold{
	{isnt: asSaid, why: "not what people choose"},
	{has: aSign, yes: true, why: "a sign that no name has"},
	{has: bothCases, yes: true, why: "both cases"},
	{is: passphrase, yes: true, why: "a passphrase"},
	{at: last, yes: true, why: "nothing follows it"},
	{why: "a path, or a name and its number"},
}
