package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// noMark is inserted after the bracket of a look-alike of a mark in the data. Nothing is removed,
// since a judge must see what it judges.
const noMark = "[no mark]"

// disarmMarks returns text with noMark inserted wherever it looks like a mark of the fence. Because of
// the nonce nothing in it is a mark, but a judge may still take </DATA> or a look-alike for the end.
func disarmMarks(text string) string {
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); {
		size := bracketLen(text[i:])
		if size > 0 && continuesMark(text[i+size:]) {
			out.WriteString(text[from:i+size] + noMark)
			from = i + size
		}
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
	}
	return out.String() + text[from:]
}

// brackets lists spellings and look-alikes of the bracket that opens a mark.
var brackets = [...]string{
	"<", "&lt;", "&lt", "&#60;", "&#x3c;", `\u003c`, `\x3c`, "%3c",
	"＜", "﹤", "‹", "«", "〈", "《", "〈", "⟨", "⟪", "❬", "❮", "❰", "⧼", "˂", "ᐸ", "≺", "⪡", "≪", "⋖", "⊰", "ᚲ", "𝈶", "〱", "く", "\U000e003c",
}

// bracketLen returns the length of the bracket at the beginning of text, or 0 if there is none.
func bracketLen(text string) int {
	switch c := text[0]; {
	case c < utf8.RuneSelf && c != '<' && c != '&' && c != '\\' && c != '%':
		return 0
	}
	for _, b := range brackets {
		if len(text) >= len(b) && strings.EqualFold(text[:len(b)], b) {
			return len(b)
		}
	}
	return 0
}

// continuesMark reports whether text, which follows a bracket, continues like a mark. A shell's `<
// data.csv` and `</data/x` do not.
func continuesMark(text string) bool {
	rest := skipRunes(text, isInvisible)
	if near := skipRunes(text, isInvisibleOrSpace); isSlash(firstRune(near)) {
		rest = skipRunes(near, func(r rune) bool { return isSlash(r) || isInvisibleOrSpace(r) })
	}
	for i, want := range "data" {
		if i > 0 {
			rest = skipRunes(rest, isInvisibleOrSpace)
		}
		r, size := utf8.DecodeRuneInString(rest)
		if toLetter(r) != want {
			return false
		}
		rest = rest[size:]
	}
	rest = skipRunes(rest, isInvisible)
	r := firstRune(rest)
	return rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' && r != '.'
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// skipRunes returns text without the leading characters for which skip returns true.
func skipRunes(text string, skip func(rune) bool) string { return strings.TrimLeftFunc(text, skip) }

// isInvisible reports whether r does not change how a word looks, because it is invisible or combines
// with another character.
func isInvisible(r rune) bool {
	return tagLetter(r) == 0 && (unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || unicode.IsControl(r) && !unicode.IsSpace(r))
}

func isInvisibleOrSpace(r rune) bool {
	return unicode.IsSpace(r) || isInvisible(r) || r == 'ㅤ' || r == '⠀'
}

// isSlash reports whether r is a slash, a backslash or a look-alike of them.
func isSlash(r rune) bool {
	return strings.ContainsRune(`/\／＼⁄∕⧸⧹╱╲∖﹨⟋⟍〳ノ⼃`, r) || tagLetter(r) == '/'
}

// tagLetter returns the ASCII character that r, an invisible tag character, stands for, since models
// may read it. It returns 0 if r is no such character.
func tagLetter(r rune) rune {
	if 0xe0020 <= r && r <= 0xe007e {
		return r - 0xe0000
	}
	return 0
}

// alphabets lists ranges of characters that repeat the Latin alphabet.
var alphabets = [...]struct{ from, to rune }{
	{'Ａ', 'Ｚ'}, {'ａ', 'ｚ'}, // full width
	{'⒜', '⒵'}, {'Ⓐ', 'Ⓩ'}, {'ⓐ', 'ⓩ'},
	{0x1d400, 0x1d6a3},                                                                                 // mathematical: bold, italic, script and so on
	{0x1f110, 0x1f129}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}, {0x1f1e6, 0x1f1ff}, // in circles and squares, and for flags
}

// lookAlikes lists characters that look like the letters of a mark.
var lookAlikes = [...]struct {
	letter rune
	like   string
}{
	{'d', "ďđḋḍḏḑḓðɖɗƌȡᶁᶑԁԂⅾⅮᎠᗞᗪꓓꓒᑯᑼᴅᴆ∂ժძⅆⅅĐÐƉƊꭰ"},
	{'a', "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặªɑɐαάἀἁἂἃἄἅἆἇὰάᾰᾱᾳаӑӓ⍺ᎪᗅᗩꓮᴀꭺΑАᐃΛλ∀Дд4@ẠÅÁÀÂÃÄ"},
	{'t', "ţťŧțṫṭṯṱẗƫʈƭȶτтТΤᎢꓔᴛꭲ⊤⟙⊥†‡七ㄒ丅ҬҭŢŤŦȚƮ7+"},
}

// toLetter returns the lower-case letter that r looks like, or r in lower case if it looks like none.
func toLetter(r rune) rune {
	if t := tagLetter(r); t != 0 {
		r = t
	}
	for _, a := range alphabets {
		if a.from <= r && r <= a.to {
			return 'a' + (r-a.from)%26
		}
	}
	for _, l := range lookAlikes {
		if strings.ContainsRune(l.like, r) {
			return l.letter
		}
	}
	return unicode.ToLower(r)
}
