// Package nolink reports whether a path is free of symlinks with a single openat2 call, instead of one
// call for each directory of the path.
package nolink

import "path/filepath"

// HasNoLink reports whether path, which must be absolute and clean, contains no symlink, not even as
// its last element. The path need not exist. False may also mean that this is unknown, so the caller
// must then walk the path.
func HasNoLink(path string) bool { return isCleanAbs(path) && isFreeOfLinks(path, true) }

// ParentHasNoLink is HasNoLink, except that the last element may be a symlink.
func ParentHasNoLink(path string) bool { return isCleanAbs(path) && isFreeOfLinks(path, false) }

// isCleanAbs reports whether path is absolute and clean. The kernel stops at a missing element, so it
// would not process a ".." after it.
func isCleanAbs(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }
