package strict

// address looks for credentials in the address whose authority starts at i.
func (p *scanner) address(i int) {
	s := p.s
	p.at = i
	colon, at := -1, -1
	j := i
	for ; j < len(s); j++ {
		c := s[j]
		if byteKinds[c]&(spaceKind|quoteKind) != 0 || c < ' ' || c == '/' || c == '?' || c == '#' || c == '<' || c == '>' {
			break
		}
		if c == ':' && colon < 0 {
			colon = j
		} else if c == '@' {
			at = j
		}
	}
	if at < 0 && colon >= 0 && s[i] != '[' && !isNumber(s[colon+1:j]) {
		at = p.lastAt(j) // what follows is no port: the password has a slash
	}
	switch {
	case at < 0:
	case colon >= 0 && colon < at:
		if !p.mask(valueSpan{colon + 1, at, true}) {
			p.at = i
		}
	case at-i >= 16 && hasBoth(s[i:at]):
		p.mask(valueSpan{i, at, true})
	}
}

// lastAt returns the last @ from i to the next white space or quote, or -1.
func (p *scanner) lastAt(i int) int {
	s := p.s
	if i < p.noAt {
		return -1
	}
	at := -1
	for ; i < len(s) && byteKinds[s[i]]&(spaceKind|quoteKind) == 0; i++ {
		if s[i] == '@' {
			at = i
		}
	}
	if at < 0 {
		p.noAt = i
	}
	return at
}
