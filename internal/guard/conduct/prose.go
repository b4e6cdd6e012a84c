package conduct

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A sentence is a piece of a reply that states one thing.
type sentence struct {
	text string // as it was written
	// plain is in lower case, without markup. What is quoted or code is one quote, since
	// it is not the speaker's own word.
	plain string
}

// A lazyRegexp is a regular expression that is compiled when it is first used.
type lazyRegexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

func (l *lazyRegexp) MatchString(s string) bool {
	l.once.Do(func() { l.re = regexp.MustCompile(l.expr) })
	return l.re.MatchString(s)
}

// replyOf is what the agent said last, wherever the event has it.
func replyOf(ev *checkrein.Event) string {
	if ev.Text != "" {
		return ev.Text
	}
	return rawjson.GetText(ev.Detail("final_message"), "content")
}

// maxProse is how much of a reply's end is read.
const maxProse = 256 << 10

// sentences reads what a reply says in its author's own words: blocks of code,
// tables and lines that quote somebody are left out, and what is drafted for
// somebody else too.
func sentences(text string) []sentence {
	var out []sentence
	fence := ""
	text = text[max(0, len(text)-maxProse):]
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		if fence != "" || line == "" || line[0] == '>' || line[0] == '|' {
			continue
		}
		out = appendSentences(out, line)
	}
	return undrafted(out)
}

// fenceOf returns the marks that begin or end a block of code, "" for none.
func fenceOf(line string) string {
	for _, c := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// drafts are sentences behind which something is drafted for somebody else.
var drafts = lazyRegexp{expr: `^(?:dear\b|subject ?:)|\b(?:draft|drafted|template|example|sample|version|wording|caption|something|say|write)\b.*:$`}

// undrafted cuts off what is a draft: what follows "here is a draft:", and all of
// a letter.
func undrafted(all []sentence) []sentence {
	for i := range all {
		if drafts.MatchString(all[i].plain) {
			return all[:i]
		}
	}
	return all
}

// appendSentences splits a line. What is quoted in it does not end a sentence.
func appendSentences(out []sentence, line string) []sentence {
	masked := mask(line)
	from := 0
	for i := 0; i < len(masked); {
		r, n := utf8.DecodeRuneInString(masked[i:])
		i += n
		if !strings.ContainsRune(".!?…", r) {
			continue
		}
		for i < len(masked) && strings.IndexByte(".!?*_)", masked[i]) >= 0 {
			i++
		}
		if i == len(masked) || masked[i] == ' ' || masked[i] >= utf8.RuneSelf {
			out = appendSentence(out, line[from:i], masked[from:i])
			from = i
		}
	}
	return appendSentence(out, line[from:], masked[from:])
}

func appendSentence(out []sentence, text, masked string) []sentence {
	s := sentence{text: strings.TrimSpace(text), plain: plainOf(masked)}
	if strings.Trim(s.plain, "-–—#|.!?… ") == "" {
		if n := len(out); n > 0 && s.text != "" && len(out[n-1].text) < maxQuote {
			out[n-1].text += " " + s.text // a mark behind it
		}
		return out
	}
	return append(out, s)
}

// plainOf returns a masked sentence as expressions read it.
func plainOf(masked string) string {
	masked = strings.NewReplacer("’", "'", "...", "…", "*", "", string(hidden), `"`).Replace(strings.ToLower(masked))
	for strings.Contains(masked, `""`) {
		masked = strings.ReplaceAll(masked, `""`, `"`)
	}
	return strings.TrimLeft(strings.Join(strings.Fields(masked), " "), "-•_✅✔🎉🚀 ")
}

// hidden is in a masked line what nobody is to read.
const hidden = '\x01'

// mask hides what stands in quotes or backquotes, byte for byte.
func mask(line string) string {
	b := []byte(line)
	pairs := [...]struct{ open, close string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}}
	for i := 0; i < len(line); i++ {
		for k, p := range pairs {
			if p.open == "" || !strings.HasPrefix(line[i:], p.open) {
				continue
			}
			n := strings.Index(line[i+len(p.open):], p.close)
			if n < 0 {
				pairs[k].open = "" // nor will there be one further on
				continue
			}
			end := i + len(p.open) + n + len(p.close)
			for ; i < end; i++ {
				b[i] = hidden
			}
			i-- // and on behind it
			break
		}
	}
	return string(b)
}
