package program

// A Trait is a kind of programs of which one may have several: see kinds.txt.
type Trait uint64

// Is reports whether a program has one of the traits.
func Is(name string, t Trait) bool { return traitsOf(name)&t != 0 }
