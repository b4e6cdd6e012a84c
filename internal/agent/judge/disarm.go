package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// noMark follows what opens a look-alike of a mark in the data. Nothing is taken out: a
// judge must see what it judges.
const noMark = "[no mark]"

// disarmed is data in which nothing looks like a mark of the fence. The nonce keeps it from
// being one; a judge may still take </DATA> or its like in other letters for the end.
func disarmed(text string) string {
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); {
		size := bracket(text[i:])
		if size > 0 && marks(text[i+size:]) {
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

// brackets are ways to write the one that opens a mark.
var brackets = [...]string{
	"<", "&lt;", "&lt", "&#60;", "&#x3c;", `\u003c`, `\x3c`, "%3c",
	"＜", "﹤", "‹", "«", "〈", "《", "〈", "⟨", "⟪", "❬", "❮", "❰", "⧼", "˂", "ᐸ", "≺", "⪡", "≪", "⋖", "⊰", "ᚲ", "𝈶", "〱", "く", "\U000e003c",
}

// bracket is the length of a bracket that a text begins with, 0 = none.
func bracket(text string) int {
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

// marks reports whether a text goes on as a mark does behind its bracket. A shell's
// `< data.csv` and `</data/x` do not.
func marks(text string) bool {
	rest := past(text, unseen)
	if near := past(text, unseenOrSpace); slash(first(near)) {
		rest = past(near, func(r rune) bool { return slash(r) || unseenOrSpace(r) })
	}
	for i, want := range "data" {
		if i > 0 {
			rest = past(rest, unseenOrSpace)
		}
		r, size := utf8.DecodeRuneInString(rest)
		if letter(r) != want {
			return false
		}
		rest = rest[size:]
	}
	rest = past(rest, unseen)
	r := first(rest)
	return rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' && r != '.'
}

func first(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func past(text string, skip func(rune) bool) string { return strings.TrimLeftFunc(text, skip) }

// unseen reports whether a character leaves a word as it looks: nothing is seen of it, or
// it only sits on another.
func unseen(r rune) bool {
	return tag(r) == 0 && (unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || unicode.IsControl(r) && !unicode.IsSpace(r))
}

func unseenOrSpace(r rune) bool { return unicode.IsSpace(r) || unseen(r) || r == 'ㅤ' || r == '⠀' }

func slash(r rune) bool {
	return strings.ContainsRune(`/\／＼⁄∕⧸⧹╱╲∖﹨⟋⟍〳ノ⼃`, r) || tag(r) == '/'
}

// tag is the character that an invisible one spells, which models may read; 0 = none.
func tag(r rune) rune {
	if 0xe0020 <= r && r <= 0xe007e {
		return r - 0xe0000
	}
	return 0
}

// alphabets are the Latin one, written in other ways, some of them several times.
var alphabets = [...]struct{ from, to rune }{
	{'Ａ', 'Ｚ'}, {'ａ', 'ｚ'}, // wide
	{'⒜', '⒵'}, {'Ⓐ', 'Ⓩ'}, {'ⓐ', 'ⓩ'},
	{0x1d400, 0x1d6a3},                                                                                 // for mathematics: bold, italic, script …
	{0x1f110, 0x1f129}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}, {0x1f1e6, 0x1f1ff}, // in circles and squares, and of flags
}

// looks are characters of other alphabets that look like the letters of a mark.
var looks = [...]struct {
	letter rune
	like   string
}{
	{'d', "ďđḋḍḏḑḓðɖɗƌȡᶁᶑԁԂⅾⅮᎠᗞᗪꓓꓒᑯᑼᴅᴆ∂ժძⅆⅅĐÐƉƊꭰ"},
	{'a', "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặªɑɐαάἀἁἂἃἄἅἆἇὰάᾰᾱᾳаӑӓ⍺ᎪᗅᗩꓮᴀꭺΑАᐃΛλ∀Дд4@ẠÅÁÀÂÃÄ"},
	{'t', "ţťŧțṫṭṯṱẗƫʈƭȶτтТΤᎢꓔᴛꭲ⊤⟙⊥†‡七ㄒ丅ҬҭŢŤŦȚƮ7+"},
}

// letter is the letter of a mark that a character looks like, or the character itself.
func letter(r rune) rune {
	if t := tag(r); t != 0 {
		r = t
	}
	for _, a := range alphabets {
		if a.from <= r && r <= a.to {
			return 'a' + (r-a.from)%26
		}
	}
	for _, l := range looks {
		if strings.ContainsRune(l.like, r) {
			return l.letter
		}
	}
	return unicode.ToLower(r)
}
