// Package base holds what the commands that people type share: exit codes, the check for a
// person, the directories and the kit of a command line, and what is common to their text.
package base
