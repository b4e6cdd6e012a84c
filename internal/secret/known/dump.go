package known

import "strings"

// A dumpLine is a line of a dump: the spans of its numbers, and of the text that shows the same.
type dumpLine struct {
	from, to          int
	textFrom, textEnd int // equal if there is no text
}

// parseDumpLine returns the parts of text[from:to], a line. Its offset is left out.
func parseDumpLine(text string, from, to int) dumpLine {
	line := text[from:to]
	d := dumpLine{from: from, to: to}
	if n := marginWidth(line); n > 0 && isOffset(line[:n]) {
		d.from += n
	}
	body := text[d.from:to]
	trimmed := strings.TrimRight(body, " \r")
	for _, edge := range [...]string{"||", "><"} { // hexdump -C; od -tx1z
		if at := strings.IndexByte(trimmed, edge[0]); at >= 0 && at < len(trimmed)-1 && trimmed[len(trimmed)-1] == edge[1] {
			d.to, d.textFrom, d.textEnd = d.from+at, d.from+at+1, d.from+len(trimmed)-1
			return d
		}
	}
	skip := len(body) - len(strings.TrimLeft(body, " "))
	if at := strings.Index(body[skip:], "  "); at >= 0 && d.from > from { // xxd
		at += skip
		d.to, d.textFrom, d.textEnd = d.from+at, d.from+at, to
	}
	return d
}

// isOffset reports whether margin, as marginWidth finds it, is an offset or a line number rather than
// the first number of a dump.
func isOffset(margin string) bool {
	switch last := margin[len(margin)-1]; last {
	case ' ', ',':
		return len(strings.TrimPrefix(strings.Trim(margin, " \t,[("), "0x")) > 3
	}
	return true
}

// addHex adds the hexadecimal digits of the numbers in text that have no other characters. Lines without
// an offset are left out unless all is set, because such numbers need no view of their own.
func (v *view) addHex(text string, all bool) {
	eachLine(text, func(from, to int) {
		if !all && marginWidth(text[from:to]) == 0 {
			return
		}
		d := parseDumpLine(text, from, to)
		for i := d.from; i < d.to; {
			if i+1 < d.to && text[i] == '0' && text[i+1] == 'x' {
				i += 2
			}
			start, digits := i, true
			for i < d.to && letters[text[i]] != 0 {
				digits = digits && isHexDigit(text[i])
				i++
			}
			if digits && (i-start)%2 == 0 {
				for k := start; k < i; k++ {
					v.add(text[k], k, k+1)
				}
			}
			if i == start {
				i++
			}
		}
	})
}

// addShownText adds the text that dumps show beside their numbers.
func (v *view) addShownText(text string) {
	eachLine(text, func(from, to int) {
		if marginWidth(text[from:to]) == 0 {
			return
		}
		d := parseDumpLine(text, from, to)
		for i := d.textFrom; i < d.textEnd; i++ {
			v.add(text[i], i, i+1)
		}
	})
}

// A number is the span of the digits of a number that may be a character.
type number struct {
	at     int32
	digits uint8
}

// findNumbers returns the numbers in text that may be characters.
func findNumbers(text string) []number {
	var out []number
	run := 0
	for i := range len(text) {
		if text[i]-'0' < 10 {
			run++
			continue
		}
		if run == 2 || run == 3 || run == 8 {
			out = append(out, number{int32(i - run), uint8(run)})
		}
		run = 0
	}
	return out
}

// A numberBase is a way to write bytes as numbers of least to most digits.
type numberBase struct{ base, least, most int }

// addNumbers adds the characters that numbers, which are in text, stand for.
func (v *view) addNumbers(text string, numbers []number, b numberBase) {
	for _, n := range numbers {
		from, to := int(n.at), int(n.at)+int(n.digits)
		if to-from < b.least || to-from > b.most {
			continue
		}
		if c, ok := decodeDigits(text, from, to-from, b.base); ok > 0 {
			v.add(c, from, to)
		}
	}
}
