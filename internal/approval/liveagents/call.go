package liveagents

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Call is how this process was called: by which host, and on what way.
//
// An agent's tools run below its host, as hooks do, so that who called does not tell
// an event of the host from one that a tool made up. The way does: what lies between
// the host and us, from where our input comes, and whether we are in the host's
// session. A host calls all hooks on one way, and its first event comes before any
// tool of its agent runs. So the way of that one is noted, and goes for the others.
type Call struct {
	process.ID          // of the host; zero = nobody called us, or nobody can tell
	args       []string // of the host
	way        way
	noted      string // the way of the host's first event; "" = this may be it
	inside     bool   // a hook of ours called us, and no host
	Written    string // the name of the note that was written of it, for the record; "" = none was
}

// A way is what lies between a host and us.
type way struct {
	past  string // what the climb went past: ours, old, or programs with digests of their arguments; "" = nothing
	input string // what our input is
	in    bool   // we are in the session of the host
}

// The ways past a shell that runs a line of ours, and nothing else.
const (
	pastOurs = "ours"
	pastOld  = "old" // as it was before every line had a tail, which some shells replace by us
)

func (w way) String() string {
	session := "out"
	if w.in {
		session = "in"
	}
	return w.past + "|" + w.input + "|" + session
}

// Look finds out how this process was called. Ours reports whether a command line is
// one that hosts are told to run, and whether it is of the form of today.
func Look(dir state.Dir, ours func(line string) (ok, today bool)) Call {
	if runtime.GOOS == "windows" {
		return Call{} // where nobody tells a shell that is typed in from one that runs us
	}
	line, session, inside := ascent()
	if len(line) == 0 {
		return Call{inside: inside}
	}
	host := &line[len(line)-1]
	c := Call{ID: host.ID, args: host.Args, inside: inside, way: way{input: process.StdinKind(host.PID), in: session == host.Session}}
	past := make([]string, 0, 4)
	for i := range line[:len(line)-1] {
		past = append(past, token(&line[i], ours))
	}
	c.way.past = strings.Join(past, ",")
	if note := readNote(dir, c.ID); note != nil {
		c.noted = rawjson.GetText(note, "way")
	}
	if c.noted == "" {
		c.noted = firstWay(dir, c.ID)
	}
	return c
}

// Known reports whether a host called us that can be told.
func (c *Call) Known() bool { return c.PID > 0 }

// Fits reports whether the call came on the way on which its host calls hooks. A line
// of ours may take the place of any other while a host runs; what comes before it
// must stay.
func (c *Call) Fits() bool {
	now := c.way.String()
	if c.noted == "" || c.noted == now {
		return true
	}
	past, rest, _ := strings.Cut(c.noted, "|")
	switch c.way.past {
	case pastOurs:
	case pastOld, "":
		if past != pastOld && past != "" {
			return false
		}
	default:
		return false
	}
	return rest == now[len(c.way.past)+1:]
}

// token is a process that the climb went past, in a way.
func token(a *process.Ancestor, ours func(string) (ok, today bool)) string {
	name := NameOf(a.Args[0])
	if isShell(name) {
		if line, ok := command(a.Args[1:]); ok {
			if is, today := ours(line); is && today {
				return pastOurs
			} else if is {
				return pastOld
			}
		}
	}
	h := sha256.New()
	for args := a.Args; len(args) > 0; args = args[1:] {
		h.Write([]byte(sameForAll(args[0])))
		h.Write([]byte{0})
		if len(args) > 1 && variable(args[0]) {
			args = args[1:]
		}
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(",|", r) {
			return '_'
		}
		return r
	}, name) + " " + hex.EncodeToString(h.Sum(nil)[:8])
}

// sameForAll is a command line without what differs from event to event.
func sameForAll(line string) string {
	words := strings.Fields(line)
	for i := 0; i+1 < len(words); i++ {
		if variable(words[i]) {
			words[i+1] = ""
		}
	}
	return strings.Join(words, " ")
}

// variable reports whether what follows a flag of ours differs from event to event.
func variable(flag string) bool { return flag == "--event" || flag == "--within" }

// command is the text that a shell was given, if that is all it was given: words
// behind it, or input of its own, may make more of a line than it says.
func command(args []string) (string, bool) {
	n := len(args)
	size := 0
	for _, a := range args {
		size += len(a) + 1
	}
	if n < 2 || size > maxLine || !strings.Contains(args[n-2], "c") || strings.HasPrefix(args[n-2], "--") {
		return "", false
	}
	if slices.ContainsFunc(args[:n-1], func(a string) bool { return !strings.HasPrefix(a, "-") }) {
		return "", false
	}
	line := args[n-1]
	return line, !strings.Contains(line, "<") && !strings.Contains(strings.ReplaceAll(line, "||", ""), "|")
}

// maxLine is how long a command line may be that is known to be whole.
const maxLine = 3 << 10

// maxChain bounds how many processes are named.
const maxChain = 16

// Chain names the processes above us, parent first, up to one or to the top, for
// people.
func Chain(upTo process.ID) []string {
	var out []string
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		name := "?"
		if len(a.Args) > 0 {
			name = NameOf(a.Args[0])
		}
		out = append(out, name+" "+strconv.Itoa(a.PID))
		return a.ID != upTo && len(out) < maxChain
	})
	if len(out) == 0 {
		return []string{"none that can be seen"}
	}
	return out
}

// An Owner is the host process that a session belongs to, as it is kept.
type Owner struct {
	ID    string // pid:start; "" = nobody
	In    string // what that means something in
	Ended bool   // it said that the session is over
}

// Owner is the host that called us.
func (c *Call) Owner() Owner { return Owner{ID: c.ID.String(), In: process.IDScope()} }

// OwnerSelf is this process, which is a host itself.
func OwnerSelf() (Owner, bool) {
	self, err := process.Self()
	return Owner{ID: self.String(), In: process.IDScope()}, err == nil
}

// Is reports whether a process is the owner.
func (o *Owner) Is(id process.ID) bool { return o.ID == id.String() && o.In == process.IDScope() }

// IsSelf reports whether this process is the owner.
func (o *Owner) IsSelf() bool {
	if o.Process().PID != os.Getpid() {
		return false
	}
	self, err := process.Self()
	return err == nil && o.Is(self)
}

// Process is the owner's.
func (o *Owner) Process() process.ID {
	if o.ID == "" {
		return process.ID{} // nobody, as at the start of a session: the error has words
	}
	id, _ := process.ParseID(o.ID) // zero for what nobody can read
	return id
}

// Alive reports whether the owner may still be running. Of one that cannot be looked
// up from here it is assumed for as long as it was heard of lately and did not end the
// session: what it started may be here. From a container nothing gets out into the
// whole of the machine, though.
func (o *Owner) Alive(dir state.Dir) bool {
	id := o.Process()
	if id.PID == 0 {
		return false
	}
	in := process.IDScope()
	if o.In == in {
		return process.IsAlive(id)
	}
	_, theirs, _ := strings.Cut(o.In, " ")
	if _, ours, _ := strings.Cut(in, " "); o.Ended || ours == theirs && !process.InContainer() {
		return false
	}
	info, err := os.Lstat(dir.Path(Folder, fileName(id)))
	return err == nil && time.Since(info.ModTime()) < heard
}

// Name returns the name of the program that called us.
func (c *Call) Name() string {
	if len(c.args) == 0 {
		return "unknown program"
	}
	return NameOf(c.args[0])
}

// Through returns what lies between the host and us, for people.
func (c *Call) Through() string {
	var names []string
	for _, t := range strings.Split(c.way.past, ",") {
		if name, _, _ := strings.Cut(t, " "); name != "" && name != pastOurs && name != pastOld {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "another input (" + c.way.input + ")"
	}
	return strings.Join(names, ", ")
}
