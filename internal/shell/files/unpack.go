package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An unpacker is how a program that others know is told to unpack an archive, and
// where.
type unpacker struct {
	name   string
	letter string // in the first word, with a dash or without; "" = flags or nothing say it
	flags  string // options of which one says it; "" = the letter alone
	into   string // options whose value is the directory
	stuck  string // the one that its value sticks to
	last   bool   // an operand behind the archive is the directory
	own    bool   // without a directory it makes one
	values string // options whose value is no operand
}

// unpackers are those programs, sorted by name.
var unpackers = [...]unpacker{
	{name: "ar", letter: "x", into: "--output"},
	{name: "asar", flags: "extract e", last: true},
	{name: "atool", flags: "-x -X --extract --extract-to", into: "-X --extract-to", own: true},
	{name: "aunpack", into: "-X --extract-to", own: true},
	{name: "cabextract", into: "-d --directory", values: "-F --filter -e --encoding"},
	{name: "ditto", flags: "-x", last: true, own: true},
	{name: "dpkg", flags: "-x -X --extract --vextract", last: true, own: true},
	{name: "dpkg-deb", flags: "-x -X -R --extract --vextract --raw-extract", last: true, own: true},
	{name: "jar", letter: "x", flags: "--extract", into: "-C --dir"},
	{name: "lha", letter: "xe", stuck: "w="},
	{name: "ouch", flags: "decompress d", into: "-d --dir"},
	{name: "rar", letter: "xe", stuck: "-op", last: true},
	{name: "sqlite3", flags: "-Ax -Axf -Axv -Axvf -x -xf -xv -xvf --extract", into: "-C --directory"},
	{name: "unar", into: "-o -output-directory", values: "-p -password -e -E -encoding", own: true},
	{name: "unrar", letter: "xe", stuck: "-op", last: true},
	{name: "unsquashfs", into: "-d -dest", own: true},
}

// unpackerOf finds a program's row.
func unpackerOf(name string) *unpacker {
	for i := range unpackers {
		if unpackers[i].name == name {
			return &unpackers[i]
		}
	}
	return nil
}

// Unpacks returns the folder that a call unpacks an archive into, the zero word for the
// one where it runs. It reports false for a call that unpacks none, or that makes a
// folder of its own for it.
func Unpacks(c *shell.Call) (dir shell.Word, ok bool) {
	if c.Name == "pax" {
		return pax(c)
	}
	u := unpackerOf(c.Name)
	if u == nil || !u.asked(c.Args) {
		return shell.Word{}, false
	}
	dir = u.directory(c.Args)
	return dir, dir.Text != "" || !u.own
}

// unpacks says only what is bad: the program's own effects are not known here.
func (j *job) unpacks() {
	if j.c.Name == "pax" {
		if to, ok := pax(j.c); ok {
			j.unpackedBadly(to)
		}
		return
	}
	u := unpackerOf(j.c.Name)
	if u == nil || !u.asked(j.c.Args) {
		return
	}
	dir := u.directory(j.c.Args)
	if dir.Text == "" && u.own {
		return
	}
	j.unpackedBadly(dir)
}

// unpackedBadly is unpacked for programs that others know.
func (j *job) unpackedBadly(dir shell.Word) {
	k := newJob(j.c, j.p)
	k.unpacked(dir, false, false)
	for i := range k.out {
		if k.out[i].Label == shell.Destructive {
			j.out, j.keys = append(j.out, k.out[i]), append(j.keys, k.keys[i])
		}
	}
}

// asked reports whether a call unpacks.
func (u *unpacker) asked(args []shell.Word) bool {
	if len(args) == 0 {
		return false
	}
	if u.letter == "" && u.flags == "" {
		return true
	}
	first := strings.TrimPrefix(args[0].Text, "-")
	if u.letter != "" && strings.ContainsAny(first, u.letter) && !strings.ContainsAny(first, "-=./") && len(first) < 12 {
		return true
	}
	for i := range args {
		if u.flags != "" && facts.InList(u.flags, args[i].Text) {
			return true
		}
	}
	return false
}

// directory is where a call unpacks to; the zero word = where it runs.
func (u *unpacker) directory(args []shell.Word) shell.Word {
	var operands []shell.Word
	for i := 0; i < len(args); i++ {
		w := args[i]
		name, val, given := strings.Cut(w.Text, "=")
		switch {
		case u.stuck != "" && len(w.Text) > len(u.stuck) && strings.HasPrefix(w.Text, u.stuck):
			w.Text = w.Text[len(u.stuck):]
			return w
		case u.into != "" && given && facts.InList(u.into, name):
			w.Text = val
			return w
		case u.into != "" && facts.InList(u.into, w.Text) && i+1 < len(args):
			return args[i+1]
		case facts.InList(u.values, w.Text):
			i++
		case w.Text != "" && w.Text[0] != '-':
			operands = append(operands, w)
		}
	}
	if u.letter != "" && len(operands) > 0 && !strings.HasPrefix(args[0].Text, "-") {
		operands = operands[1:]
	}
	if n := len(operands); u.last && n > 1 {
		return operands[n-1]
	}
	return shell.Word{}
}

// pax returns where a call of pax puts files, the zero word for the folder that it runs
// in. It unpacks with -r, and copies with -rw.
func pax(c *shell.Call) (to shell.Word, ok bool) {
	var o program.Walk
	o.Start(c)
	var both bool
	for o.Next() {
		switch o.Name {
		case "r":
			ok = true
		case "w":
			both = true
		case "s":
			// -s ,^,/home/me/, puts other names in the place of those in the archive.
			if t := o.Arg.Text; len(t) > 2 {
				if parts := strings.SplitN(t[1:], t[:1], 3); len(parts) == 3 && strings.HasPrefix(parts[1], "/") {
					to.Text = parts[1]
				}
			}
		case "":
			if both {
				to = o.Arg
			}
		}
	}
	return to, ok
}

// filled reports whether a spot is a directory of a person outside the project in
// which something lies, so that what is unpacked there may replace it.
func (j *job) filled(s *spot) bool {
	if s.hole || s.own || s.path == "" || s.zone != inHomeOther && s.zone != inOutside || j.p == nil || j.p.Kind == nil || j.p.List == nil {
		return false
	}
	abs := j.onDisk(s)
	if rest, ok := homeRest(abs, j.base.home); ok && gear(first(rest)) {
		return false
	}
	with := *s
	with.path += "/"
	if !j.persons(&with) || j.p.Kind(abs) != shell.PathDir {
		return false
	}
	list, all := j.p.List(abs)
	return len(list) > 0 || !all
}

// linked finds a link in a directory of the project that leads to a home, or to what
// people keep outside the project.
func (j *job) linked(s *spot) (to spot, out bool) {
	if s.zone != inProjectRoot && s.zone != inProject || s.hole || j.base.real == nil || j.p == nil || j.p.List == nil || j.base.remote {
		return to, false
	}
	dir := j.onDisk(s)
	if !strings.HasPrefix(dir, "/") {
		return to, false
	}
	list, _ := j.p.List(dir)
	for _, e := range list {
		if !e.Link {
			continue
		}
		if to, _ = j.leads(dir + "/" + e.Name + "/."); to.zone == inHome || to.kind != "" || j.filled(&to) {
			return to, true
		}
	}
	return to, false
}

// gear reports whether a directory in a home is by its name one for tools, or for
// what was downloaded.
func gear(name string) bool {
	switch strings.ToLower(name) {
	case "bin", "opt", "tools", "local", "go", "sdk", "sdks", "apps", "applications", "android", "software", "downloads", "tmp", "temp", "build", "miniconda3", "anaconda3", "snap", "usr", "lib":
		return true
	}
	return false
}
