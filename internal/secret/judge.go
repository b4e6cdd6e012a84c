package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/value"
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
	if !ok && !password && (lex.Skip(f.text, end, v.NameTo, func(c byte) bool { return !lex.IsLetter(c) }) < v.NameTo || f.fixed) {
		return // only a name that ends so has its value elsewhere
	}
	level := named.JudgeName(f.text[v.NameFrom:v.NameTo], start-v.NameFrom, end-v.NameFrom)
	if level == named.Strong && lex.IsOneOf(lex.LastWord(f.text[v.NameFrom:v.NameTo]), "tokens secrets apikeys") {
		if ok {
			f.madeInList(rule, lex.Skip(f.text, v.NameTo, min(len(f.text), v.NameTo+4), named.IsCloser))
		}
		return
	}
	if level == named.Mute || ok && f.judge(rule, v, level, end) {
		return
	}
	switch {
	case f.fixed:
	case !password:
		f.lookMade(rule, v, level, ok && v.Op != ' ')
	case level == named.Pass:
		f.lookPlaced(rule, v, ok)
	}
}

// judge looks at the value of a name that says so much, and reports whether it
// was noted.
func (f *finder) judge(rule int, v named.Value, level named.Strength, end int) bool {
	if n := len(f.found); n > 0 && f.found[n-1].start == v.From && rules[f.found[n-1].rule].id == rules[rule].id {
		return true // the name has several of the words
	}
	if !f.isGiven(v, level, end) {
		return false
	}
	whole := f.trim(&v)
	l := f.lookOf(v)
	p := v.Place(level)
	if level == named.Pass {
		p |= f.nameSays(v, end, l)
		if p&value.OfDigest == 0 && f.spacedApp(rule, v.From) {
			return true
		}
	}
	if l.Text == "" {
		return false
	}
	if r := f.fit(value.FirstRows, p, l); r != nil {
		if r.Yes {
			f.add(rule, v.From, v.To)
		}
		return r.Yes
	}
	p = f.around(v, p, whole)
	if !f.isSetting(v, p, l) {
		if p&value.Enclosed == 0 && !standsAlone(f.text, v, p) {
			if !f.isFlow(v, p, whole) {
				return false
			}
			p |= value.Last
		}
		if !f.isSecret(v, level, p, l) {
			return level != named.Pass && lex.IsOneOf(lex.LastWord(f.text[v.NameFrom:v.NameTo]), "auth login creds cred credential credentials account") && f.tightPair(rule, saidWord{from: v.From, to: whole})
		}
	}
	f.add(rule, v.From, whole)
	return true
}

// spacedApp notes the password at i if it is one of those with blanks in them.
func (f *finder) spacedApp(rule, i int) bool {
	end := i + len("abcd efgh ijkl mnop")
	if end > len(f.text) || !value.IsAppPassword(f.text[i:end]) || !lex.ClosesWord(f.text, end) {
		return false
	}
	f.add(rule, i, end)
	return true
}

// fit returns the row that decides, and tells whoever wants to know.
func (f *finder) fit(t value.Threshold, p value.Place, l *value.Look) *value.Row {
	r := t.Fit(p, l)
	if f.told != nil {
		f.told(l.Text, r)
	}
	return r
}

// decide reports whether the row that decides says that the value is a secret.
func (f *finder) decide(t value.Threshold, p value.Place, l *value.Look) bool {
	return f.fit(t, p, l).Yes
}

// isGiven reports whether what was read as the value of the name is that, and all
// of it.
func (f *finder) isGiven(v named.Value, level named.Strength, end int) bool {
	switch {
	case v.Op == ',' && !v.IsFirst(f.text):
		return false
	case v.Op == '(' && !lex.IsLastWord(f.text[v.NameFrom:v.NameTo], end-v.NameFrom):
		return false
	case lex.EndsInFold(f.text[v.From:v.To], "..."):
		return false // only its start is there
	}
	between := v.From - v.NameTo
	return level == named.Pass || between <= 8 || between >= 64 || !lex.NamesDigest(f.text[v.NameTo:v.From]) // the key's fingerprint, not the key
}

// trim takes the end of a sentence off a value, and returns where the value ends
// with what was not read of it.
func (f *finder) trim(v *named.Value) int {
	whole := f.whole(*v)
	if v.Quote == 0 {
		v.To = lex.Back(f.text, v.To, v.From, isSentenceEnd)
		if c := f.text[max(v.From, whole-1)]; v.To < whole && !v.Line && c != '!' && c != '?' && whole-v.From < lex.MaxValue {
			whole = v.To
		}
	}
	if lex.HasFold(f.text[v.From:v.To], "{noop}") { // a prefix of Spring
		v.From += len("{noop}")
	}
	return whole
}

func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// nameSays returns what the name of a password says of a value that looks so.
func (f *finder) nameSays(v named.Value, end int, l *value.Look) (p value.Place) {
	name := f.text[v.NameFrom:v.NameTo]
	if l.Is(value.HexOnly) && lex.NamesDigest(name) {
		p |= value.OfDigest
	}
	if l.Is(value.NumberOnly) && lex.IsLastWord(name, end-v.NameFrom) {
		p |= value.NameLast
	}
	return p
}

// secretSays returns what the name of a secret says.
func secretSays(name string) value.Place {
	switch word := lex.LastWord(name); {
	case lex.IsOneOf(word, "credential credentials creds"):
		return value.OfCredential
	case lex.IsOneOf(word, "secret clave") || namesSecretKey(name):
		return value.OfSecret
	}
	return 0
}

// namesSecretKey reports whether a name ends in secret key.
func namesSecretKey(name string) bool {
	return lex.IsOneOf(lex.LastWord(name), "secretkey") || lex.IsOneOf(lex.LastWord(name), "key") && len(name) > 4 && lex.IsOneOf(lex.LastWord(name[:len(name)-len("key")]), "secret")
}

// isSecret reports whether a value that stands for nothing else is one.
func (f *finder) isSecret(v named.Value, level named.Strength, p value.Place, l *value.Look) bool {
	rows := value.PasswordRows
	switch level {
	case named.Strong:
		rows = value.SecretRows
		p |= secretSays(f.text[v.NameFrom:v.NameTo])
	case named.Weak:
		rows = value.KeyRows
		if l.Has&value.Of24 != 0 && p&(value.Held|value.Last) != 0 && l.Is(value.AsMade) && f.saysKey(v) {
			p |= value.OfKey
		}
	}
	return f.decide(rows, p, l)
}

// around returns the place with what the text around it says.
func (f *finder) around(v named.Value, p value.Place, whole int) value.Place {
	s := f.text
	if p&value.Enclosed != 0 {
		return p
	}
	if p&(value.Bare|value.Colon) == value.Bare|value.Colon && (named.UserBefore(s, v.NameFrom) || named.BehindPassFlag(s, v.NameFrom) || p&(value.OwnLine|value.Last) == value.OwnLine|value.Last && userAbove(s, v.NameFrom)) {
		p = p&^value.Bare | value.Last
	}
	if p&(value.Colon|value.Equals) != 0 && isRemark(s, whole) {
		p |= value.Last
	}
	if p&(value.OfPassword|value.Equals|value.OwnLine|value.Last) == value.OfPassword|value.Equals|value.OwnLine|value.Last && lex.IsOneOf(lex.FirstWord(s[v.NameTo:v.From]), "for of on to") {
		p = p&^value.Equals | value.Blank
	}
	return p
}

// isSetting reports whether a value is the password of a line of settings.
func (f *finder) isSetting(v named.Value, p value.Place, l *value.Look) bool {
	const assigned = value.OfPassword | value.Equals | value.Last
	if p&assigned != assigned || p&value.Held != 0 || p&value.OwnLine == 0 && !behindWords(f.text, v.NameFrom) {
		return false
	}
	if p&value.OwnLine == 0 || amongSettings(f.text, v) {
		p |= value.Among
	}
	return f.decide(value.SettingRows, p, l)
}

// isFlow reports whether a value that ends at a bracket is one of a list in YAML,
// {name: joe, password: x}, and no name of code.
func (f *finder) isFlow(v named.Value, p value.Place, end int) bool {
	s := f.text
	switch {
	case end >= len(s) || p&(value.OfPassword|value.Colon) != value.OfPassword|value.Colon:
		return false
	case s[end] == ')' && v.NameFrom > 1 && s[v.NameFrom-1] == '(' && lex.IsBlank(s[v.NameFrom-2]):
		p |= value.InWords
	case s[end] != '}':
		return false
	}
	if named.UserBefore(s, v.NameFrom) {
		p |= value.UserNear
	}
	l := value.LookAt(s[v.From:end])
	return f.decide(value.FlowRows, p, &l)
}

// isRemark reports whether a remark follows the value that ends at i.
func isRemark(s string, i int) bool {
	k := lex.Skip(s, i, min(len(s), i+4), lex.IsBlank)
	return k > i && k < len(s) && (s[k] == '(' || s[k] == '#' || s[k] == ';' || lex.HasFold(s[k:], "// ") || lex.HasFold(s[k:], "-- ") || lex.HasFold(s[k:], "*/") || lex.HasFold(s[k:], "-->"))
}

// standsAlone reports whether a value without quotes can be a literal: of a
// line of settings, a flag or an address, but not an expression of code.
func standsAlone(s string, v named.Value, p value.Place) bool {
	val := s[v.From:v.To]
	if p&value.Listed != 0 || strings.ContainsAny(val, "([{|\"'`") {
		return false
	}
	if v.To < len(s) && (s[v.To] == ')' || s[v.To] == ']' || s[v.To] == '}' || s[v.To] == '(') {
		return false
	}
	assigned := p&value.Equals != 0 && p&value.Tight == 0
	typed := p&value.Colon != 0 && p&value.Last == 0 && (p&value.Tight == 0 || v.To >= len(s) || s[v.To] != ' ')
	if (assigned || typed) && value.IsPath(val) {
		return false
	}
	return p&value.Angle == 0 || v.NameFrom > 0 && s[v.NameFrom-1] == '<' && lex.IsAlnum(s[v.From])
}
