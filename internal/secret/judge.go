package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// The judgement of values that have no shape: what they are called, where they
// stand and how they look must make up for it. gitleaks calls it generic-api-key.

func (f *finder) lookKeyName(rule, start, end int) { f.lookGeneric(rule, start, end, false) }

func (f *finder) lookPasswordName(rule, start, end int) { f.lookGeneric(rule, start, end, true) }

// lookGeneric looks at the value of a name that speaks of a password, or else of a
// key.
func (f *finder) lookGeneric(rule, start, end int, password bool) {
	if !lex.IsName(f.text[start]) {
		start++ // "assword
	}
	v, ok := f.valueOf(start, end)
	if !ok && !password && (lex.Skip(f.text, end, v.nameTo, func(c byte) bool { return !lex.IsLetter(c) }) < v.nameTo || f.fixed) {
		return // only a name that ends so has its value elsewhere
	}
	level := judgeName(f.text[v.nameFrom:v.nameTo], start-v.nameFrom, end-v.nameFrom)
	if level == strong && lex.IsOneOf(lex.LastWord(f.text[v.nameFrom:v.nameTo]), "tokens secrets apikeys") {
		if ok {
			f.madeInList(rule, lex.Skip(f.text, v.nameTo, min(len(f.text), v.nameTo+4), isCloser))
		}
		return
	}
	if level == mute || ok && f.judge(rule, v, level, end) {
		return
	}
	switch {
	case f.fixed:
	case !password:
		f.lookMade(rule, v, level, ok && v.op != ' ')
	case level == pass:
		f.lookPlaced(rule, v, ok)
	}
}

// judge looks at the value of a name that says so much, and reports whether it
// was noted.
func (f *finder) judge(rule int, v value, level strength, end int) bool {
	if n := len(f.found); n > 0 && f.found[n-1].start == v.from && rules[f.found[n-1].rule].id == rules[rule].id {
		return true // the name has several of the words
	}
	if !f.isGiven(v, level, end) {
		return false
	}
	whole := f.trim(&v)
	l := f.lookOf(v)
	p := v.place(level)
	if level == pass {
		p |= f.nameSays(v, end, l)
		if p&ofDigest == 0 && f.spacedApp(rule, v.from) {
			return true
		}
	}
	if l.text == "" {
		return false
	}
	if r := f.fit(firstRows, p, l); r != nil {
		if r.yes {
			f.add(rule, v.from, v.to)
		}
		return r.yes
	}
	p = f.around(v, p, whole)
	if !f.isSetting(v, p, l) {
		if p&enclosed == 0 && !standsAlone(f.text, v, p) {
			if !f.isFlow(v, p, whole) {
				return false
			}
			p |= last
		}
		if !f.isSecret(v, level, p, l) {
			return level != pass && lex.IsOneOf(lex.LastWord(f.text[v.nameFrom:v.nameTo]), "auth login creds cred credential credentials account") && f.tightPair(rule, saidWord{from: v.from, to: whole})
		}
	}
	f.add(rule, v.from, whole)
	return true
}

// spacedApp notes the password at i if it is one of those with blanks in them.
func (f *finder) spacedApp(rule, i int) bool {
	end := i + len("abcd efgh ijkl mnop")
	if end > len(f.text) || !isAppPassword(f.text[i:end]) || !lex.ClosesWord(f.text, end) {
		return false
	}
	f.add(rule, i, end)
	return true
}

// fit returns the row that decides, and tells whoever wants to know.
func (f *finder) fit(t threshold, p place, l *look) *row {
	r := t.fit(p, l)
	if f.told != nil {
		f.told(l.text, r)
	}
	return r
}

// decide reports whether the row that decides says that the value is a secret.
func (f *finder) decide(t threshold, p place, l *look) bool { return f.fit(t, p, l).yes }

// isGiven reports whether what was read as the value of the name is that, and all
// of it.
func (f *finder) isGiven(v value, level strength, end int) bool {
	switch {
	case v.op == ',' && !v.isFirst(f.text):
		return false
	case v.op == '(' && !lex.IsLastWord(f.text[v.nameFrom:v.nameTo], end-v.nameFrom):
		return false
	case lex.EndsInFold(f.text[v.from:v.to], "..."):
		return false // only its start is there
	}
	between := v.from - v.nameTo
	return level == pass || between <= 8 || between >= 64 || !lex.NamesDigest(f.text[v.nameTo:v.from]) // the key's fingerprint, not the key
}

// trim takes the end of a sentence off a value, and returns where the value ends
// with what was not read of it.
func (f *finder) trim(v *value) int {
	whole := f.whole(*v)
	if v.quote == 0 {
		v.to = lex.Back(f.text, v.to, v.from, isSentenceEnd)
		if c := f.text[max(v.from, whole-1)]; v.to < whole && !v.line && c != '!' && c != '?' && whole-v.from < lex.MaxValue {
			whole = v.to
		}
	}
	if lex.HasFold(f.text[v.from:v.to], "{noop}") { // a prefix of Spring
		v.from += len("{noop}")
	}
	return whole
}

func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// nameSays returns what the name of a password says of a value that looks so.
func (f *finder) nameSays(v value, end int, l *look) (p place) {
	name := f.text[v.nameFrom:v.nameTo]
	if l.is(hexOnly) && lex.NamesDigest(name) {
		p |= ofDigest
	}
	if l.is(numberOnly) && lex.IsLastWord(name, end-v.nameFrom) {
		p |= nameLast
	}
	return p
}

// secretSays returns what the name of a secret says.
func secretSays(name string) place {
	switch word := lex.LastWord(name); {
	case lex.IsOneOf(word, "credential credentials creds"):
		return ofCredential
	case lex.IsOneOf(word, "secret clave") || namesSecretKey(name):
		return ofSecret
	}
	return 0
}

// namesSecretKey reports whether a name ends in secret key.
func namesSecretKey(name string) bool {
	return lex.IsOneOf(lex.LastWord(name), "secretkey") || lex.IsOneOf(lex.LastWord(name), "key") && len(name) > 4 && lex.IsOneOf(lex.LastWord(name[:len(name)-len("key")]), "secret")
}

// isSecret reports whether a value that stands for nothing else is one.
func (f *finder) isSecret(v value, level strength, p place, l *look) bool {
	rows := passwordRows
	switch level {
	case strong:
		rows = secretRows
		p |= secretSays(f.text[v.nameFrom:v.nameTo])
	case weak:
		rows = keyRows
		if l.has&of24 != 0 && p&(held|last) != 0 && l.is(asMade) && f.saysKey(v) {
			p |= ofKey
		}
	}
	return f.decide(rows, p, l)
}

// around returns the place with what the text around it says.
func (f *finder) around(v value, p place, whole int) place {
	s := f.text
	if p&enclosed != 0 {
		return p
	}
	if p&(bare|colon) == bare|colon && (userBefore(s, v.nameFrom) || behindPassFlag(s, v.nameFrom) || p&(ownLine|last) == ownLine|last && userAbove(s, v.nameFrom)) {
		p = p&^bare | last
	}
	if p&(colon|equals) != 0 && isRemark(s, whole) {
		p |= last
	}
	if p&(ofPassword|equals|ownLine|last) == ofPassword|equals|ownLine|last && lex.IsOneOf(lex.FirstWord(s[v.nameTo:v.from]), "for of on to") {
		p = p&^equals | blank
	}
	return p
}

// isSetting reports whether a value is the password of a line of settings.
func (f *finder) isSetting(v value, p place, l *look) bool {
	const assigned = ofPassword | equals | last
	if p&assigned != assigned || p&held != 0 || p&ownLine == 0 && !behindWords(f.text, v.nameFrom) {
		return false
	}
	if p&ownLine == 0 || amongSettings(f.text, v) {
		p |= among
	}
	return f.decide(settingRows, p, l)
}

// isFlow reports whether a value that ends at a bracket is one of a list in YAML,
// {name: joe, password: x}, and no name of code.
func (f *finder) isFlow(v value, p place, end int) bool {
	s := f.text
	switch {
	case end >= len(s) || p&(ofPassword|colon) != ofPassword|colon:
		return false
	case s[end] == ')' && v.nameFrom > 1 && s[v.nameFrom-1] == '(' && lex.IsBlank(s[v.nameFrom-2]):
		p |= inWords
	case s[end] != '}':
		return false
	}
	if userBefore(s, v.nameFrom) {
		p |= userNear
	}
	l := lookAt(s[v.from:end])
	return f.decide(flowRows, p, &l)
}

// isRemark reports whether a remark follows the value that ends at i.
func isRemark(s string, i int) bool {
	k := lex.Skip(s, i, min(len(s), i+4), lex.IsBlank)
	return k > i && k < len(s) && (s[k] == '(' || s[k] == '#' || s[k] == ';' || lex.HasFold(s[k:], "// ") || lex.HasFold(s[k:], "-- ") || lex.HasFold(s[k:], "*/") || lex.HasFold(s[k:], "-->"))
}

// standsAlone reports whether a value without quotes can be a literal: of a
// line of settings, a flag or an address, but not an expression of code.
func standsAlone(s string, v value, p place) bool {
	val := s[v.from:v.to]
	if p&listed != 0 || strings.ContainsAny(val, "([{|\"'`") {
		return false
	}
	if v.to < len(s) && (s[v.to] == ')' || s[v.to] == ']' || s[v.to] == '}' || s[v.to] == '(') {
		return false
	}
	assigned := p&equals != 0 && p&tight == 0
	typed := p&colon != 0 && p&last == 0 && (p&tight == 0 || v.to >= len(s) || s[v.to] != ' ')
	if (assigned || typed) && isPath(val) {
		return false
	}
	return p&angle == 0 || v.nameFrom > 0 && s[v.nameFrom-1] == '<' && lex.IsAlnum(s[v.from])
}
