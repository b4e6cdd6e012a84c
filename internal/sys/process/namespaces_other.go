//go:build !linux

package process

import (
	"errors"
	"time"
)

// PIDNamespace returns "": this system has no process namespaces.
func PIDNamespace() string { return "" }

// IDScope returns "", because this system has only one scope of IDs.
func IDScope() string { return "" }

// NamespacesOf returns zero Namespaces: this system has none.
func NamespacesOf(int) Namespaces { return Namespaces{} }

// IsMountedOver returns false: on this system only the administrator can mount over a directory entry.
func IsMountedOver(_, _ string) bool { return false }

// MayBeInContainer returns false, because this system has no process namespaces.
func MayBeInContainer() bool { return false }

// TracerOf returns 0, because the tracer of a process is unknown on this system.
func TracerOf(int) int { return 0 }

// HasOwnTable returns true: this system has one list of processes.
func HasOwnTable() bool { return true }

// ExecutablePath returns "": the file that a process runs is unknown on this system.
func ExecutablePath(int) string { return "" }

// ExecutableChangeTime reports false: the file that a process runs is unknown on this system.
func ExecutableChangeTime(int) (time.Time, bool) { return time.Time{}, false }

// CanWrite returns false; no caller needs it on this system.
func CanWrite(string) bool { return false }

// CommandName returns "": it is unknown on this system.
func CommandName(int) string { return "" }

// ExecutableLink returns "": the file that a process runs is unknown on this system.
func ExecutableLink(int) string { return "" }

// RunsAsRoot returns false: the user of a process is unknown on this system.
func RunsAsRoot(int) bool { return false }

// RunsAs returns false: the user of a process is unknown on this system.
func RunsAs(_, _ int) bool { return false }

// AncestorRoots returns nothing: all processes share one root directory on this system.
func AncestorRoots() (roots []string, blind bool) { return nil, false }

// OpenTerminals fails: the open files of a process are unknown on this system.
func OpenTerminals(int) ([]uint64, error) { return nil, errors.ErrUnsupported }
