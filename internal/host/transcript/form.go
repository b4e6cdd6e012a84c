package transcript

import (
	"os"

	"github.com/checkrein/checkrein/internal/catalog/transcripts"
)

// A Form describes how one host writes its transcripts.
type Form struct {
	Host string
	// Line reads one line, a JSON object.
	Line func(d *Reader, obj []byte)
	// OwnKeys are sets of keys; a line of the host has all keys of one of them.
	OwnKeys [][]string
	// Needles select lines: each line about a call, or with a value that is written once per file,
	// contains one. Other lines are not parsed.
	Needles []Needle
	// RepeatsCalls is set if a call may be written several times.
	RepeatsCalls bool
	// InOrder is set if calls are written in order of time.
	InOrder bool
	// Session, if set, returns the session that the path of a file names.
	Session func(path string) string
	// Database, if set, reads a file that is a database.
	Database func(d *Reader, file *os.File, path string) (Report, error)
}

// Forms are the forms of several hosts.
type Forms []*Form

// ForHost returns the form of a host, nil if there is none.
func (list Forms) ForHost(host string) *Form {
	for _, f := range list {
		if f.Host == host {
			return f
		}
	}
	return nil
}

// Hosts returns the hosts whose transcripts can be read.
func (list Forms) Hosts() []string {
	var names []string
	for _, f := range list {
		names = append(names, f.Host)
	}
	return names
}

// ReportsStart reports whether every session of a host calls its hooks when it begins.
func ReportsStart(host string) bool {
	return transcripts.PlaceOf(host).Starts
}

// AsksOnce reports whether a host that is installed once asks once about each call.
func AsksOnce(host string) bool {
	p := transcripts.PlaceOf(host)
	return p.SameIDs && !p.InLots
}

// SameIDs reports whether a host gives its hooks the same call IDs as its transcripts. Otherwise calls
// are matched by their arguments and times.
func SameIDs(host string) bool {
	return transcripts.PlaceOf(host).SameIDs
}
