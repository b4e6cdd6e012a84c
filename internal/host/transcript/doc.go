// Package transcript reads the transcripts that hosts write of their sessions: which tools were
// called, with which arguments, and with what outcome. The ledger has the calls that hosts reported to
// checkrein; package misses compares the two.
//
//	files := setups.Transcripts().Find(home, os.Environ())
//	for _, f := range files {
//		report, err := f.Read(transcript.Options{}, func(c *transcript.Call) error { … })
//	}
//
// The format of transcripts is undocumented and changes from build to build of a host. So reading is
// tolerant: it ignores unknown members, reports and skips a line that it cannot read, and leaves an
// incomplete last line for the next time. It needs memory for the longest line and for the open calls,
// however long the file is. It stores nothing: of a call's arguments it returns only digests, the
// command and the path, and it passes the texts of results to the caller.
//
// What a transcript says about a call comes from the host, and in part from the tool: a tool can fake
// an outcome that is read from its output by printing the expected text.
package transcript
