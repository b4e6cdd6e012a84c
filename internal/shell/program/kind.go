package program

// A Trait is a set of kinds of programs; a program may be of several. See kinds.txt.
type Trait uint64

// Is reports whether a program has one of the traits.
func Is(name string, t Trait) bool { return traitsOf(name)&t != 0 }
