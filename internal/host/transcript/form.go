package transcript

import (
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/transcripts"
)

// A form is how one host writes its transcripts, as data.
type form struct {
	host string
	// line reads one line, a JSON object.
	line func(d *desk, obj []byte)
	// own lists the keys that a line of the host has: all of one of the lists.
	own [][]string
	// whole says that the file is one JSON value and not one a line.
	whole func(path string) bool
	// needles are what a line has one of that has anything to do with a call or with
	// what is written once; other lines of a host's are not looked into.
	needles []needle
	// retells says that a call may be told several times.
	retells bool
	// inOrder says that calls are told in the order of time.
	inOrder bool
	// began, if set, is the time of a file's first lines by its name, where they have none.
	began func(base string) time.Time
	// session, if set, is the session that the path of a file names.
	session func(path string) string
	// database, if set, reads a file that is a database.
	database func(d *desk, file *os.File, path string) (Report, error)
}

func forms() []form {
	return []form{claude, codex, gemini, qwen, copilot, opencode, native}
}

func formOf(host string) (form, bool) {
	for _, f := range forms() {
		if f.host == host {
			return f, true
		}
	}
	return form{}, false
}

// Hosts returns the hosts whose transcripts can be read.
func Hosts() []string {
	var names []string
	for _, f := range forms() {
		names = append(names, f.host)
	}
	return names
}

// Starts reports whether every session of a host tells its hooks that it begins.
func Starts(host string) bool {
	return transcripts.Of(host).Starts
}

// AsksOnce reports whether a host that is installed once asks about each call once.
func AsksOnce(host string) bool {
	p := transcripts.Of(host)
	return p.SameIDs && !p.InLots
}

// SameIDs reports whether hooks of a host hear the IDs of calls that are in its
// transcripts. Where not, calls are found again by what they say and when.
func SameIDs(host string) bool {
	return transcripts.Of(host).SameIDs
}
