//go:build unix

package person

import "os"

// Flush forgets what was typed ahead at a terminal: an answer must be given after
// its question, or a person who pastes two lines says yes to what they have not
// seen.
func Flush(in any) {
	if f, ok := in.(*os.File); ok && f != nil {
		_ = flush(int(f.Fd())) // what is no terminal has nothing typed ahead
	}
}
