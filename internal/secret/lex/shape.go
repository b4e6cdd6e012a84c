package lex

// A shape describes the form of a token in a subset of regular expression syntax:
// literals, \ before a literal, [classes] with ranges and \w \d \s,
// (groups|of|alternatives), and the counts {n} {n,m} {n,} ? + *. (?i) at the start makes
// it ignore case. Shapes are interpreted, because tokens are rare and compiling a shape
// would take longer than matching it.
//
// Matching never backtracks: a count is greedy, and the first alternative that matches is
// final. So each byte is checked once, whatever the text.

// MatchShape returns the offset where the match of shape that starts at from in text ends, or -1 if it
// does not match.
func MatchShape(shape, text string, from int) int {
	m := matcher{shape: shape, text: text}
	if len(shape) > 4 && shape[:4] == "(?i)" {
		m.fold = true
		m.shape = shape[4:]
	}
	_, end := m.matchSequence(0, from)
	return end
}

// A matcher matches a shape against a text.
type matcher struct {
	shape, text string
	fold        bool
}

// Set is a set of bytes.
type Set [4]uint64

// addRange adds the bytes from lo to hi.
func (s *Set) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

// Has reports whether the set contains c.
func (s *Set) Has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// matchSequence matches the items from p of the shape, up to its end or the end of their group or
// alternative, against the text at at. It returns the offset in the shape, and the offset in the text
// or -1.
func (m *matcher) matchSequence(p, at int) (shapeEnd, textEnd int) {
	for p < len(m.shape) && m.shape[p] != '|' && m.shape[p] != ')' {
		item := p
		p = m.itemEnd(p)
		least, most, next := m.parseCount(p)
		p = next
		if at = m.matchRepeated(item, least, most, at); at < 0 {
			return p, -1
		}
	}
	return p, at
}

// matchRepeated matches the item at p of the shape least to most times at offset at of the text. It
// returns the offset after the match, or -1.
func (m *matcher) matchRepeated(p, least, most, at int) int {
	if m.shape[p] == '(' {
		for n := 0; n < most; n++ {
			end := m.matchGroup(p+1, at)
			if end < 0 {
				if n < least {
					return -1
				}
				return at
			}
			at = end
		}
		return at
	}
	if c := m.shape[p]; c != '[' && c != '\\' && !m.fold && least == 1 && most == 1 {
		if at < len(m.text) && m.text[at] == c {
			return at + 1
		}
		return -1
	}
	var s Set
	m.addItem(&s, p)
	n := 0
	for n < most && at < len(m.text) && s.Has(m.text[at]) {
		n++
		at++
	}
	if n < least {
		return -1
	}
	return at
}

// matchGroup matches the first alternative that fits at offset at, of the group whose contents start
// at p. It returns the offset after the match, or -1.
func (m *matcher) matchGroup(p, at int) int {
	for {
		stop, end := m.matchSequence(p, at)
		if end >= 0 {
			return end
		}
		if p = m.nextAlternative(stop); p < 0 {
			return -1
		}
	}
}

// nextAlternative returns the offset in the shape where the alternative after p starts, or -1 if there
// is none.
func (m *matcher) nextAlternative(p int) int {
	for p < len(m.shape) && m.shape[p] != ')' {
		if m.shape[p] == '|' {
			return p + 1
		}
		p = m.itemEnd(p)
	}
	return -1
}

// itemEnd returns the offset where the item at p ends: a literal, a class or a group.
func (m *matcher) itemEnd(p int) int {
	switch m.shape[p] {
	case '\\':
		return p + 2
	case '[':
		for m.shape[p] != ']' {
			if m.shape[p] == '\\' {
				p++
			}
			p++
		}
	case '(':
		for p++; m.shape[p] != ')'; {
			p = m.itemEnd(p)
		}
	}
	return p + 1
}

// parseCount parses the count at p, or returns 1, 1 if there is none. The third result is the offset
// after it.
func (m *matcher) parseCount(p int) (least, most, next int) {
	const many = 1 << 30
	if p >= len(m.shape) {
		return 1, 1, p
	}
	switch m.shape[p] {
	case '?':
		return 0, 1, p + 1
	case '*':
		return 0, many, p + 1
	case '+':
		return 1, many, p + 1
	case '{':
	default:
		return 1, 1, p
	}
	least, p = m.parseNumber(p + 1)
	most = least
	if m.shape[p] == ',' {
		if most, next = m.parseNumber(p + 1); next == p+1 {
			most = many
		}
		p = next
	}
	return least, most, p + 1
}

// parseNumber parses the decimal number at p, and returns it with the offset after it.
func (m *matcher) parseNumber(p int) (n, next int) {
	for ; '0' <= m.shape[p] && m.shape[p] <= '9'; p++ {
		n = n*10 + int(m.shape[p]-'0')
	}
	return n, p
}

// addItem adds the bytes that the literal or class at p matches to s.
func (m *matcher) addItem(s *Set, p int) {
	switch {
	case m.shape[p] == '[':
		for p++; m.shape[p] != ']'; {
			p = m.addMember(s, p)
		}
	case m.shape[p] == '\\':
		m.addMember(s, p)
	default:
		s.addRange(m.shape[p], m.shape[p])
	}
	if m.fold {
		letters := (s[1]>>1 | s[1]>>33) & (1<<26 - 1)
		s[1] |= letters<<1 | letters<<33
	}
}

// addMember adds the byte, range or named class at p to s, and returns the offset of the next one.
func (m *matcher) addMember(s *Set, p int) int {
	lo := m.shape[p]
	if lo == '\\' {
		p++
		lo = m.shape[p]
		switch lo {
		case 'w':
			s.addRange('A', 'Z')
			s.addRange('a', 'z')
			s.addRange('0', '9')
			s.addRange('_', '_')
			return p + 1
		case 'd':
			s.addRange('0', '9')
			return p + 1
		case 's':
			s.addRange('\t', '\n')
			s.addRange('\f', '\r')
			s.addRange(' ', ' ')
			return p + 1
		}
	}
	p++
	if p+1 < len(m.shape) && m.shape[p] == '-' && m.shape[p+1] != ']' {
		s.addRange(lo, m.shape[p+1])
		return p + 2
	}
	s.addRange(lo, lo)
	return p
}

// MatchBefore returns the offset where the text starts that ends at i and matches the shape before, or
// -1. The shape has at most four items, none of them a group.
func MatchBefore(before, text string, i int) int {
	m := matcher{shape: before}
	var items [4]int
	n := 0
	for p := 0; p < len(before); n++ {
		items[n] = p
		_, _, p = m.parseCount(m.itemEnd(p))
	}
	for n--; n >= 0; n-- {
		var s Set
		m.addItem(&s, items[n])
		least, most, _ := m.parseCount(m.itemEnd(items[n]))
		k := 0
		for k < most && k < i && s.Has(text[i-k-1]) {
			k++
		}
		if k < least {
			return -1
		}
		i -= k
	}
	return i
}
