//go:build gc && go1.26 && !go1.27

package later

import "unsafe"

// A task is how this version of the runtime keeps a package's start: a state, the
// number of functions, and behind them the functions. Other versions may keep it
// in another way; there nothing is put off.
type task struct{ state, count uint32 }

const done = 2 // so the runtime passes a package by

//go:linkname yamlToken github.com/goccy/go-yaml/token..inittask
var yamlToken task

//go:linkname yamlPrinter github.com/goccy/go-yaml/printer..inittask
var yamlPrinter task

//go:linkname yamlParser github.com/goccy/go-yaml/parser..inittask
var yamlParser task

//go:linkname curve filippo.io/edwards25519..inittask
var curve task

// shebang compiles two expressions for the printer of the shell's syntax, which
// comes with the parser. The hot program does not link that printer, so its turn
// never comes.
//
//go:linkname shebang mvdan.cc/sh/v3/fileutil..inittask
var shebang task

// PutOff keeps modules that few calls need from starting. It must be called before
// their turn: from a package that imports nothing else.
func PutOff() {
	for _, t := range [...]*task{&yamlToken, &yamlPrinter, &yamlParser, &curve, &shebang} {
		t.state = done
	}
	off = true
}

// run does what the runtime would have done at start.
func (t *task) run() {
	slot := unsafe.Add(unsafe.Pointer(t), unsafe.Sizeof(*t))
	for range t.count {
		(*(*func())(unsafe.Pointer(&slot)))() // a slot is all that a function without captured variables has
		slot = unsafe.Add(slot, unsafe.Sizeof(slot))
	}
}
