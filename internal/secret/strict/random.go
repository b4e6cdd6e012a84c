package strict

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const (
	minRandom  = 32 // how long a run is that may be random
	minCluster = 28 // how long the part of it is that does look so
	minOdd     = 20 // how much of that must be odd
	maxShort   = 4  // how long a piece is that says nothing
)

// rare marks the pairs of letters that names and words hardly hold, the first
// letter down and the second across: 346 of 676, which make up 3 % of the pairs
// in source code and its documentation.
const rare = "" +
	//abcdefghijklmnopqrstuvwxyz
	"....x..x.x....x.x.....x..x" +
	"...x.xxx..x.xx.xx..x.xxx.x" +
	".x.......x...x..x....xxx.x" +
	"......xx.xx.xx.xx..x.xxx.x" +
	".......x.xx..............x" +
	".x....xx.xx..x..x....xxx.x" +
	".x.x.x...xx.x..xx..x.xxxxx" +
	".xxx.xxx.xxx.x.xx....xxxxx" +
	".......xxxx.....x...x.x.x." +
	"xxxx.xxxxxxxxxxxxx.xxxxxxx" +
	".xxx.x.x.xxxxxxxxx.xxxxxxx" +
	".x....xx.xx.x...xx....xx.x" +
	"..x..xxx.xx..x..xx...xxxxx" +
	".x.....x.x......x.....xx.x" +
	".......x.x......x......xxx" +
	"......x..x..xx..x....xxx.x" +
	"xxxxxxxxxxxxxxxxxxxx.xxxxx" +
	".......x.x......x......x.x" +
	".x.......x......x....x.x.x" +
	".x....x..xx..x..x....x...x" +
	".......x.xx.....x...xxxxxx" +
	".xxx.xxx.xxxxx.xxxxxxxxxxx" +
	".xxx.xx..xxxx..xx..xxxxxxx" +
	".x.x..xx.xxxxxx.xxx.xxxxxx" +
	"xxxxxxxx.xxx..x.xx..xxxxxx" +
	"xxxx.xxxxxxxxxxxxxxxxxxxxx"

// random cuts what looks random in the run s[i:e]. Pieces between joints are
// judged one by one, since a path may have one random part; odd pieces that are
// not parted by an ordinary one count together, since base64 has joints of its
// own.
func (p *scanner) random(i, e int) {
	if p.name {
		return
	}
	s := p.s
	var c oddCluster
	for a := i; a < e; {
		b := alnumEnd(s, a)
		switch {
		case b == a:
			b++ // a joint
		case isUUID(s, a, b):
			b = a + uuidLen
			p.cutCluster(&c)
		case value.IsDigest(s, a, b):
			p.cutCluster(&c)
		case isOdd(s[a:b]):
			if end := value.DigestEnd(s, a, b); end > 0 {
				b = end
				p.cutCluster(&c)
				break
			}
			c.add(a, b)
			c.odd += b - a
		case b-a > 2*maxShort || b-a > maxShort && breaks(s[a:b]) == 0:
			p.cutCluster(&c)
		case !isSmall(s[a:b]): // a short word belongs to the path
			c.add(a, b)
		}
		a = b
	}
	p.cutCluster(&c)
}

// A oddCluster is a part of a run with odd pieces and none that is ordinary.
type oddCluster struct {
	from, to int // none while to is 0
	odd      int // how many bytes are of odd pieces
}

func (c *oddCluster) add(a, b int) {
	if c.to == 0 {
		c.from = a
	}
	c.to = b
}

// cutCluster cuts the cluster that ends here, if it is long enough and odd
// enough to be a secret, and starts another.
func (p *scanner) cutCluster(c *oddCluster) {
	if c.odd >= minOdd && c.to-c.from >= minCluster && hasBoth(p.s[c.from:c.to]) {
		p.cut(c.from, value.Padding(p.s, c.to))
	}
	*c = oddCluster{}
}

// oddity returns how many bytes of s look random, piece by piece.
func oddity(s string) int {
	odd := 0
	for a := 0; a < len(s); a++ {
		b := alnumEnd(s, a)
		if isOdd(s[a:b]) {
			odd += b - a
		}
		a = b
	}
	return odd
}

// isOdd reports whether a piece does not read like words, numbers or the two
// together: there are too many breaks in it.
func isOdd(piece string) bool {
	n := len(piece)
	if n <= maxShort {
		return false
	}
	if n >= 16 && isHexPiece(piece) {
		return true
	}
	return 100*breaks(piece) >= 35*(n-1)
}

// isSmall reports whether a piece is of small letters only.
func isSmall(piece string) bool {
	for i := range len(piece) {
		if byteKinds[piece[i]] != lowerKind {
			return false
		}
	}
	return true
}

// breaks counts the places in a piece where the kind of character changes,
// other than with the first letter of a word, and the rare pairs of letters.
func breaks(piece string) int {
	count := 0
	last := byteKinds[piece[0]]
	capital := last == upperKind // the letter before is the first of its word
	for i := 1; i < len(piece); i++ {
		k := byteKinds[piece[i]]
		switch {
		case k != last && capital && k == lowerKind:
			capital = false
			if isRare(piece[i-1], piece[i]) {
				count++
			}
		case k != last:
			count++
			capital = k == upperKind
		default:
			// An acronym ends where the next word begins: HTTPServer.
			capital = k == upperKind
			if k != digitKind && isRare(piece[i-1], piece[i]) {
				count++
			}
		}
		last = k
	}
	return count
}

func isRare(a, b byte) bool {
	return rare[int(a|0x20-'a')*26+int(b|0x20-'a')] == 'x'
}

// isHexPiece reports whether a piece is hexadecimal and has digits and letters,
// these in one case and more than a number has.
func isHexPiece(piece string) bool {
	var seen uint8
	letters := 0
	for i := range len(piece) {
		if !lex.IsHex(piece[i]) {
			return false
		}
		k := byteKinds[piece[i]]
		seen |= k
		if k != digitKind {
			letters++
		}
	}
	return (seen == lowerKind|digitKind || seen == upperKind|digitKind) && 8*letters >= len(piece)
}

// hasBoth reports whether s has letters and digits.
func hasBoth(s string) bool {
	var seen uint8
	for i := range len(s) {
		seen |= byteKinds[s[i]]
	}
	return seen&letterKind != 0 && seen&digitKind != 0
}

const uuidLen = 36

// isUUID reports whether a UUID starts with the piece s[a:b].
func isUUID(s string, a, b int) bool {
	if b-a != 8 || len(s)-a < uuidLen || len(s) > a+uuidLen && byteKinds[s[a+uuidLen]]&alnumKind != 0 {
		return false
	}
	for i := range uuidLen {
		switch c := s[a+i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !lex.IsHex(c) {
				return false
			}
		}
	}
	return true
}
