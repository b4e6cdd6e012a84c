package config

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// A storedResult is a parseResult as the cache stores it, with errors as text.
type storedResult struct {
	Hooks, Instead       []checkrein.Hook
	Errs, Lost, Warnings []problem
	Includes             []hookfile.Include
	Settings             setting.Settings
}

// A problem is a stored [checkrein.HookError].
type problem struct {
	Hook         string
	From         checkrein.Origin
	Column       int
	Text, Remedy string
}

// appendResult appends the encoding of r to b.
func appendResult(b []byte, r *parseResult) []byte {
	return appendValue(b, reflect.ValueOf(storedResult{
		Hooks: r.Hooks, Instead: r.Instead, Includes: r.Includes, Settings: r.Settings,
		Errs: appendProblems(nil, r.err), Lost: appendProblems(nil, r.Lost), Warnings: appendProblems(nil, errors.Join(r.Warnings...)),
	}))
}

// appendProblems appends the errors that err joins to list.
func appendProblems(list []problem, err error) []problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			list = appendProblems(list, e)
		}
		return list
	}
	if err == nil {
		return list
	}
	p, ok := err.(*checkrein.HookError)
	if !ok {
		return append(list, problem{Text: err.Error()})
	}
	return append(list, problem{p.Hook, p.Origin, p.Column, p.Err.Error(), p.Remedy})
}

// problemErrors returns problems as [checkrein.HookError]s.
func problemErrors(list []problem) (out []error) {
	for _, p := range list {
		out = append(out, &checkrein.HookError{Hook: p.Hook, Origin: p.From, Column: p.Column, Err: errors.New(p.Text), Remedy: p.Remedy})
	}
	return out
}

// appendValue appends the encoding of v to b. Structs are encoded field by field; strings and lists
// are preceded by their length.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return b
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(b, v.Bytes()...)
		}
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Uint8:
		return append(b, byte(v.Uint()))
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	}
	panic(fmt.Sprintf("config: the cache cannot keep a %s", v.Type()))
}

// A decoder decodes the output of appendValue. Decoded byte slices share memory with its input.
type decoder struct {
	rest []byte
	// the input is malformed
	bad bool
}

func (d *decoder) decodeOrigin() (o origin) {
	d.decodeValue(reflect.ValueOf(&o).Elem())
	return o
}

// decodeResult decodes the rest of the input, which must be exactly one result.
func (d *decoder) decodeResult() (parseResult, error) {
	var s storedResult
	d.decodeValue(reflect.ValueOf(&s).Elem())
	if d.bad || len(d.rest) != 0 {
		return parseResult{}, errDamaged
	}
	r := parseResult{File: hookfile.File{Hooks: s.Hooks, Instead: s.Instead, Includes: s.Includes, Settings: s.Settings}}
	r.err, r.Lost, r.Warnings = errors.Join(problemErrors(s.Errs)...), errors.Join(problemErrors(s.Lost)...), problemErrors(s.Warnings)
	return r, nil
}

// decodeValue decodes one value into v. An empty list becomes nil.
func (d *decoder) decodeValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := 0; i < v.NumField() && !d.bad; i++ {
			d.decodeValue(v.Field(i))
		}
	case reflect.Slice:
		d.decodeList(v)
	case reflect.String:
		v.SetString(string(d.nextBytes(d.decodeLength())))
	case reflect.Bool:
		v.SetBool(string(d.nextBytes(1)) == "\x01")
	case reflect.Uint8:
		if b := d.nextBytes(1); b != nil {
			v.SetUint(uint64(b[0]))
		}
	case reflect.Int, reflect.Int64:
		n, size := binary.Varint(d.rest)
		d.skipNumber(size)
		v.SetInt(n)
	}
}

// decodeList decodes a list into v. Byte slices share the memory of the input.
func (d *decoder) decodeList(v reflect.Value) {
	n := d.decodeLength()
	if v.Type().Elem().Kind() == reflect.Uint8 {
		if n > 0 {
			v.SetBytes(d.nextBytes(n))
		}
		return
	}
	for range n {
		item := reflect.New(v.Type().Elem()).Elem()
		if d.decodeValue(item); d.bad {
			return
		}
		v.Set(reflect.Append(v, item))
	}
}

// decodeLength decodes the length of a list or string. Each element takes at least one byte, so a
// length that exceeds the rest of the input is an error.
func (d *decoder) decodeLength() int {
	n, size := binary.Uvarint(d.rest)
	if d.skipNumber(size); d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

// skipNumber skips a number of size bytes. If size is not positive, the input is malformed.
func (d *decoder) skipNumber(size int) {
	d.bad = d.bad || size <= 0
	d.nextBytes(max(size, 0))
}

// nextBytes returns the next n bytes. If there are fewer, it returns nil and marks the input as
// malformed.
func (d *decoder) nextBytes(n int) []byte {
	if n <= 0 || n > len(d.rest) {
		d.bad = d.bad || n != 0
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
