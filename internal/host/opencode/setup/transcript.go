//go:build ignore

package transcript

import (
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// opencode is how OpenCode writes its transcripts.
var opencode = form{
	host: "opencode", line: opencodeLine, whole: isJSON, database: readDatabase,
	own:     [][]string{{"type", "sessionID"}},
	needles: []needle{{'"', []string{`"tool"`}}},
}

// opencodeLine reads a part that is a file of its own, as older builds wrote them.
func opencodeLine(d *desk, obj []byte) {
	opencodePart(d, obj, opencodeSession{ID: get(obj, "sessionID")}, time.Time{})
}

// An opencodeSession is whose a part is. A sub-agent is a session with a parent.
type opencodeSession struct{ ID, Parent string }

// opencodePart reads a part of a message and reports whether it is settled: a part
// is written anew as its call goes on.
func opencodePart(d *desk, obj []byte, s opencodeSession, at time.Time) bool {
	part := d.pick(obj, "type", "state", "tool", "callID")
	if str(part[0]) != "tool" {
		return true
	}
	state := d.pick(part[1], "time", "input", "status", "output", "error", "metadata")
	times := d.pick(state[0], "start", "end")
	if t := clock(times[0]); !t.IsZero() {
		at = t
	}
	call := Call{Session: s.ID, Root: s.ID, Tool: str(part[2]), At: at, Done: clock(times[1])}
	if s.Parent != "" {
		call.Root, call.Agent = s.Parent, s.ID
	}
	c := d.heard(call, state[1])
	c.ID = name(str(part[3])) // which another session may use, too
	status, said := str(state[2]), state[3]
	if status == "error" {
		said = state[4]
	}
	exit, _ := rawjson.Get(state[5], "exit")
	c.Exited = len(exit) > 0 && string(exit) != "null"
	c.Outcome = opencodeOutcome(status, string(exit), head(said))
	if status == "error" && (c.Exited || str(state[3]) != "") {
		c.Outcome = Failed // what did not run has neither a status nor an output
	}
	d.text(c, said)
	d.rep.Calls++
	if d.err == nil {
		d.err = d.f(c)
	}
	return c.Outcome != Unknown
}

var (
	opencodeDenied  = []string{ours}
	opencodeRefused = []string{
		"The user rejected permission", "The user has specified a rule which prevents", "Tool execution aborted", "The arguments provided to the tool are invalid",
		"Model tried to call unavailable tool", "The " + "`", "The user dismissed", "Invalid input for tool",
	}
)

func opencodeOutcome(status, exit, said string) Outcome {
	switch {
	case status == "completed" && exit != "" && exit != "0" && exit != "null":
		return Failed
	case status == "completed":
		return Ran
	case status != "error":
		return Unknown
	case starts(said, opencodeDenied):
		return Denied
	case starts(said, opencodeRefused), strings.Contains(said, "was called with invalid arguments"):
		return Refused
	}
	return Failed
}

// maxSessions is how many sub-agents are known by their parents.
const maxSessions = 100_000

// readDatabase reads the parts of all sessions, in the order in which they were
// written first. The rows that Options.From counts were settled before.
func readDatabase(d *desk, file *os.File, path string) (Report, error) {
	db, err := openDatabase(file, path)
	if err != nil {
		return d.rep, &ForeignError{Host: d.form.host, Why: err.Error()}
	}
	defer db.close()
	parents := map[string]string{}
	err = db.rows("session", 0, []string{"id", "parent_id"}, func(_ int64, cols []column) error {
		if id, parent := cols[0].text(), cols[1].text(); parent != "" && len(parents) < maxSessions {
			parents[name(id)] = name(parent)
		}
		return nil
	})
	if err != nil {
		return d.rep, &ForeignError{Host: d.form.host, Why: err.Error()}
	}
	settled := true
	d.rep.Next = d.o.From
	err = db.rows("part", d.o.From, []string{"session_id", "time_created", "data"}, func(row int64, cols []column) error {
		data := []byte(cols[2].text())
		d.rep.Lines++
		d.rep.Bytes += int64(len(data))
		if err := rawjson.CheckObject(data); err != nil {
			d.rep.skip(d.rep.Lines, err.Error())
			return nil
		}
		id := name(cols[0].text())
		d.at = d.rep.Lines
		ok := opencodePart(d, data, opencodeSession{id, parents[id]}, time.UnixMilli(cols[1].int()).UTC())
		d.doubled()
		if settled = settled && ok; settled {
			d.rep.Next = row
		}
		return d.err
	})
	d.rep.SkippedAll += db.skipped
	d.rep.Lost += db.skipped
	if d.err != nil {
		return d.rep, d.err
	}
	if err != nil {
		return d.rep, &ForeignError{Host: d.form.host, Why: err.Error()}
	}
	return d.rep, nil
}
