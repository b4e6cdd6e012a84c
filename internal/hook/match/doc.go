// Package match decides whether a hook applies to an event: by the tool's name, and by conditions on
// the event's fields.
//
// Everything is compiled once and evaluated many times; evaluation does no I/O of its own. Regular
// expressions are checked when they are loaded and compiled on first use, because a program that
// answers one event and exits needs few of them.
package match
