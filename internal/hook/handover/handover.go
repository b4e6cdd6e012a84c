// Package handover defines the messages between checkrein's processes. The hot program passes a hook
// to its companion, or an asynchronous hook to a process that outlives it. Each message is one line of
// JSON.
package handover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// MaxLine is the maximum length of a message.
const MaxLine = 64 << 20

// A Task is one hook to run on one event.
type Task struct {
	Build    string             `json:"build"`
	Hook     checkrein.Hook     `json:"hook"`
	Event    checkrein.Event    `json:"event"`
	Deadline time.Time          `json:"deadline"`          // if zero, the hook's own limit applies from now on
	State    string             `json:"state"`             // the sender's state directory
	Config   string             `json:"config,omitempty"`  // the sender's user configuration directory, or ""
	Policy   string             `json:"policy,omitempty"`  // digest of the sender's policy
	Foreign  bool               `json:"foreign,omitempty"` // the event does not come from its session's host, so the session's state must not change
	Files    []state.MarkedPath `json:"files,omitempty"`   // the files of the hook's approval, with their marks
}

// StateDir returns the state directory in line, an encoded task, or "" if there is none.
func StateDir(line []byte) string { return rawjson.GetText(line, "state") }

// ConfigDir returns the user configuration directory in line, an encoded task, or "" if there is none.
func ConfigDir(line []byte) string { return rawjson.GetText(line, "config") }

// An Outcome is the result of a task.
type Outcome struct {
	Build  string            `json:"build"`
	Answer *checkrein.Answer `json:"answer,omitempty"`
	Fault  string            `json:"fault,omitempty"`
}

// EncodeLine encodes the message v as one line of JSON.
func EncodeLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// DecodeTask decodes a task. It returns an error if the sender is of another build.
func DecodeTask(line []byte) (Task, error) {
	var t Task
	if err := decodeLine(line, &t); err != nil {
		return t, fmt.Errorf("reading the task: %w", err)
	}
	return t, checkBuild(t.Build)
}

// DecodeOutcome decodes an outcome and returns its answer or its error. It returns an error if the
// sender is of another build.
func DecodeOutcome(line []byte) (checkrein.Answer, error) {
	var d Outcome
	if err := decodeLine(line, &d); err != nil {
		return checkrein.Answer{}, fmt.Errorf("reading the companion's answer: %w", err)
	}
	if err := checkBuild(d.Build); err != nil {
		return checkrein.Answer{}, err
	}
	switch {
	case d.Fault != "" && d.Answer != nil:
		return checkrein.Answer{Raw: d.Answer.Raw, Log: d.Answer.Log, Usage: d.Answer.Usage}, errors.New(d.Fault)
	case d.Fault != "":
		return checkrein.Answer{}, errors.New(d.Fault)
	case d.Answer == nil:
		return checkrein.Answer{}, errors.New("the companion program did not answer")
	}
	return *d.Answer, nil
}

// decodeLine decodes exactly one message into v. Unknown fields are errors.
func decodeLine(line []byte, v any) error {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("more than one line")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("more than one message")
	}
	return nil
}

// checkBuild returns an error if other is not the build of this program.
func checkBuild(other string) error {
	if other != build.Version {
		return fmt.Errorf("the other program is build %q and this one is build %q: install both from the same build", other, build.Version)
	}
	return nil
}
