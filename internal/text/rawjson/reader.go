package rawjson

// A Reader walks through a value once, front to back, where Each and Elements
// would find the end of every part again at each level. The value must have
// passed Check; of others a Reader reads nonsense, but ends.
type Reader struct {
	b []byte
	i int
}

// NewReader returns a reader that has val at hand.
func NewReader(val []byte) Reader { return Reader{val, skipSpace(val, 0)} }

// Offset returns where the value at hand begins.
func (r *Reader) Offset() int { return r.i }

// Kind classifies the value at hand, as the function Kind does.
func (r *Reader) Kind() byte {
	if r.i >= len(r.b) {
		return 0
	}
	return Kind(r.b[r.i:])
}

// Value returns the value at hand and moves behind it.
func (r *Reader) Value() []byte {
	end := valueEnd(r.b, r.i)
	if end < 0 {
		r.i = len(r.b)
		return nil
	}
	val := r.b[r.i:end:end]
	r.i = end
	return val
}

// Enter moves into the object or array at hand; Key or Element comes next.
func (r *Reader) Enter() {
	if r.i < len(r.b) {
		r.i++
	}
}

// Key moves to the next member of the object that was entered and returns its
// key; its value is then at hand. At the end of the object it moves behind it
// and reports false.
func (r *Reader) Key() ([]byte, bool) {
	if !r.more() || r.b[r.i] != '"' {
		return nil, false
	}
	key := r.Value()
	if len(key) < 2 {
		return nil, false
	}
	if r.i = skipSpace(r.b, r.i); r.i < len(r.b) && r.b[r.i] == ':' {
		r.i = skipSpace(r.b, r.i+1)
	}
	return decodeKey(unquote(key)), true
}

// Element moves to the next element of the array that was entered. At the end
// of the array it moves behind it and reports false.
func (r *Reader) Element() bool { return r.more() }

// more moves to the next member or element, or behind the end of the container.
func (r *Reader) more() bool {
	r.i = skipSpace(r.b, r.i)
	if r.i < len(r.b) && r.b[r.i] == ',' {
		r.i = skipSpace(r.b, r.i+1)
	}
	if r.i >= len(r.b) {
		return false
	}
	if c := r.b[r.i]; c == '}' || c == ']' {
		r.i++
		return false
	}
	return true
}
