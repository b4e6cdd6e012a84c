// Package handover is what checkrein's processes say to each other: the hot
// program hands a step to its companion, or an asynchronous hook to a process
// that outlives it. One JSON line each way.
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

// MaxLine bounds a message.
const MaxLine = 64 << 20

// A Task is one hook to run on one event.
type Task struct {
	Build    string             `json:"build"`
	Hook     checkrein.Hook     `json:"hook"`
	Event    checkrein.Event    `json:"event"`
	Deadline time.Time          `json:"deadline"`          // zero = the hook's own limit from now
	State    string             `json:"state"`             // the state directory of who hands it over
	Config   string             `json:"config,omitempty"`  // the directory of the person's files there; "" = there is none
	Policy   string             `json:"policy,omitempty"`  // digest of what is in force there
	Foreign  bool               `json:"foreign,omitempty"` // the event is not of its session's host, so that nothing kept of that changes
	Files    []state.MarkedPath `json:"files,omitempty"`   // that the hook was approved with, as they were read
}

// StateOf is the state directory that a task names; "" = none.
func StateOf(line []byte) string { return rawjson.GetText(line, "state") }

// ConfigOf is the directory of the person's files that a task names; "" = none.
func ConfigOf(line []byte) string { return rawjson.GetText(line, "config") }

// A Done is what became of a task.
type Done struct {
	Build  string            `json:"build"`
	Answer *checkrein.Answer `json:"answer,omitempty"`
	Fault  string            `json:"fault,omitempty"`
}

// Line encodes a message.
func Line(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// ReadTask reads a task of our own build.
func ReadTask(line []byte) (Task, error) {
	var t Task
	if err := read(line, &t); err != nil {
		return t, fmt.Errorf("reading the task: %w", err)
	}
	return t, sameBuild(t.Build)
}

// ReadDone reads what became of a task: an answer, or an error.
func ReadDone(line []byte) (checkrein.Answer, error) {
	var d Done
	if err := read(line, &d); err != nil {
		return checkrein.Answer{}, fmt.Errorf("reading the companion's answer: %w", err)
	}
	if err := sameBuild(d.Build); err != nil {
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

// read decodes exactly one line with nothing unknown in it.
func read(line []byte, v any) error {
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

func sameBuild(other string) error {
	if other != build.Version {
		return fmt.Errorf("the other program is build %q and this one is build %q: install both from the same build", other, build.Version)
	}
	return nil
}
