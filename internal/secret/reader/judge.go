package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// The judgement of values that have no shape: what they are called, where they
// stand and how they look must make up for it. gitleaks calls it generic-api-key.

func LookKeyName(f *search.Finder, rule, start, end int) { lookGeneric(f, rule, start, end, false) }

func LookPasswordName(f *search.Finder, rule, start, end int) { lookGeneric(f, rule, start, end, true) }

// lookGeneric looks at the value of a name that speaks of a password, or else of a
// key.
func lookGeneric(f *search.Finder, rule, start, end int, password bool) {
	if !lex.IsName(f.Text[start]) {
		start++ // "assword
	}
	v, ok := f.ValueOf(start, end)
	if !ok && !password && (lex.Skip(f.Text, end, v.NameTo, func(c byte) bool { return !lex.IsLetter(c) }) < v.NameTo || f.Fixed) {
		return // only a name that ends so has its value elsewhere
	}
	level := named.JudgeName(f.Text[v.NameFrom:v.NameTo], start-v.NameFrom, end-v.NameFrom)
	if level == named.Strong && lex.IsOneOf(lex.LastWord(f.Text[v.NameFrom:v.NameTo]), "tokens secrets apikeys") {
		if ok {
			madeInList(f, rule, lex.Skip(f.Text, v.NameTo, min(len(f.Text), v.NameTo+4), named.IsCloser))
		}
		return
	}
	if level == named.Mute || ok && judgeValue(f, rule, v, level, end) {
		return
	}
	switch {
	case f.Fixed:
	case !password:
		lookMade(f, rule, v, level, ok && v.Op != ' ')
	case level == named.Pass:
		lookPlaced(f, rule, v, ok)
	}
}

// judgeValue looks at the value of a name that says so much, and reports whether it
// was noted.
func judgeValue(f *search.Finder, rule int, v named.Value, level named.Strength, end int) bool {
	if n := len(f.Found); n > 0 && f.Found[n-1].Start == v.From && rules.Table[f.Found[n-1].Rule].ID == rules.Table[rule].ID {
		return true // the name has several of the words
	}
	if !isGiven(f, v, level, end) {
		return false
	}
	whole := trimValue(f, &v)
	l := f.LookOf(v)
	p := v.Place(level)
	if level == named.Pass {
		p |= nameSays(f, v, end, l)
	}
	if l.Text == "" {
		return false
	}
	if r := fitRow(f, value.FirstRows, p, l); r != nil {
		if r.Yes {
			f.Add(rule, v.From, v.To)
		}
		return r.Yes
	}
	p = placeAround(f, v, p, whole)
	if !isSettingValue(f, v, p, l) {
		if p&value.Enclosed == 0 && !standsAlone(f.Text, v, p) {
			return false
		}
		if !isSecret(f, v, level, p, l) {
			return false
		}
	}
	f.Add(rule, v.From, whole)
	return true
}

// fitRow returns the row that decides, and tells whoever wants to know.
func fitRow(f *search.Finder, t value.Threshold, p value.Place, l *value.Look) *value.Row {
	r := t.Fit(p, l)
	if f.OnDecision != nil {
		f.OnDecision(l.Text, r)
	}
	return r
}

// decides reports whether the row that decides says that the value is a secret.
func decides(f *search.Finder, t value.Threshold, p value.Place, l *value.Look) bool {
	return fitRow(f, t, p, l).Yes
}

// isGiven reports whether what was read as the value of the name is that, and all
// of it.
func isGiven(f *search.Finder, v named.Value, level named.Strength, end int) bool {
	switch {
	case v.Op == ',' && !v.IsFirst(f.Text):
		return false
	case v.Op == '(' && !lex.IsLastWord(f.Text[v.NameFrom:v.NameTo], end-v.NameFrom):
		return false
	case lex.HasSuffixFold(f.Text[v.From:v.To], "..."):
		return false // only its start is there
	}
	between := v.From - v.NameTo
	return level == named.Pass || between <= 8 || between >= 64 || !lex.NamesDigest(f.Text[v.NameTo:v.From]) // the key's fingerprint, not the key
}

// trimValue takes the end of a sentence off a value, and returns where the value ends
// with what was not read of it.
func trimValue(f *search.Finder, v *named.Value) int {
	whole := f.WholeEnd(*v)
	if v.Quote == 0 {
		v.To = lex.SkipBack(f.Text, v.To, v.From, isSentenceEnd)
		if c := f.Text[max(v.From, whole-1)]; v.To < whole && !v.Line && c != '!' && c != '?' && whole-v.From < lex.MaxValue {
			whole = v.To
		}
	}
	if lex.HasPrefixFold(f.Text[v.From:v.To], "{noop}") { // a prefix of Spring
		v.From += len("{noop}")
	}
	return whole
}

func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// nameSays returns what the name of a password says of a value that looks so.
func nameSays(f *search.Finder, v named.Value, end int, l *value.Look) (p value.Place) {
	name := f.Text[v.NameFrom:v.NameTo]
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
func isSecret(f *search.Finder, v named.Value, level named.Strength, p value.Place, l *value.Look) bool {
	rows := value.PasswordRows
	switch level {
	case named.Strong:
		rows = value.SecretRows
		p |= secretSays(f.Text[v.NameFrom:v.NameTo])
	case named.Weak:
		rows = value.KeyRows
		if l.Has&value.Of24 != 0 && p&(value.Held|value.Last) != 0 && l.Is(value.AsMade) && saysKey(f, v) {
			p |= value.OfKey
		}
	}
	return decides(f, rows, p, l)
}

// placeAround returns the place with what the text around it says.
func placeAround(f *search.Finder, v named.Value, p value.Place, whole int) value.Place {
	s := f.Text
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

// isSettingValue reports whether a value is the password of a line of settings.
func isSettingValue(f *search.Finder, v named.Value, p value.Place, l *value.Look) bool {
	const assigned = value.OfPassword | value.Equals | value.Last
	if p&assigned != assigned || p&value.Held != 0 || p&value.OwnLine == 0 {
		return false
	}
	if amongSettings(f.Text, v) {
		p |= value.Among
	}
	return decides(f, value.SettingRows, p, l)
}

// isRemark reports whether a remark follows the value that ends at i.
func isRemark(s string, i int) bool {
	k := lex.Skip(s, i, min(len(s), i+4), lex.IsBlank)
	return k > i && k < len(s) && (s[k] == '(' || s[k] == '#' || s[k] == ';' || lex.HasPrefixFold(s[k:], "// ") || lex.HasPrefixFold(s[k:], "-- ") || lex.HasPrefixFold(s[k:], "*/") || lex.HasPrefixFold(s[k:], "-->"))
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
