package code

import (
	"strconv"
	"strings"
)

// assigns is a value given to a part of a thing, where that does something.
func (r *reader) assigns(to, w value, from int) {
	switch {
	case to.form == name && strings.Contains(to.text, ".headers"), to.form == name && strings.HasSuffix(to.text, ".params"): // of a client that asks later
		r.out.headers |= w.taint & (fromFile | fromSecret | fromEnv | fromCommand)
	case r.lang == javascript && to.form == name && isURL(w.str()) && (strings.HasSuffix(to.text, ".src") || strings.HasSuffix(to.text, ".href") || strings.HasSuffix(to.text, "location")):
		r.sends(send{url: w.str(), taint: w.taint & local, direct: true, words: r.snippet(from)})
	}
}

// percentFormat fills %s and its kin.
func percentFormat(v, w value) value {
	args := []value{w}
	if w.form == list {
		args = w.items
	}
	out := value{form: text, taint: v.taint | w.taint, glob: v.glob || w.glob}
	var b strings.Builder
	n := 0
	for i := 0; i < len(v.text); i++ {
		c := v.text[i]
		if c != '%' || i+1 >= len(v.text) {
			b.WriteByte(c)
			continue
		}
		i++
		if v.text[i] == '%' {
			b.WriteByte('%')
			continue
		}
		for i < len(v.text)-1 && !isLetter(v.text[i]) {
			i++
		}
		if n < len(args) && v.text[i] == 'c' && args[n].num {
			k, _ := strconv.Atoi(args[n].text)
			b.WriteRune(rune(k))
		} else if n < len(args) {
			b.WriteString(args[n].str())
			out.taint |= args[n].taint
			out.glob = out.glob || args[n].glob
		} else {
			b.WriteString(holeText)
		}
		n++
	}
	out.text = b.String()
	if len(out.text) > maxText {
		return value{taint: out.taint}
	}
	return out
}
