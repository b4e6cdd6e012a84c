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
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Call describes how this process was called: by which host, and by which route.
//
// An agent's tools run below its host, as hooks do, so the caller alone does not distinguish an event
// of the host from one that a tool forged. The route does. It consists of the processes between the
// host and this one, the source of this process's input, and whether it is in the host's session. A
// host calls all hooks by the same route, and its first event comes before any tool of its agent runs.
// The route of that event is noted and compared with later ones.
type Call struct {
	process.ID          // of the host; zero = nobody called us, or nobody can tell
	args       []string // of the host
	route      route
	notedRoute string // the route of the host's first event; "" means that this may be the first
	inside     bool   // one of checkrein's hooks called this process, not a host
	Written    string // the name of the note that was written about the host, for the ledger; "" means none
}

// A route describes what lies between a host and this process.
type route struct {
	via         string // the processes in between: ours, old, or programs with digests of their arguments; "" means none
	input       string // the type of this process's standard input
	sameSession bool   // this process is in the host's session
}

// Values of route.via for a shell that runs nothing but a command line of checkrein.
const (
	viaOurs = "ours"
	viaOld  = "old" // the format before every line had a suffix; some shells exec us instead of waiting
)

func (w route) String() string {
	session := "out"
	if w.sameSession {
		session = "in"
	}
	return w.via + "|" + w.input + "|" + session
}

// InspectCall returns how this process was called. ours reports whether a command line is one that
// hosts are configured to run, and whether it has the current format. The result has no host if none
// can be identified.
func InspectCall(dir state.Dir, ours func(line string) (ok, today bool)) Call {
	if runtime.GOOS == "windows" {
		return Call{} // an interactive shell cannot be distinguished from one that runs us
	}
	line, session, inside := climbToHost()
	if len(line) == 0 {
		return Call{inside: inside}
	}
	host := &line[len(line)-1]
	c := Call{ID: host.ID, args: host.Args, inside: inside, route: route{input: process.StdinKind(host.PID), sameSession: session == host.Session}}
	past := make([]string, 0, 4)
	for i := range line[:len(line)-1] {
		if !startsWrapper(&line[i], dir, ours) {
			past = append(past, routeToken(&line[i], ours))
		}
	}
	c.route.via = strings.Join(past, ",")
	if note := readNote(dir, c.ID); note != nil {
		c.notedRoute = rawjson.GetText(note, "way")
	}
	if c.notedRoute == "" {
		c.notedRoute = readFirstRoute(dir, c.ID)
	}
	return c
}

// HasHost reports whether a host called this process and could be identified.
func (c *Call) HasHost() bool { return c.PID > 0 }

// MatchesRoute reports whether the call came by the route by which its host calls hooks, or this may
// be the host's first event. A command line of checkrein may replace any other while a host runs; the
// rest of the route must stay the same.
func (c *Call) MatchesRoute() bool {
	now := c.route.String()
	if c.notedRoute == "" || c.notedRoute == now {
		return true
	}
	past, rest, _ := strings.Cut(c.notedRoute, "|")
	switch c.route.via {
	case viaOurs:
	case viaOld, "":
		if past != viaOld && past != "" {
			return false
		}
	default:
		return false
	}
	return rest == now[len(c.route.via)+1:]
}

// startsWrapper reports whether a is a shell that only starts a command line of checkrein with
// checkrein-shell, which replaces itself by the shell that runs the line. It is no part of a route.
func startsWrapper(a *process.Ancestor, dir state.Dir, ours func(string) (ok, today bool)) bool {
	if !isShell(ProgramName(a.Args[0])) {
		return false
	}
	line, ok := shellCommand(a.Args[1:])
	if !ok {
		return false
	}
	program, command, ok := wrap.SplitStart(line)
	if !ok || !strings.HasPrefix(program, dir.Path(wrap.Folder)+"/") {
		return false
	}
	is, _ := ours(command)
	return is
}

// routeToken returns the text that stands for a, a process between the host and this one, in a route.
func routeToken(a *process.Ancestor, ours func(string) (ok, today bool)) string {
	name := ProgramName(a.Args[0])
	if isShell(name) {
		if line, ok := shellCommand(a.Args[1:]); ok {
			if is, today := ours(line); is && today {
				return viaOurs
			} else if is {
				return viaOld
			}
		}
	}
	h := sha256.New()
	for args := a.Args; len(args) > 0; args = args[1:] {
		h.Write([]byte(stripVariableValues(args[0])))
		h.Write([]byte{0})
		if len(args) > 1 && isVariableFlag(args[0]) {
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

// stripVariableValues returns line without the values of flags that differ between events.
func stripVariableValues(line string) string {
	words := strings.Fields(line)
	for i := 0; i+1 < len(words); i++ {
		if isVariableFlag(words[i]) {
			words[i+1] = ""
		}
	}
	return strings.Join(words, " ")
}

// isVariableFlag reports whether flag is one of checkrein's whose value differs between events.
func isVariableFlag(flag string) bool { return flag == "--event" || flag == "--within" }

// shellCommand returns the text that args pass to a shell with -c. It reports false if there are
// further arguments or the text redirects input, since these may change what the text does.
func shellCommand(args []string) (string, bool) {
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

// maxLine is the length up to which a command line is known to be complete.
const maxLine = 3 << 10

// maxChain limits how many ancestors are listed.
const maxChain = 16

// AncestorNames returns the names of the ancestors of this process for display, parent first, up to
// upTo or the top.
func AncestorNames(upTo process.ID) []string {
	var out []string
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		name := "?"
		if len(a.Args) > 0 {
			name = ProgramName(a.Args[0])
		}
		out = append(out, name+" "+strconv.Itoa(a.PID))
		return a.ID != upTo && len(out) < maxChain
	})
	if len(out) == 0 {
		return []string{"none that can be seen"}
	}
	return out
}

// An Owner is the host process to which a session belongs, in the form in which it is stored.
type Owner struct {
	ID    string // pid:start; "" means none
	In    string // the pid namespace in which ID is valid
	Ended bool   // the host reported the end of the session
}

// Owner returns the host that called this process as an Owner.
func (c *Call) Owner() Owner { return Owner{ID: c.ID.String(), In: process.IDScope()} }

// OwnerSelf returns this process as an Owner, for a process that is itself a host. It reports false if
// the process cannot be identified.
func OwnerSelf() (Owner, bool) {
	self, err := process.SelfID()
	return Owner{ID: self.String(), In: process.IDScope()}, err == nil
}

// IsProcess reports whether id is the owner.
func (o *Owner) IsProcess(id process.ID) bool {
	return o.ID == id.String() && o.In == process.IDScope()
}

// IsSelf reports whether this process is the owner.
func (o *Owner) IsSelf() bool {
	if o.Process().PID != os.Getpid() {
		return false
	}
	self, err := process.SelfID()
	return err == nil && o.IsProcess(self)
}

// Process returns the owner's process, or the zero ID if there is none.
func (o *Owner) Process() process.ID {
	if o.ID == "" {
		return process.ID{} // common at the start of a session, so avoid building an error
	}
	id, _ := process.ParseID(o.ID) // zero if it cannot be parsed
	return id
}

// MayBeAlive reports whether the owner may still be running. An owner that cannot be inspected from
// here counts as running if it called recently and did not end the session, since programs that it
// started may run here. That does not hold for an owner in a container, whose programs cannot reach
// the rest of the machine.
func (o *Owner) MayBeAlive(dir state.Dir) bool {
	id := o.Process()
	if id.PID == 0 {
		return false
	}
	in := process.IDScope()
	if o.In == in {
		return process.IsAlive(id)
	}
	_, theirs, _ := strings.Cut(o.In, " ")
	if _, ours, _ := strings.Cut(in, " "); o.Ended || ours == theirs && !process.MayBeInContainer() {
		return false
	}
	info, err := os.Lstat(dir.Path(Folder, noteName(id)))
	return err == nil && time.Since(info.ModTime()) < recentCall
}

// HostProgram returns the name of the host's program, or "unknown program".
func (c *Call) HostProgram() string {
	if len(c.args) == 0 {
		return "unknown program"
	}
	return ProgramName(c.args[0])
}

// DescribeRoute returns the programs between the host and this process for display, or the type of
// input if there are none.
func (c *Call) DescribeRoute() string {
	var names []string
	for _, t := range strings.Split(c.route.via, ",") {
		if name, _, _ := strings.Cut(t, " "); name != "" && name != viaOurs && name != viaOld {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "another input (" + c.route.input + ")"
	}
	return strings.Join(names, ", ")
}
