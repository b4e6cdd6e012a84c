package rawjson

// A Reader reads a value once from front to back. Each and Elements, in contrast, find the end of
// every part again at each level. The value must have passed Check; for other text the results are
// meaningless, but reading ends.
type Reader struct {
	b []byte
	i int
}

// NewReader returns a Reader whose next value is val.
func NewReader(val []byte) Reader { return Reader{val, skipSpace(val, 0)} }

// Offset returns the offset of the next value.
func (r *Reader) Offset() int { return r.i }

// Kind returns the kind of the next value, as the function Kind does.
func (r *Reader) Kind() byte {
	if r.i >= len(r.b) {
		return 0
	}
	return Kind(r.b[r.i:])
}

// Value returns the next value and moves behind it. It returns nil if there is none.
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

// Enter moves into the next value, an object or array. Key or Element must be called next.
func (r *Reader) Enter() {
	if r.i < len(r.b) {
		r.i++
	}
}

// Key moves to the next member of the object that was entered and returns its decoded key; the
// member's value is then the next value. At the end of the object it moves behind the object and
// reports false.
func (r *Reader) Key() ([]byte, bool) {
	if !r.nextPart() || r.b[r.i] != '"' {
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

// NextElement moves to the next element of the array that was entered. At the end of the array it
// moves behind the array and reports false.
func (r *Reader) NextElement() bool { return r.nextPart() }

// nextPart moves to the next member or element and reports true, or moves behind the end of the
// container and reports false.
func (r *Reader) nextPart() bool {
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
