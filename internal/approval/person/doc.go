// Package person checks whether a command comes from a person at a terminal, or from an agent that
// pretends to be one.
//
// It is a guard rail, and uses only what the system reports about processes and terminals. Keys that
// an agent injects into a terminal that a person has open look like the person's own.
package person
