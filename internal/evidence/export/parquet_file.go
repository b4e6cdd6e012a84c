package export

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"time"

	"github.com/checkrein/checkrein/internal/sys/build"
)

// A columnFile writes a Parquet file of rows of one struct type. It knows what our rows
// need of the format and no more: one page a column and row group, gzip, dictionaries
// where a tag asks for one. The package that knows all of it was a fifth of a cold build;
// it reads what this one writes in the tests.
type columnFile[T any] struct {
	w       io.Writer
	root    *node
	columns []*column
	rows    int // of the row group
	total   int
	at      int64 // how much was written
	groups  []group
}

// A group is what the footer says of a row group.
type group struct {
	rows   int
	size   int64
	chunks []chunkOf
}

// A chunkOf is what the footer says of a column of a row group.
type chunkOf struct {
	values, nulls           int
	plain, packed           int64 // sizes
	start, dictionary, page int64 // dictionary: -1 = none
	least, most             []byte
}

const magic = "PAR1"

// The numbers of the format that are used here.
const (
	typeBool, typeInt32, typeInt64, typeDouble, typeBytes = 0, 1, 2, 5, 6

	required, optional, repeated = 0, 1, 2

	encodingPlain, encodingRLE, encodingDictionary = 0, 3, 8

	pageData, pageDictionary = 0, 2

	codecGzip = 2
)

func newColumnFile[T any](w io.Writer) *columnFile[T] {
	f := &columnFile[T]{w: w}
	f.root = newNode("schema", reflect.TypeFor[T](), nil, 0, 0, &f.columns)
	return f
}

// add takes a row.
func (f *columnFile[T]) add(row *T) {
	f.root.shred(reflect.ValueOf(row).Elem(), 0, 0, false)
	f.rows++
}

// write writes to the file, and says where that began.
func (f *columnFile[T]) write(b []byte) (int64, error) {
	at := f.at
	n, err := f.w.Write(b)
	f.at += int64(n)
	return at, err
}

// start writes what a file begins with.
func (f *columnFile[T]) start() error {
	if f.at > 0 {
		return nil
	}
	_, err := f.write([]byte(magic))
	return err
}

// flush writes the rows as a row group.
func (f *columnFile[T]) flush() error {
	if f.rows == 0 {
		return nil
	}
	if err := f.start(); err != nil {
		return err
	}
	g := group{rows: f.rows}
	for _, c := range f.columns {
		chunk, err := f.chunk(c)
		if err != nil {
			return err
		}
		g.chunks = append(g.chunks, chunk)
		g.size += chunk.plain
		c.reset()
	}
	f.groups = append(f.groups, g)
	f.total, f.rows = f.total+f.rows, 0
	return nil
}

// chunk writes a column of a row group: its dictionary, if it has one, and its page.
func (f *columnFile[T]) chunk(c *column) (chunkOf, error) {
	out := chunkOf{values: len(c.defs), nulls: c.nulls, start: f.at, dictionary: -1, least: c.least, most: c.most}
	encoding := encodingPlain
	if c.words != nil {
		var err error
		encoding = encodingDictionary
		if out.dictionary, err = f.page(&out, pageDictionary, c.plain.Bytes(), func(t *thrift) {
			t.begin(7)
			t.i32(1, len(c.words))
			t.i32(2, encodingPlain)
			t.end()
		}); err != nil {
			return out, err
		}
	}
	var err error
	out.page, err = f.page(&out, pageData, c.body(), func(t *thrift) {
		t.begin(5)
		t.i32(1, out.values)
		t.i32(2, encoding)
		t.i32(3, encodingRLE)
		t.i32(4, encodingRLE)
		t.end()
	})
	return out, err
}

// page writes a page. More writes what its header says beside the sizes.
func (f *columnFile[T]) page(of *chunkOf, kind int, body []byte, more func(*thrift)) (int64, error) {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // there is that level
	_, _ = z.Write(body)                                 // into memory
	_ = z.Close()
	var t thrift
	t.i32(1, kind)
	t.i32(2, len(body))
	t.i32(3, packed.Len())
	more(&t)
	t.b = append(t.b, 0)
	of.plain += int64(len(t.b) + len(body))
	of.packed += int64(len(t.b) + packed.Len())
	return f.write(append(t.b, packed.Bytes()...))
}

// close writes the footer.
func (f *columnFile[T]) close() error {
	if err := f.flush(); err != nil {
		return err
	}
	if err := f.start(); err != nil {
		return err
	}
	var t thrift
	t.i32(1, 2)
	elements := f.root.elements(nil)
	t.list(2, thriftStruct, len(elements))
	for _, n := range elements {
		n.describe(&t)
	}
	t.i64(3, int64(f.total))
	t.list(4, thriftStruct, len(f.groups))
	for i := range f.groups {
		f.describe(&t, &f.groups[i])
	}
	t.text(6, "checkrein version "+build.Version)
	t.list(7, thriftStruct, len(f.columns))
	for range f.columns { // each is ordered as its type is
		t.open()
		t.begin(1)
		t.end()
		t.end()
	}
	t.b = append(t.b, 0)
	t.b = append(binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b))), magic...)
	_, err := f.write(t.b)
	return err
}

// describe writes what the footer says of a row group.
func (f *columnFile[T]) describe(t *thrift, g *group) {
	t.open()
	t.list(1, thriftStruct, len(g.chunks))
	for i := range g.chunks {
		c, chunk := f.columns[i], &g.chunks[i]
		t.open()
		t.i64(2, chunk.start)
		t.begin(3)
		t.i32(1, c.kind)
		encodings := []int{encodingPlain, encodingRLE}
		if chunk.dictionary >= 0 {
			encodings = append(encodings, encodingDictionary)
		}
		t.list(2, thriftI32, len(encodings))
		for _, e := range encodings {
			t.number(int64(e))
		}
		t.list(3, thriftText, len(c.path))
		for _, name := range c.path {
			t.bytes(name)
		}
		t.i32(4, codecGzip)
		t.i64(5, int64(chunk.values))
		t.i64(6, chunk.plain)
		t.i64(7, chunk.packed)
		t.i64(9, chunk.page)
		if chunk.dictionary >= 0 {
			t.i64(11, chunk.dictionary)
		}
		t.begin(12)
		t.i64(3, int64(chunk.nulls))
		if chunk.most != nil {
			t.text(5, string(chunk.most))
			t.text(6, string(chunk.least))
		}
		t.end()
		t.end()
		t.end()
	}
	t.i64(2, g.size)
	t.i64(3, int64(g.rows))
	t.end()
}

// A column is a leaf of the schema, with what it holds of the row group.
type column struct {
	path         []string
	kind         int
	maxDef       int
	maxRep       int
	reps, defs   []uint32
	plain        bytes.Buffer   // values; of a column with a dictionary, its words
	words        map[string]int // nil = there is no dictionary
	numbers      []uint32       // of the words
	bits, filled byte           // of booleans
	nulls        int
	least, most  []byte // of whole numbers
}

// reset begins a row group.
func (c *column) reset() {
	c.reps, c.defs, c.numbers = c.reps[:0], c.defs[:0], c.numbers[:0]
	c.plain.Reset()
	clear(c.words)
	c.bits, c.filled, c.nulls, c.least, c.most = 0, 0, 0, nil, nil
}

// level says how a value follows those before, and how much of its path is there.
func (c *column) level(rep, def int) {
	c.reps, c.defs = append(c.reps, uint32(rep)), append(c.defs, uint32(def))
	if def < c.maxDef {
		c.nulls++
	}
}

// value adds one.
func (c *column) value(v reflect.Value) {
	switch c.kind {
	case typeBool:
		if v.Bool() {
			c.bits |= 1 << c.filled
		}
		if c.filled++; c.filled == 8 {
			c.plain.WriteByte(c.bits)
			c.bits, c.filled = 0, 0
		}
	case typeInt32:
		c.plain.Write(binary.LittleEndian.AppendUint32(nil, uint32(v.Int())))
	case typeInt64:
		n := int64(0)
		if t, ok := v.Interface().(time.Time); ok {
			n = t.UnixMicro()
		} else {
			n = v.Int()
		}
		b := binary.LittleEndian.AppendUint64(nil, uint64(n))
		if c.least == nil || n < int64(binary.LittleEndian.Uint64(c.least)) {
			c.least = b
		}
		if c.most == nil || n > int64(binary.LittleEndian.Uint64(c.most)) {
			c.most = b
		}
		c.plain.Write(b)
	case typeDouble:
		c.plain.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v.Float())))
	case typeBytes:
		s := v.String()
		if c.words != nil {
			n, known := c.words[s]
			if !known {
				n = len(c.words)
				c.words[s] = n
			}
			c.numbers = append(c.numbers, uint32(n))
			if known {
				return
			}
		}
		c.plain.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
		c.plain.WriteString(s)
	}
}

// body is the column's page: levels, then values.
func (c *column) body() []byte {
	var b []byte
	for _, l := range []struct {
		most   int
		levels []uint32
	}{{c.maxRep, c.reps}, {c.maxDef, c.defs}} {
		if l.most > 0 {
			runs := appendRuns(nil, l.levels, width(l.most))
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(runs))), runs...)
		}
	}
	if c.words != nil {
		w := width(max(len(c.words)-1, 1))
		return appendRuns(append(b, byte(w)), c.numbers, w)
	}
	b = append(b, c.plain.Bytes()...)
	if c.filled > 0 {
		b = append(b, c.bits)
	}
	return b
}
