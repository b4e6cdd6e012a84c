package rawjson

import (
	"encoding/hex"
	"strconv"
	"time"
)

// An Object is a JSON object that is being written, from its opening brace on:
// Object{'{'}. Its methods append members; empty ones are left out.
type Object []byte

// Key appends a member's name; its value must follow.
func (o *Object) Key(name string) { *o = AppendKey(*o, name) }

// Open begins a member that is an object; Close ends it.
func (o *Object) Open(name string) {
	o.Key(name)
	*o = append(*o, '{')
}

// Close ends the object that was begun last.
func (o *Object) Close() { *o = append(*o, '}') }

// Raw appends a member that is JSON already; nil is left out.
func (o *Object) Raw(name string, val []byte) {
	if val != nil {
		*o = AppendMember(*o, name, val)
	}
}

// Text appends a string, unless it is empty.
func (o *Object) Text(name, val string) {
	if val != "" {
		o.Key(name)
		*o = AppendString(*o, val)
	}
}

// Texts appends a list of strings, unless it is empty.
func (o *Object) Texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.Key(name)
	for i, s := range list {
		*o = append(*o, "[,"[min(i, 1)])
		*o = AppendString(*o, s)
	}
	*o = append(*o, ']')
}

// List appends a list of n values, each written by write, unless it is empty.
func (o *Object) List(name string, n int, write func(o *Object, i int)) {
	if n == 0 {
		return
	}
	o.Key(name)
	for i := range n {
		*o = append(*o, "[,"[min(i, 1)])
		write(o, i)
	}
	*o = append(*o, ']')
}

// Hex appends bytes in hex.
func (o *Object) Hex(name string, b []byte) {
	o.Key(name)
	*o = append(hex.AppendEncode(append(*o, '"'), b), '"')
}

// Int appends a number.
func (o *Object) Int(name string, n int) {
	o.Key(name)
	*o = strconv.AppendInt(*o, int64(n), 10)
}

// Millis appends a duration as a number of milliseconds, exact to the
// microsecond.
func (o *Object) Millis(name string, d time.Duration) {
	o.Key(name)
	*o = strconv.AppendFloat(*o, float64(d.Round(time.Microsecond))/float64(time.Millisecond), 'f', -1, 64)
}

// Flag appends true, or nothing.
func (o *Object) Flag(name string, on bool) {
	if on {
		o.Key(name)
		*o = append(*o, "true"...)
	}
}
