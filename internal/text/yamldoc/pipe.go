package yamldoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A reading is what a program that serves documents answers, one for each text.
type reading struct {
	Version  string
	Root     *Node    `json:",omitempty"`
	Warnings []*Error `json:",omitempty"`
	Err      *Error   `json:",omitempty"`
}

// Serve reads texts from in, one JSON string after another, and answers each with its
// tree until in ends. Version is the build's.
func Serve(in io.Reader, out io.Writer, version string) error {
	texts, readings := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var src []byte
		if err := texts.Decode(&src); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer := reading{Version: version}
		root, warnings, err := Parse(src)
		answer.Root, answer.Warnings = root, warnings
		if err != nil && !errors.As(err, &answer.Err) {
			answer.Err = &Error{Line: 1, Msg: err.Error()}
		}
		if err := readings.Encode(&answer); err != nil {
			return err
		}
	}
}

// NewPipeReader returns a Reader that sends texts to a program that runs [Serve]. The program is
// opened with the first text and reused for the others; it must be of the same version.
func NewPipeReader(open func() (io.ReadWriter, error), version string) Reader {
	var mu sync.Mutex
	var texts *json.Encoder
	var readings *json.Decoder
	return func(src []byte) (*Node, []*Error, error) {
		mu.Lock()
		defer mu.Unlock()
		if texts == nil {
			program, err := open()
			if err != nil {
				return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
			}
			texts, readings = json.NewEncoder(program), json.NewDecoder(program)
		}
		var answer reading
		err := texts.Encode(src)
		if err == nil {
			err = readings.Decode(&answer)
		}
		switch {
		case err != nil:
			texts = nil // the next text starts another one
			return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		case answer.Version != version:
			return nil, nil, fmt.Errorf("%w: the companion is of version %s, not %s", ErrUnavailable, answer.Version, version)
		case answer.Err != nil:
			return nil, answer.Warnings, answer.Err
		}
		return answer.Root, answer.Warnings, nil
	}
}
