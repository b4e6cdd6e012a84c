// Package match decides whether a hook applies to an event: by the tool's name, and by conditions on
// the event's fields.
//
// Matchers and conditions are compiled once and evaluated many times. Evaluation does no I/O of its
// own. The syntax of regular expressions is checked when they are loaded, but they are compiled on
// first use, because a process that answers one event and exits needs few of them.
package match
