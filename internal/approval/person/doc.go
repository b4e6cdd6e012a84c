// Package person tells whether a command comes from a person at a terminal or
// from an agent that plays one.
//
// It is a guard rail. It knows what the system tells of processes and terminals;
// what somebody types into a terminal that a person has open looks like the
// person's own keys.
package person
