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

// A stored is a reading as it lies in the cache: errors are kept by what they say.
type stored struct {
	Hooks, Instead       []checkrein.Hook
	Errs, Lost, Warnings []problem
	Includes             []hookfile.Include
	Settings             setting.Settings
}

// A problem is a [checkrein.HookError].
type problem struct {
	Hook         string
	From         checkrein.Origin
	Column       int
	Text, Remedy string
}

// appendReading appends a reading.
func appendReading(b []byte, r *reading) []byte {
	return appendValue(b, reflect.ValueOf(stored{
		Hooks: r.Hooks, Instead: r.Instead, Includes: r.Includes, Settings: r.Settings,
		Errs: problems(nil, r.err), Lost: problems(nil, r.Lost), Warnings: problems(nil, errors.Join(r.Warnings...)),
	}))
}

// problems appends what err joins to list.
func problems(list []problem, err error) []problem {
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
		return append(list, problem{Text: err.Error()})
	}
	return append(list, problem{p.Hook, p.Origin, p.Column, p.Err.Error(), p.Remedy})
}

// asErrors returns problems as they were.
func asErrors(list []problem) (out []error) {
	for _, p := range list {
		out = append(out, &checkrein.HookError{Hook: p.Hook, Origin: p.From, Column: p.Column, Err: errors.New(p.Text), Remedy: p.Remedy})
	}
	return out
}

// appendValue appends a value: structs field by field, texts and lists behind their length.
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

// A decoder reads what appendValue wrote. Settings and conditions share its memory.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) origin() (o origin) {
	d.value(reflect.ValueOf(&o).Elem())
	return o
}

// reading reads what is left.
func (d *decoder) reading() (reading, error) {
	var s stored
	d.value(reflect.ValueOf(&s).Elem())
	if d.bad || len(d.rest) != 0 {
		return reading{}, errDamaged
	}
	r := reading{File: hookfile.File{Hooks: s.Hooks, Instead: s.Instead, Includes: s.Includes, Settings: s.Settings}}
	r.err, r.Lost, r.Warnings = errors.Join(asErrors(s.Errs)...), errors.Join(asErrors(s.Lost)...), asErrors(s.Warnings)
	return r, nil
}

// value reads one value. An empty list is nil.
func (d *decoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := 0; i < v.NumField() && !d.bad; i++ {
			d.value(v.Field(i))
		}
	case reflect.Slice:
		d.list(v)
	case reflect.String:
		v.SetString(string(d.take(d.length())))
	case reflect.Bool:
		v.SetBool(string(d.take(1)) == "\x01")
	case reflect.Uint8:
		if b := d.take(1); b != nil {
			v.SetUint(uint64(b[0]))
		}
	case reflect.Int, reflect.Int64:
		n, size := binary.Varint(d.rest)
		d.skip(size)
		v.SetInt(n)
	}
}

func (d *decoder) list(v reflect.Value) {
	n := d.length()
	if v.Type().Elem().Kind() == reflect.Uint8 {
		if n > 0 {
			v.SetBytes(d.take(n))
		}
		return
	}
	for range n {
		item := reflect.New(v.Type().Elem()).Elem()
		if d.value(item); d.bad {
			return
		}
		v.Set(reflect.Append(v, item))
	}
}

// length reads the length of what follows, which has at least a byte for each of it.
func (d *decoder) length() int {
	n, size := binary.Uvarint(d.rest)
	if d.skip(size); d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

// skip passes over a number of so many bytes; 0 and less mean that there is none.
func (d *decoder) skip(size int) {
	d.bad = d.bad || size <= 0
	d.take(max(size, 0))
}

// take returns the next bytes, nil where there are not as many.
func (d *decoder) take(n int) []byte {
	if n <= 0 || n > len(d.rest) {
		d.bad = d.bad || n != 0
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
