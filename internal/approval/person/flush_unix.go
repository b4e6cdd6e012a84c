//go:build unix

package person

import "os"

// DiscardTypeahead discards input that was typed ahead at the terminal in. An answer must come after
// its question, because a person who pastes two lines would otherwise confirm something that they have
// not seen.
func DiscardTypeahead(in any) {
	if f, ok := in.(*os.File); ok && f != nil {
		_ = discardInput(int(f.Fd())) // if it is not a terminal, there is nothing to discard
	}
}
