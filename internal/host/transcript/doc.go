// Package transcript reads the transcripts that hosts keep of their sessions: which tools were called,
// with which arguments, and with what outcome. The ledger holds what hosts reported to checkrein;
// package misses compares the two.
//
//	files := setups.Transcripts().Find(home, os.Environ())
//	for _, f := range files {
//		report, err := f.Read(transcript.Options{}, func(c *transcript.Call) error { … })
//	}
//
// Transcripts belong to the hosts, and their undocumented format changes from build to build. So
// reading is tolerant: it ignores unknown members, reports and skips a line that it cannot read, and
// leaves an incomplete last line for the next time. It needs memory for the longest line and for the
// open calls, however long the file is. Nothing is stored: of a call's arguments only digests, the
// command and the path are returned, and texts are passed on.
//
// What a transcript says about a call comes from the host, and in part from the tool: a tool can fake
// an outcome that is read from a text by printing that text.
package transcript
