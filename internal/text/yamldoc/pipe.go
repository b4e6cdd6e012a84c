package yamldoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A parseResult is the answer of [Serve] to one text.
type parseResult struct {
	Version  string
	Root     *Node    `json:",omitempty"`
	Warnings []*Error `json:",omitempty"`
	Err      *Error   `json:",omitempty"`
}

// Serve reads texts from in, one JSON string after another, and answers each with its tree, until in
// ends. version is the version of this build.
func Serve(in io.Reader, out io.Writer, version string) error {
	texts, readings := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var src []byte
		if err := texts.Decode(&src); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer := parseResult{Version: version}
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

// NewPipeReader returns a Reader that sends texts to a program that runs [Serve]. It calls open with
// the first text and uses the same program for the others. The program must be of the same version.
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
		var answer parseResult
		err := texts.Encode(src)
		if err == nil {
			err = readings.Decode(&answer)
		}
		switch {
		case err != nil:
			texts = nil // the next text starts another program
			return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		case answer.Version != version:
			return nil, nil, fmt.Errorf("%w: the companion checkreind has version %s instead of %s; install both from the same release", ErrUnavailable, answer.Version, version)
		case answer.Err != nil:
			return nil, answer.Warnings, answer.Err
		}
		return answer.Root, answer.Warnings, nil
	}
}
