package transcript

import (
	"os"

	"github.com/checkrein/checkrein/internal/catalog/transcripts"
)

// A Form is how one host writes its transcripts, as data.
type Form struct {
	Host string
	// Line reads one line, a JSON object.
	Line func(d *Reader, obj []byte)
	// Own lists the keys that a line of the host has: all of one of the lists.
	Own [][]string
	// Needles are what a line has one of that has anything to do with a call or with
	// what is written once; other lines of a host's are not looked into.
	Needles []Needle
	// Retells is set if a call may be told several times.
	Retells bool
	// InOrder is set if calls are told in the order of time.
	InOrder bool
	// Session, if set, is the session that the path of a file names.
	Session func(path string) string
	// Database, if set, reads a file that is a database.
	Database func(d *Reader, file *os.File, path string) (Report, error)
}

// Forms are the forms of several hosts.
type Forms []*Form

// Of returns the form of a host, nil if there is none.
func (list Forms) Of(host string) *Form {
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
