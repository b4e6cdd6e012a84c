package console

import (
	"errors"
	"io/fs"
	"strings"
)

// Plain is an error's text with what systems say of a file put into words.
func Plain(err error) string {
	text := err.Error()
	for _, one := range joined(err) {
		var of *fs.PathError
		if !errors.As(one, &of) {
			continue
		}
		switch {
		case errors.Is(of.Err, fs.ErrNotExist):
			text = strings.ReplaceAll(text, of.Error(), of.Path+" does not exist")
		case errors.Is(of.Err, fs.ErrPermission):
			text = strings.ReplaceAll(text, of.Error(), "you may not access "+of.Path)
		}
	}
	return text
}

// joined lists the errors that one is made of.
func joined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
