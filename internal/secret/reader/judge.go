package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file judges values without a recognisable form, by their names, their places and
// how they look. The corresponding rule of gitleaks is generic-api-key.

// FindNamedKey finds the value of a name that suggests a key.
func FindNamedKey(f *search.Finder, rule, start, end int) { findNamedValue(f, rule, start, end, false) }

// FindNamedPassword finds the value of a name that suggests a password.
func FindNamedPassword(f *search.Finder, rule, start, end int) {
	findNamedValue(f, rule, start, end, true)
}

// findNamedValue finds the value of a name that suggests a password, or a key if password is not set.
func findNamedValue(f *search.Finder, rule, start, end int, password bool) {
	if !lex.IsNameByte(f.Text[start]) {
		start++ // "assword
	}
	v, ok := f.NamedValue(start, end)
	if !ok && !password && (lex.Skip(f.Text, end, v.NameTo, func(c byte) bool { return !lex.IsLetter(c) }) < v.NameTo || f.Fixed) {
		return // only a name that ends with the anchor may have its value elsewhere
	}
	level := named.JudgeName(f.Text[v.NameFrom:v.NameTo], start-v.NameFrom, end-v.NameFrom)
	if level == named.Strong && lex.IsOneOf(lex.LastWord(f.Text[v.NameFrom:v.NameTo]), "tokens secrets apikeys") {
		if ok {
			addListedKeys(f, rule, lex.Skip(f.Text, v.NameTo, min(len(f.Text), v.NameTo+4), named.IsCloser))
		}
		return
	}
	if level == named.Mute || ok && addNamedValue(f, rule, v, level, end) {
		return
	}
	switch {
	case f.Fixed:
	case !password:
		findKeyNear(f, rule, v, level, ok && v.Op != ' ')
	case level == named.Pass:
		findPasswordNear(f, rule, v, ok)
	}
}

// addNamedValue adds v if it is a secret, given that its name has the strength level. It reports
// whether v was added, now or for an earlier anchor in the same name.
func addNamedValue(f *search.Finder, rule int, v named.Value, level named.Strength, end int) bool {
	if n := len(f.Found); n > 0 && f.Found[n-1].Start == v.From && rules.Table[f.Found[n-1].Rule].ID == rules.Table[rule].ID {
		return true // the name contains several anchors
	}
	if !isWholeValue(f, v, level, end) {
		return false
	}
	whole := trimValue(f, &v)
	l := f.Look(v)
	p := v.Place(level)
	if level == named.Pass {
		p |= passwordNamePlaces(f, v, end, l)
	}
	if l.Text == "" {
		return false
	}
	if r := matchRow(f, value.FirstRows, p, l); r != nil {
		if r.Yes {
			f.Add(rule, v.From, v.To)
		}
		return r.Yes
	}
	p = addContextPlaces(f, v, p, whole)
	if !isSecretSetting(f, v, p, l) {
		if p&value.Enclosed == 0 && !mayBeLiteral(f.Text, v, p) {
			return false
		}
		if !isSecretValue(f, v, level, p, l) {
			return false
		}
	}
	f.Add(rule, v.From, whole)
	return true
}

// matchRow returns the row of t that decides about l at place p, and passes it to f.OnDecision. It
// returns nil if no row matches.
func matchRow(f *search.Finder, t value.Threshold, p value.Place, l *value.Look) *value.Row {
	r := t.Match(p, l)
	if f.OnDecision != nil {
		f.OnDecision(l.Text, r)
	}
	return r
}

// isSecretByRows reports whether the rows of t decide that l at place p is a secret. The last row of t
// must match everything.
func isSecretByRows(f *search.Finder, t value.Threshold, p value.Place, l *value.Look) bool {
	return matchRow(f, t, p, l).Yes
}

// isWholeValue reports whether v is the complete value of the name: not a later argument, a prefix
// that ends in dots, or a digest of the value.
func isWholeValue(f *search.Finder, v named.Value, level named.Strength, end int) bool {
	switch {
	case v.Op == ',' && !v.IsFirstArgument(f.Text):
		return false
	case v.Op == '(' && !lex.IsLastWord(f.Text[v.NameFrom:v.NameTo], end-v.NameFrom):
		return false
	case lex.HasSuffixFold(f.Text[v.From:v.To], "..."):
		return false // truncated
	}
	between := v.From - v.NameTo
	return level == named.Pass || between <= 8 || between >= 64 || !lex.NamesDigest(f.Text[v.NameTo:v.From]) // the key's fingerprint, not the key
}

// trimValue removes punctuation that ends a sentence from v, and a {noop} prefix. It returns where the
// value ends including the part beyond the limit of what was read.
func trimValue(f *search.Finder, v *named.Value) int {
	whole := f.WholeEnd(*v)
	if v.Quote == 0 {
		v.To = lex.SkipBack(f.Text, v.To, v.From, isSentenceEnd)
		if c := f.Text[max(v.From, whole-1)]; v.To < whole && !v.Line && c != '!' && c != '?' && whole-v.From < lex.MaxValue {
			whole = v.To
		}
	}
	if lex.HasPrefixFold(f.Text[v.From:v.To], "{noop}") { // Spring's prefix for plain-text passwords
		v.From += len("{noop}")
	}
	return whole
}

// isSentenceEnd reports whether c may end a sentence.
func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// passwordNamePlaces returns what the name of a password suggests about a value that looks like l. The
// anchor in the name ends at end.
func passwordNamePlaces(f *search.Finder, v named.Value, end int, l *value.Look) (p value.Place) {
	name := f.Text[v.NameFrom:v.NameTo]
	if l.Is(value.HexOnly) && lex.NamesDigest(name) {
		p |= value.OfDigest
	}
	if l.Is(value.NumberOnly) && lex.IsLastWord(name, end-v.NameFrom) {
		p |= value.NameLast
	}
	return p
}

// secretNamePlaces returns what the name of a secret suggests about its value, or 0.
func secretNamePlaces(name string) value.Place {
	switch word := lex.LastWord(name); {
	case lex.IsOneOf(word, "credential credentials creds"):
		return value.OfCredential
	case lex.IsOneOf(word, "secret clave") || namesSecretKey(name):
		return value.OfSecret
	}
	return 0
}

// namesSecretKey reports whether name ends with the words secret key, in any spelling.
func namesSecretKey(name string) bool {
	return lex.IsOneOf(lex.LastWord(name), "secretkey") || lex.IsOneOf(lex.LastWord(name), "key") && len(name) > 4 && lex.IsOneOf(lex.LastWord(name[:len(name)-len("key")]), "secret")
}

// isSecretValue reports whether l, the value of a name with the strength level, is a secret.
func isSecretValue(f *search.Finder, v named.Value, level named.Strength, p value.Place, l *value.Look) bool {
	rows := value.PasswordRows
	switch level {
	case named.Strong:
		rows = value.SecretRows
		p |= secretNamePlaces(f.Text[v.NameFrom:v.NameTo])
	case named.Weak:
		rows = value.KeyRows
		if l.Has&value.Of24 != 0 && p&(value.Held|value.Last) != 0 && l.Is(value.AsMade) && namesQualifiedKey(f, v) {
			p |= value.OfKey
		}
	}
	return isSecretByRows(f, rows, p, l)
}

// addContextPlaces returns p adjusted by what the text around v suggests. The parameter valueEnd is
// the end of the whole value.
func addContextPlaces(f *search.Finder, v named.Value, p value.Place, valueEnd int) value.Place {
	s := f.Text
	if p&value.Enclosed != 0 {
		return p
	}
	if p&(value.Bare|value.Colon) == value.Bare|value.Colon && (named.HasUserBefore(s, v.NameFrom) || named.FollowsPassFlag(s, v.NameFrom) || p&(value.OwnLine|value.Last) == value.OwnLine|value.Last && hasUserAbove(s, v.NameFrom)) {
		p = p&^value.Bare | value.Last
	}
	if p&(value.Colon|value.Equals) != 0 && commentFollows(s, valueEnd) {
		p |= value.Last
	}
	if p&(value.OfPassword|value.Equals|value.OwnLine|value.Last) == value.OfPassword|value.Equals|value.OwnLine|value.Last && lex.IsOneOf(lex.FirstWord(s[v.NameTo:v.From]), "for of on to") {
		p = p&^value.Equals | value.Blank
	}
	return p
}

// isSecretSetting reports whether l is a password that is assigned on a line of its own, as in
// settings files.
func isSecretSetting(f *search.Finder, v named.Value, p value.Place, l *value.Look) bool {
	const assigned = value.OfPassword | value.Equals | value.Last
	if p&assigned != assigned || p&value.Held != 0 || p&value.OwnLine == 0 {
		return false
	}
	if isAmongSettings(f.Text, v) {
		p |= value.Among
	}
	return isSecretByRows(f, value.SettingRows, p, l)
}

// commentFollows reports whether a comment or a parenthesis follows the value that ends at i.
func commentFollows(s string, i int) bool {
	k := lex.Skip(s, i, min(len(s), i+4), lex.IsBlank)
	return k > i && k < len(s) && (s[k] == '(' || s[k] == '#' || s[k] == ';' || lex.HasPrefixFold(s[k:], "// ") || lex.HasPrefixFold(s[k:], "-- ") || lex.HasPrefixFold(s[k:], "*/") || lex.HasPrefixFold(s[k:], "-->"))
}

// mayBeLiteral reports whether v, which has no quotes, can be a literal as in settings, flags and
// URLs. Otherwise it is an expression in code.
func mayBeLiteral(s string, v named.Value, p value.Place) bool {
	val := s[v.From:v.To]
	if p&value.Listed != 0 || strings.ContainsAny(val, "([{|\"'`") {
		return false
	}
	if v.To < len(s) && (s[v.To] == ')' || s[v.To] == ']' || s[v.To] == '}' || s[v.To] == '(') {
		return false
	}
	assigned := p&value.Equals != 0 && p&value.Tight == 0
	typed := p&value.Colon != 0 && p&value.Last == 0 && (p&value.Tight == 0 || v.To >= len(s) || s[v.To] != ' ')
	if (assigned || typed) && value.IsCodeName(val) {
		return false
	}
	return p&value.Angle == 0 || v.NameFrom > 0 && s[v.NameFrom-1] == '<' && lex.IsAlnum(s[v.From])
}
