// Package secret finds secrets, personal data and private places in text, and
// takes them out. It is what the guards look with: a text goes in, spans or a
// redacted text come out, and nothing that leaves this package holds what was
// found.
//
// One automaton reads the text once for all anchors, the literals without
// which no rule can match (tables.go, generated). A hit is looked at on the
// spot, in a window of bounded size: by a shape (shape.go), as the value of a
// name (named.go), or by a reader of its own. Few things have no anchor, like
// seed phrases and card numbers; they have probes that jump over most of the
// text (run.go, seed.go, wallet.go, number.go).
//
// All tables are static data and nothing is compiled or built at start, since
// the program that links this package lives for a millisecond.
package secret

// Kind is a set of the kinds of things that can be found.
type Kind uint8

const (
	Secrets  Kind = 1 << iota // tokens, keys, passwords
	Personal                  // e-mail addresses, phone, card and account numbers
	Private                   // private addresses, internal host names, machine paths

	All = Secrets | Personal | Private
)

// A Finding is where something was found. It never holds what was found.
type Finding struct {
	Rule       string
	Kind       Kind
	Start, End int // the span of the secret itself, in bytes
}

// Info describes a rule, for documents.
type Info struct {
	ID    string
	Kind  Kind
	About string
}

// Rules lists the rules in the order of their ids.
func Rules() []Info {
	list := make([]Info, 0, len(rules))
	for i := range rules {
		list = append(list, Info{rules[i].id, rules[i].kind, rules[i].about})
	}
	return sortInfos(list)
}

// Find appends what it finds of the wanted kinds in text to dst, in order.
// Findings never overlap: of several rules that see the same thing, the most
// specific one is named.
func Find(dst []Finding, text string, want Kind) []Finding {
	f := newFinder(text, want)
	f.all()
	return f.appendTo(dst)
}
