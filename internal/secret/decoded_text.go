package secret

import "strings"

// begins are the bytes at which a spelling begins that is looked for in any text.
// Words in parts are not: who writes "gh" + "p_" in a file means to have no token
// there.
const begins = "\x00%&\\\xc2\xe2\xef"

// respelt looks at what is spelt in percents, entities or escapes, or has unseen
// characters in it, as it is meant. Only secrets count that are known by more than a
// name.
func (f *finder) respelt() {
	s := f.text
	var next [len(begins)]int
	for k := range next {
		next[k] = indexFrom(s, begins[k], 0)
	}
	p := decoder{s: s, ways: Coded, reach: escapeReach}
	for at := 0; ; {
		first := 0
		for k := range next {
			if next[k] < next[first] {
				first = k
			}
		}
		i := next[first]
		if i == len(s) {
			return
		}
		if s[i] == '\\' && !escapes(s[i:]) {
			next[first] = indexFrom(s, '\\', min(len(s), i+2))
			continue
		}
		n := p.special(i)
		p.reset()
		if n == 0 || p.soft {
			next[first] = indexFrom(s, begins[first], i+1)
			continue
		}
		from := max(at, i-escapeReach)
		at = p.part(from, i)
		f.inReading(p.reading())
		for k := range next {
			if next[k] < at {
				next[k] = indexFrom(s, begins[k], at)
			}
		}
	}
}

func indexFrom(s string, c byte, at int) int {
	if n := strings.IndexByte(s[at:], c); n >= 0 {
		return at + n
	}
	return len(s)
}

// inReading adds what is found in a part as it is meant, where that is not as it is
// written.
func (f *finder) inReading(r *Reading) {
	in := f.within(r.Text, Secrets)
	in.all()
	for _, n := range in.settled() {
		from, to := r.Source(n.start, n.end)
		if to-from != n.end-n.start && !Guesses(rules[n.rule].id) {
			f.add(n.rule, from, to)
		}
	}
}

// hexadecimal looks for a secret whose bytes are spelt in the run from i to end, and
// reports whether there is one.
func (f *finder) hexadecimal(i, end int) bool {
	s := f.text[i:end]
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	if !isHexText(s) || hexEnd(s, 0) < len(s)&^1 {
		return false
	}
	in := f.within(string(hexText(s)), Secrets)
	in.all()
	for _, n := range in.settled() {
		if !Guesses(rules[n.rule].id) {
			f.add(n.rule, i, end)
			return true
		}
	}
	return false
}
