package lex

// A shape says how a token is spelt, in a part of the syntax of regular
// expressions: literals, \ before a literal, [classes] with ranges and \w \d,
// (groups|of|alternatives), and the counts {n} {n,m} {n,} ? + *. (?i) at the
// start makes it blind to case. It is read from the string each time, since a
// token is seen rarely and a compiled form would have to be built first.
//
// A shape never goes back: a count takes all it can, and the first alternative
// that matches is final. So it costs one look at each byte, whatever the text.

// MatchShape returns where the match of shape that starts at from ends, or -1.
func MatchShape(shape, text string, from int) int {
	m := matcher{shape: shape, text: text}
	if len(shape) > 4 && shape[:4] == "(?i)" {
		m.fold = true
		m.shape = shape[4:]
	}
	_, end := m.sequence(0, from)
	return end
}

type matcher struct {
	shape, text string
	fold        bool
}

// Set is a set of bytes.
type Set [4]uint64

func (s *Set) add(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *Set) Has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// sequence matches items until the end of the shape, of its group or of its
// alternative. It returns where it stopped in the shape, and in the text or -1.
func (m *matcher) sequence(p, at int) (int, int) {
	for p < len(m.shape) && m.shape[p] != '|' && m.shape[p] != ')' {
		item := p
		p = m.itemEnd(p)
		least, most, next := m.count(p)
		p = next
		if at = m.repeat(item, least, most, at); at < 0 {
			return p, -1
		}
	}
	return p, at
}

// repeat matches the item at p of the shape from least to most times.
func (m *matcher) repeat(p, least, most, at int) int {
	if m.shape[p] == '(' {
		for n := 0; n < most; n++ {
			end := m.group(p+1, at)
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
	m.item(&s, p)
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

// group matches the first alternative that fits, of the group whose inside
// starts at p.
func (m *matcher) group(p, at int) int {
	for {
		stop, end := m.sequence(p, at)
		if end >= 0 {
			return end
		}
		if p = m.alternative(stop); p < 0 {
			return -1
		}
	}
}

// alternative returns where the next alternative starts, from p inside one, or
// -1 when there is none.
func (m *matcher) alternative(p int) int {
	for p < len(m.shape) && m.shape[p] != ')' {
		if m.shape[p] == '|' {
			return p + 1
		}
		p = m.itemEnd(p)
	}
	return -1
}

// itemEnd returns the end of the item at p: a literal, a class, a group.
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

// count reads the count at p, if there is one.
func (m *matcher) count(p int) (least, most, next int) {
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
	least, p = m.number(p + 1)
	most = least
	if m.shape[p] == ',' {
		if most, next = m.number(p + 1); next == p+1 {
			most = many
		}
		p = next
	}
	return least, most, p + 1
}

func (m *matcher) number(p int) (n, next int) {
	for ; '0' <= m.shape[p] && m.shape[p] <= '9'; p++ {
		n = n*10 + int(m.shape[p]-'0')
	}
	return n, p
}

// item adds the bytes to s that the literal or class at p matches.
func (m *matcher) item(s *Set, p int) {
	switch {
	case m.shape[p] == '[':
		for p++; m.shape[p] != ']'; {
			p = m.member(s, p)
		}
	case m.shape[p] == '\\':
		m.member(s, p)
	default:
		s.add(m.shape[p], m.shape[p])
	}
	if m.fold {
		letters := (s[1]>>1 | s[1]>>33) & (1<<26 - 1)
		s[1] |= letters<<1 | letters<<33
	}
}

// member adds one byte, range or named class to s.
func (m *matcher) member(s *Set, p int) int {
	lo := m.shape[p]
	if lo == '\\' {
		p++
		lo = m.shape[p]
		switch lo {
		case 'w':
			s.add('A', 'Z')
			s.add('a', 'z')
			s.add('0', '9')
			s.add('_', '_')
			return p + 1
		case 'd':
			s.add('0', '9')
			return p + 1
		case 's':
			s.add('\t', '\n')
			s.add('\f', '\r')
			s.add(' ', ' ')
			return p + 1
		}
	}
	p++
	if p+1 < len(m.shape) && m.shape[p] == '-' && m.shape[p+1] != ']' {
		s.add(lo, m.shape[p+1])
		return p + 2
	}
	s.add(lo, lo)
	return p
}

// MatchBefore returns where the text starts that has the shape before, of at
// most four items without groups, and that ends at i; or -1.
func MatchBefore(before, text string, i int) int {
	m := matcher{shape: before}
	var items [4]int
	n := 0
	for p := 0; p < len(before); n++ {
		items[n] = p
		_, _, p = m.count(m.itemEnd(p))
	}
	for n--; n >= 0; n-- {
		var s Set
		m.item(&s, items[n])
		least, most, _ := m.count(m.itemEnd(items[n]))
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
