// Package nolink reports whether a path is free of symlinks with a single openat2
// call, where a walk takes one call for every directory on the way.
package nolink

import "path/filepath"

// Path reports that no symbolic link is on the way to a path, which is absolute and
// clean, nor at its end. Nothing need lie there. False says nothing: whoever asks
// goes along the path.
func Path(path string) bool { return plain(path) && ask(path, true) }

// Way is Path for whom a link at the path's end does not count.
func Way(path string) bool { return plain(path) && ask(path, false) }

// plain reports whether the system reads a path as we do: behind something that is
// missing it does not get to a "..".
func plain(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }
