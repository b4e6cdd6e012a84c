package setup

import (
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Transcript describes the transcripts of OpenCode.
var Transcript = transcript.Form{
	Host: "opencode", Database: readDatabase,
}

// A session is the session of a part. The session of a sub-agent has a parent.
type session struct{ ID, Parent string }

// readPart reads a part of a message. OpenCode overwrites the part of a call as the call goes on.
func readPart(d *transcript.Reader, obj []byte, s session, at time.Time) {
	part := d.PickFields(obj, "type", "state", "tool", "callID")
	if transcript.Text(part[0]) != "tool" {
		return
	}
	state := d.PickFields(part[1], "time", "input", "status", "output", "error", "metadata")
	times := d.PickFields(state[0], "start", "end")
	if t := transcript.ParseTime(times[0]); !t.IsZero() {
		at = t
	}
	call := transcript.Call{Session: s.ID, Root: s.ID, Tool: transcript.Text(part[2]), At: at, Done: transcript.ParseTime(times[1])}
	if s.Parent != "" {
		call.Root, call.Agent = s.Parent, s.ID
	}
	c := d.NewCall(call, state[1])
	c.ID = transcript.TruncateName(transcript.Text(part[3])) // another session may use the same ID
	status, said := transcript.Text(state[2]), state[3]
	if status == "error" {
		said = state[4]
	}
	exit, _ := rawjson.Get(state[5], "exit")
	c.Exited = len(exit) > 0 && string(exit) != "null"
	c.Outcome = outcomeOf(status, string(exit), transcript.TextHead(said))
	if status == "error" && (c.Exited || transcript.Text(state[3]) != "") {
		c.Outcome = transcript.Failed // a call that did not run has neither an exit status nor an output
	}
	d.EmitTexts(c, said)
	d.Report.Calls++
	if d.Err == nil {
		d.Err = d.Emit(c)
	}
}

var (
	deniedPrefixes  = []string{transcript.DenialPrefix}
	refusedPrefixes = []string{
		"The user rejected permission", "The user has specified a rule which prevents", "Tool execution aborted", "The arguments provided to the tool are invalid",
		"Model tried to call unavailable tool", "The " + "`", "The user dismissed", "Invalid input for tool",
	}
)

func outcomeOf(status, exit, said string) transcript.Outcome {
	switch {
	case status == "completed" && exit != "" && exit != "0" && exit != "null":
		return transcript.Failed
	case status == "completed":
		return transcript.Ran
	case status != "error":
		return transcript.Unknown
	case transcript.HasAnyPrefix(said, deniedPrefixes):
		return transcript.Denied
	case transcript.HasAnyPrefix(said, refusedPrefixes), strings.Contains(said, "was called with invalid arguments"):
		return transcript.Refused
	}
	return transcript.Failed
}

// maxSessions limits how many parents of sub-agents are kept in memory.
const maxSessions = 100_000

// readDatabase reads the parts of all sessions in the order of their creation.
func readDatabase(d *transcript.Reader, file *os.File, path string) (transcript.Report, error) {
	db, err := transcript.OpenDatabase(file, path)
	if err != nil {
		return d.Report, &transcript.ForeignError{Host: d.Form.Host, Why: err.Error()}
	}
	defer db.Close()
	parents := map[string]string{}
	err = db.EachRow("session", []string{"id", "parent_id"}, func(cols []transcript.Column) error {
		if id, parent := cols[0].Text(), cols[1].Text(); parent != "" && len(parents) < maxSessions {
			parents[transcript.TruncateName(id)] = transcript.TruncateName(parent)
		}
		return nil
	})
	if err != nil {
		return d.Report, &transcript.ForeignError{Host: d.Form.Host, Why: err.Error()}
	}
	err = db.EachRow("part", []string{"session_id", "time_created", "data"}, func(cols []transcript.Column) error {
		data := []byte(cols[2].Text())
		d.Report.Lines++
		d.Report.Bytes += int64(len(data))
		if err := rawjson.CheckObject(data); err != nil {
			d.Report.Skip(d.Report.Lines, err.Error())
			return nil
		}
		id := transcript.TruncateName(cols[0].Text())
		d.At = d.Report.Lines
		readPart(d, data, session{id, parents[id]}, time.UnixMilli(cols[1].Int()).UTC())
		d.ReportDuplicateKey()
		return d.Err
	})
	d.Report.SkippedAll += db.Skipped
	d.Report.Lost += db.Skipped
	if d.Err != nil {
		return d.Report, d.Err
	}
	if err != nil {
		return d.Report, &transcript.ForeignError{Host: d.Form.Host, Why: err.Error()}
	}
	return d.Report, nil
}
