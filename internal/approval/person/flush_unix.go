//go:build unix

package person

import "os"

// Flush discards input that was typed ahead at a terminal. An answer must come after its question:
// otherwise a person who pastes two lines confirms something they have not seen.
func Flush(in any) {
	if f, ok := in.(*os.File); ok && f != nil {
		_ = discardInput(int(f.Fd())) // if it is not a terminal, there is nothing to discard
	}
}
