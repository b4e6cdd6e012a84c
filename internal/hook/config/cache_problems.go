package config

import (
	"encoding/binary"
	"errors"

	"github.com/checkrein/checkrein"
)

// appendProblems adds the problems that err joins.
func appendProblems(b []byte, err error) []byte {
	list := problems(nil, err)
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, p := range list {
		for _, s := range [...]string{p.Hook, p.Origin.File, p.Err.Error(), p.Remedy} {
			b = appendText(b, s)
		}
		b = binary.AppendUvarint(b, uint64(p.Origin.Line))
		b = binary.AppendUvarint(b, uint64(p.Column))
	}
	return b
}

// problems appends what err joins to list.
func problems(list []*checkrein.HookError, err error) []*checkrein.HookError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			list = problems(list, e)
		}
		return list
	}
	if err == nil {
		return list
	}
	p, ok := err.(*checkrein.HookError)
	if !ok {
		p = &checkrein.HookError{Err: err}
	}
	return append(list, p)
}

// problems returns what appendProblems added.
func (d *decoder) problems() []error {
	var out []error
	for range d.count(minProblem) {
		p := &checkrein.HookError{Hook: d.text(), Origin: checkrein.Origin{File: d.text()}, Err: errors.New(d.text()), Remedy: d.text()}
		p.Origin.Line, p.Column = d.int(), d.int()
		out = append(out, p)
	}
	return out
}
