package export

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A node is an element of the schema, made of a struct's tags.
type node struct {
	name       string
	repetition int
	list       bool // a list, whose one child is repeated
	time       bool
	children   []*node
	field      int     // of the struct above
	column     *column // of a leaf
	rep        int     // how many lists it lies in
}

// newNode makes the element of a type, and adds the columns below it.
func newNode(name string, t reflect.Type, path []string, rep, def int, columns *[]*column) *node {
	n := &node{name: name, rep: rep}
	if t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() {
		for i := range t.NumField() {
			tag := strings.Split(t.Field(i).Tag.Get("parquet"), ",")
			child := newField(tag, t.Field(i).Type, append(slices.Clone(path), tag[0]), rep, def, columns)
			child.field = i
			n.children = append(n.children, child)
		}
		return n
	}
	n.column = &column{path: path, maxRep: rep, maxDef: def}
	switch t.Kind() {
	case reflect.Struct:
		n.column.kind, n.time = typeInt64, true
	case reflect.Bool:
		n.column.kind = typeBool
	case reflect.Int32:
		n.column.kind = typeInt32
	case reflect.Int64:
		n.column.kind = typeInt64
	case reflect.Float64:
		n.column.kind = typeDouble
	default:
		n.column.kind = typeBytes
	}
	*columns = append(*columns, n.column)
	return n
}

// newField makes the element of a field by its tag: its name, and list, optional or dict.
func newField(tag []string, t reflect.Type, path []string, rep, def int, columns *[]*column) *node {
	if slices.Contains(tag, "list") {
		middle := &node{name: "list", repetition: repeated, rep: rep + 1}
		middle.children = []*node{newNode("element", t.Elem(), append(path, "list", "element"), rep+1, def+1, columns)}
		return &node{name: tag[0], list: true, rep: rep, children: []*node{middle}}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	isOptional := slices.Contains(tag, "optional")
	if isOptional {
		def++
	}
	n := newNode(tag[0], t, path, rep, def, columns)
	if isOptional {
		n.repetition = optional
	}
	if slices.Contains(tag, "dict") {
		n.column.words = map[string]int{}
	}
	return n
}

// shred takes a value apart into the columns below an element. Rep says how deep the list
// is that goes on with it, def how much of its path is there; gone that it is not.
func (n *node) shred(v reflect.Value, rep, def int, gone bool) {
	switch {
	case n.column != nil && gone, n.column != nil && n.repetition == optional && v.IsZero():
		n.column.level(rep, def)
	case n.column != nil:
		n.column.level(rep, n.column.maxDef)
		n.column.value(reflect.Indirect(v))
	case n.list && (gone || v.Len() == 0):
		n.children[0].children[0].shred(reflect.Value{}, rep, def, true)
	case n.list:
		element := n.children[0].children[0]
		for i := range v.Len() {
			element.shred(v.Index(i), rep, def+1, false)
			rep = n.rep + 1
		}
	default:
		for _, c := range n.children {
			var field reflect.Value
			if !gone {
				field = v.Field(c.field)
			}
			c.shred(field, rep, def, gone)
		}
	}
}

// elements lists the schema as the footer does: each before those below it.
func (n *node) elements(to []*node) []*node {
	to = append(to, n)
	for _, c := range n.children {
		to = c.elements(to)
	}
	return to
}

// describe writes an element of the schema.
func (n *node) describe(t *thrift) {
	t.open()
	if n.column != nil {
		t.i32(1, n.column.kind)
	}
	t.i32(3, n.repetition)
	t.text(4, n.name)
	if n.column == nil {
		t.i32(5, len(n.children))
	}
	logical := 0
	switch {
	case n.list:
		t.i32(6, 3)
		logical = 3
	case n.time:
		t.i32(6, 10)
		logical = 8
	case n.column != nil && n.column.kind == typeBytes:
		t.i32(6, 0)
		logical = 1
	}
	if logical > 0 {
		t.begin(10)
		t.begin(logical)
		if n.time {
			t.field(1, thriftTrue) // it is UTC
			t.begin(2)
			t.begin(2) // microseconds
			t.end()
			t.end()
		}
		t.end()
		t.end()
	}
	t.end()
}

// width is how many bits a number takes.
func width(most int) int { return bits.Len(uint(most)) }

// appendRuns writes numbers of some bits each: many of one kind as their count, others
// packed, eight together.
func appendRuns(b []byte, numbers []uint32, width int) []byte {
	packed := 0 // numbers before these that are to be packed
	flush := func(at int) {
		if packed == 0 {
			return
		}
		some := numbers[at-packed : at]
		groups := (len(some) + 7) / 8
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		start := len(b)
		b = append(b, make([]byte, groups*width)...)
		for i, n := range some {
			for bit := range width {
				if n>>bit&1 != 0 {
					at := i*width + bit
					b[start+at/8] |= 1 << (at % 8)
				}
			}
		}
		packed = 0
	}
	for i := 0; i < len(numbers); {
		same := 1
		for i+same < len(numbers) && numbers[i+same] == numbers[i] {
			same++
		}
		if same < 8 {
			step := min(8, len(numbers)-i)
			packed, i = packed+step, i+step
			continue
		}
		flush(i)
		b = binary.AppendUvarint(b, uint64(same)<<1)
		for done := 0; done < width; done += 8 {
			b = append(b, byte(numbers[i]>>done))
		}
		i += same
	}
	flush(len(numbers))
	return b
}

// A thrift writes the compact form of Thrift, in which the file says what is in it.
type thrift struct {
	b     []byte
	last  int   // the field before
	above []int // of the structs around
}

// The types of it that are used here.
const (
	thriftTrue, thriftI32, thriftI64, thriftText, thriftList, thriftStruct = 1, 5, 6, 8, 9, 12
)

// field begins one. Numbers of fields go up, by less than 16 at a time.
func (t *thrift) field(id, kind int) {
	t.b = append(t.b, byte((id-t.last)<<4|kind))
	t.last = id
}

func (t *thrift) number(n int64) { t.b = binary.AppendVarint(t.b, n) }

func (t *thrift) i32(id, n int) {
	t.field(id, thriftI32)
	t.number(int64(n))
}

func (t *thrift) i64(id int, n int64) {
	t.field(id, thriftI64)
	t.number(n)
}

func (t *thrift) bytes(s string) { t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...) }

func (t *thrift) text(id int, s string) {
	t.field(id, thriftText)
	t.bytes(s)
}

func (t *thrift) list(id, kind, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|kind))
	} else {
		t.b = binary.AppendUvarint(append(t.b, byte(0xf0|kind)), uint64(n))
	}
}

// open begins a struct that is an element of a list, begin one that is a field.
func (t *thrift) open() { t.above, t.last = append(t.above, t.last), 0 }

func (t *thrift) begin(id int) {
	t.field(id, thriftStruct)
	t.open()
}

func (t *thrift) end() {
	t.b = append(t.b, 0)
	t.last, t.above = t.above[len(t.above)-1], t.above[:len(t.above)-1]
}
