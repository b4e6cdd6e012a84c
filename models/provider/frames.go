package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/model/line"
)

// maxEvent bounds one event of a stream.
const maxEvent = 4 << 20

// frames reads server-sent events, checks them and passes them on. SDKs skip lines that are
// not part of an event, lose a last event without an empty line after it, and treat an error
// that is null as an error.
type frames struct {
	src   io.ReadCloser
	x     *exchange
	sc    *bufio.Scanner
	first bool
	out   bytes.Buffer
	err   error
}

func newFrames(src io.ReadCloser, x *exchange) *frames {
	f := &frames{src: src, x: x, sc: bufio.NewScanner(src), first: true}
	f.sc.Buffer(make([]byte, 0, 64<<10), maxEvent)
	return f
}

func (f *frames) Close() error { return f.src.Close() }

func (f *frames) Read(p []byte) (int, error) {
	for f.out.Len() == 0 && f.err == nil {
		if f.err = f.next(); f.err != nil && f.err != io.EOF {
			f.err = f.x.fail(f.err)
		}
	}
	if f.out.Len() > 0 {
		return f.out.Read(p)
	}
	return 0, f.err
}

// next reads one event.
func (f *frames) next() error {
	var name string
	var data []byte
	for f.sc.Scan() {
		text := bytes.TrimSuffix(f.sc.Bytes(), []byte("\r"))
		if f.first {
			text, f.first = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), false
		}
		if len(text) == 0 {
			return f.give(name, data)
		}
		field, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			if data = append(data, value...); len(data) > maxEvent {
				return line.Faultf(line.Garbled, "an event of the stream is too long")
			}
		case "event":
			name = string(value)
		case "", "id", "retry": // comments, and what says nothing here
		default:
			return f.x.garbage("", text)
		}
	}
	if err := f.sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return line.Faultf(line.Garbled, "a line of the stream is too long")
		}
		return err
	}
	if err := f.give(name, data); err != nil { // servers forget the last empty line
		return err
	}
	return io.EOF
}

// give hands on an event.
func (f *frames) give(name string, data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	end := bytes.Equal(data, []byte("[DONE]"))
	if !end {
		var err error
		if data, err = f.x.check(data); err != nil {
			return err
		}
	}
	if name != "" {
		f.out.WriteString("event: " + name + "\n")
	}
	f.out.WriteString("data: ")
	f.out.Write(data)
	f.out.WriteString("\n\n")
	if end { // what follows belongs to something else
		f.x.done = true
		return io.EOF
	}
	return nil
}

// check returns the data of an event as one line, if it is an object without an error
// in it.
func (x *exchange) check(data []byte) ([]byte, error) {
	if !utf8.Valid(data) {
		return nil, x.garbage("the answer is not UTF-8: ", data)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object == nil {
		return nil, x.garbage("", data)
	}
	if raw, ok := object["error"]; ok {
		if string(raw) != "null" {
			return nil, x.call.parseError(raw).fault()
		}
		delete(object, "error")
		return json.Marshal(object)
	}
	return bytes.ReplaceAll(data, []byte("\n"), []byte(" ")), nil
}

// garbage is about bytes that are no part of an answer.
func (x *exchange) garbage(before string, b []byte) error {
	return line.Faultf(line.Garbled, "%sthe answer is garbled at %q", before, x.call.clean(string(b[:min(len(b), 80)])))
}
