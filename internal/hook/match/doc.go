// Package match decides whether a hook concerns an event: by the tool's name,
// and by conditions over the event's fields.
//
// Everything is compiled once and evaluated many times; evaluation does no I/O.
// Regular expressions are checked at load and compiled on first use, because a
// program that answers one event and exits needs few of those it loads.
package match
