//go:build !linux

package process

import (
	"errors"
	"time"
)

// Space names the set of processes that our numbers are from; "" = nobody tells.
func Space() string { return "" }

// Numbering names what an ID of ours means something in; here there is only one.
func Numbering() string { return "" }

// SpacesOf are the spaces of a process; here all are in the same.
func SpacesOf(int) Spaces { return Spaces{} }

// Mounted reports whether something was put over an entry of a directory; here no
// one but the administrator can do that.
func Mounted(_, _ string) bool { return false }

// Inside reports whether this process may be in a part of the machine.
func Inside() bool { return false }

// Tracer is the process that holds another one as debuggers do; here that is unknown.
func Tracer(int) int { return 0 }

// OwnTable reports whether the system's list of processes is the one that we are in.
func OwnTable() bool { return true }

// Program is the path of the file that a process runs; "" = nobody tells.
func Program(int) string { return "" }

// Changed is when the file that a process runs was changed; nobody tells here.
func Changed(int) (time.Time, bool) { return time.Time{}, false }

// Writable reports whether we may write a file or directory; nobody asks here.
func Writable(string) bool { return false }

// Title is what a process calls itself; "" = nobody tells.
func Title(int) string { return "" }

// Image is a path by which the file that a process runs can be started.
func Image(int) string { return "" }

// OfRoot reports whether a process is root's.
func OfRoot(int) bool { return false }

// OfUser is false.
func OfUser(_, _ int) bool { return false }

// Roots are paths of the file systems as ancestors see them; here all see one.
func Roots() (roots []string, blind bool) { return nil, false }

// Terminals fails: nobody tells here what a process has open.
func Terminals(int) ([]uint64, error) { return nil, errors.ErrUnsupported }
