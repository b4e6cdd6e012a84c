// Package nolink reports whether a path is free of symlinks with a single openat2 call, instead of one
// call for each directory of the path.
package nolink

import "path/filepath"

// HasNoLink reports whether path, which is absolute and clean, has no symlink in it, not even at its
// end. It need not exist. False may also mean that this is unknown: the caller must walk the path.
func HasNoLink(path string) bool { return isCleanAbs(path) && isFreeOfLinks(path, true) }

// ParentHasNoLink is HasNoLink that permits a symlink at the end.
func ParentHasNoLink(path string) bool { return isCleanAbs(path) && isFreeOfLinks(path, false) }

// isCleanAbs reports whether path is absolute and clean: after a missing element, the system would not
// process a "..".
func isCleanAbs(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }
