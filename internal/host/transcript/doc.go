// Package transcript reads the transcripts that hosts keep of their sessions:
// which tools were called, with what, and what came of it. What hosts told
// checkrein is in the ledger; package misses holds the two side by side.
//
//	files := setups.Transcripts().Find(home, os.Environ())
//	for _, f := range files {
//		report, err := f.Read(transcript.Options{}, func(c *transcript.Call) error { … })
//	}
//
// A transcript is somebody else's file, in a form that changes from build to
// build and that nothing promises. So reading is tolerant: what is not known is
// passed over, a line that cannot be read is named and left out, a last line that
// is still being written is left for the next time. Reading takes the memory of a
// longest line and of the calls that are open, however long the file is. Nothing
// is kept: of a call's arguments there are digests, the command and the path, and
// texts are handed on and forgotten.
//
// What a transcript says of a call is the host's word, and in part the tool's: an
// outcome that is told from a text can be feigned by a tool that prints the text.
package transcript
