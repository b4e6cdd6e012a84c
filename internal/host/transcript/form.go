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
	// OwnKeys are sets of keys. A line is the host's if it has all keys of one set.
	OwnKeys [][]string
	// Needles select the lines to parse. Each line that is about a call, or that has a value which is
	// written once per file, contains one of them.
	Needles []Needle
	// RepeatsCalls is set if the host may write the same call several times.
	RepeatsCalls bool
	// InOrder is set if the host writes calls in the order of their times.
	InOrder bool
	// Session, if set, returns the ID of the session from the path of its file.
	Session func(path string) string
	// Database, if set, reads transcripts that are databases instead of lines.
	Database func(d *Reader, file *os.File, path string) (Report, error)
}

// Forms is a list of the forms of several hosts.
type Forms []*Form

// ForHost returns the form of a host, or nil if there is none.
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

// ReportsStart reports whether every session of a host reports its start to hooks.
func ReportsStart(host string) bool {
	return transcripts.PlaceOf(host).Starts
}

// AsksOnce reports whether a host asks checkrein exactly once about each call if it is installed there
// once.
func AsksOnce(host string) bool {
	p := transcripts.PlaceOf(host)
	return p.SameIDs && !p.InLots
}

// SameIDs reports whether a host gives its hooks the same call IDs as it writes to its transcripts.
// Otherwise calls are matched by their arguments and times.
func SameIDs(host string) bool {
	return transcripts.PlaceOf(host).SameIDs
}
