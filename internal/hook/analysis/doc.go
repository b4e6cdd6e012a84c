// Package analysis finds out what the rules of a policy can do to any event: which rules never match,
// which change nothing, in which events two policies differ, and whether a property holds.
//
// A condition is compiled to a formula over atoms, the tests of fields. A formula is satisfiable if
// its atoms can be chosen such that for each field a value exists that passes its tests, which package
// automaton decides. Fields are independent of each other here, although some are derived from others:
// the command from the arguments, the effects from the command. So the analysis considers events that
// cannot occur. A claim that no event exists is right nevertheless; a claim that one exists counts
// only if the engine has confirmed it on an example.
package analysis
