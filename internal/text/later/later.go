// Package later puts off what modules of others do at start, in a program that
// lives for a millisecond and rarely needs them: compiling expressions, filling
// tables, reading the points of a curve. Whoever calls such a module says so
// first, and its turn comes then.
//
// [PutOff] is for the program that answers hosts. In every other program, that of
// an embedder above all, modules start as they always do, and the rest of this
// package does nothing.
package later

import "sync"

// YAML starts the reader of YAML, if it was put off.
func YAML() { yaml.start(&yamlToken, &yamlPrinter, &yamlParser) }

// Curve starts the curve on which keys of wallets lie, if it was put off.
func Curve() { wallet.start(&curve) }

var yaml, wallet module

// A module is one or more packages that start together, in the order in which they
// import each other.
type module struct{ once sync.Once }

func (m *module) start(tasks ...*task) {
	if !off {
		return
	}
	m.once.Do(func() {
		for _, t := range tasks {
			t.run()
		}
	})
}

// off is whether modules were put off. It does not change after start.
var off bool
