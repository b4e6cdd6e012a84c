package program

// A Trait is a set of properties of programs; see the family is in kinds.txt. A program may have
// several.
type Trait uint64

// Is reports whether the program name has one of the traits in t.
func Is(name string, t Trait) bool { return traitsOf(name)&t != 0 }
