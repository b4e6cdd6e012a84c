package transcript

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// A database is an SQLite file that is read as it lies there: no lock is taken, so
// that the host is never kept waiting, and nothing is written. What its log of
// changes (the -wal file) holds counts, as far as it was committed. The file is
// taken to be hostile: no page is visited twice in one walk, and no number in it is
// believed.
type database struct {
	file    io.ReaderAt
	page    int    // bytes of a page
	usable  int    // of them
	pages   uint32 // how many there are
	wal     *os.File
	frames  map[uint32]int64 // where the log has a page
	salt    [8]byte
	visited uint32 // pages of this walk
	Skipped int    // rows that are too long
}

const (
	walHeader   = 32
	frameHeader = 24
	maxFrames   = 1 << 20
	maxDepth    = 32 // of a tree
)

var (
	errCut  = errors.New("the database is cut or damaged")
	errLoop = errors.New("the database is damaged: its pages form a loop")
)

// OpenDatabase reads the header of a database and the log beside it.
func OpenDatabase(file *os.File, path string) (*database, error) {
	var h [100]byte
	if _, err := file.ReadAt(h[:], 0); err != nil || string(h[:16]) != "SQLite format 3\x00" {
		return nil, errors.New("it is not an SQLite database")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	db := &database{file: file, page: int(binary.BigEndian.Uint16(h[16:]))}
	if db.page == 1 {
		db.page = 1 << 16
	}
	db.usable = db.page - int(h[20])
	if db.page < 512 || db.page&(db.page-1) != 0 || db.usable < 480 {
		return nil, errCut
	}
	if enc := binary.BigEndian.Uint32(h[56:]); enc > 1 {
		return nil, errors.New("the database is not in UTF-8")
	}
	db.pages = uint32(min(info.Size()/int64(db.page), math.MaxUint32-1))
	log, _, err := openRegular(path + "-wal")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return db, nil
	case err != nil:
		return nil, fmt.Errorf("its log of changes cannot be read: %w", err)
	}
	db.wal = log
	if err := db.readLog(); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (db *database) Close() {
	if db.wal != nil {
		db.wal.Close()
	}
}

// readLog finds the newest committed version of each page in the log. The log ends
// at the first frame that was not written in this round of it, or not whole.
func (db *database) readLog() error {
	var h [walHeader]byte
	if _, err := db.wal.ReadAt(h[:], 0); err != nil {
		return nil // it is empty
	}
	magic := binary.BigEndian.Uint32(h[:])
	if magic&^1 != 0x377f0682 || int(binary.BigEndian.Uint32(h[8:])) != db.page {
		return nil // as SQLite does: such a log holds nothing
	}
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 != 0 {
		order = binary.BigEndian
	}
	sum := checksum(order, [2]uint32{}, h[:24])
	if sum != [2]uint32{binary.BigEndian.Uint32(h[24:]), binary.BigEndian.Uint32(h[28:])} {
		return nil
	}
	copy(db.salt[:], h[16:24])
	db.frames = map[uint32]int64{}
	fresh := map[uint32]int64{} // since the last commit
	frame := make([]byte, frameHeader+db.page)
	for at := int64(walHeader); ; at += int64(len(frame)) {
		if _, err := db.wal.ReadAt(frame, at); err != nil {
			return nil
		}
		if [8]byte(frame[8:16]) != db.salt {
			return nil
		}
		sum = checksum(order, sum, frame[:8])
		sum = checksum(order, sum, frame[frameHeader:])
		if sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return nil
		}
		fresh[binary.BigEndian.Uint32(frame)] = at
		if size := binary.BigEndian.Uint32(frame[4:]); size != 0 {
			for n, at := range fresh {
				db.frames[n] = at
			}
			clear(fresh)
			db.pages = size
		}
		if len(fresh)+len(db.frames) > maxFrames {
			return fmt.Errorf("its log of changes has more than %d pages", maxFrames)
		}
	}
}

func checksum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += order.Uint32(b) + sum[1]
		sum[1] += order.Uint32(b[4:]) + sum[0]
	}
	return sum
}

// get reads a page into buf.
func (db *database) get(n uint32, buf []byte) error {
	if n == 0 || n > db.pages {
		return errCut
	}
	if db.visited++; db.visited > db.pages {
		return errLoop
	}
	at, ok := db.frames[n]
	if !ok {
		if _, err := db.file.ReadAt(buf, int64(n-1)*int64(db.page)); err != nil {
			return errCut
		}
		return nil
	}
	var h [frameHeader]byte
	if _, err := db.wal.ReadAt(buf, at+frameHeader); err != nil {
		return errCut
	}
	// After the page: the host may have begun the log anew meanwhile.
	if _, err := db.wal.ReadAt(h[:], at); err != nil || binary.BigEndian.Uint32(h[:]) != n || [8]byte(h[8:16]) != db.salt {
		return errors.New("the database was changed while it was read: try again")
	}
	return nil
}

// A Column is one value of a row.
type Column struct {
	kind uint64
	data []byte
}

func (c Column) Text() string {
	if c.kind < 12 {
		return ""
	}
	return string(c.data)
}

func (c Column) Int() int64 {
	switch {
	case c.kind == 9:
		return 1
	case c.kind < 1 || c.kind > 6 || len(c.data) == 0:
		return 0
	}
	n := int64(int8(c.data[0]))
	for _, b := range c.data[1:] {
		n = n<<8 | int64(b)
	}
	return n
}

// Rows gives f some columns of each row of a table.
func (db *database) Rows(table string, want []string, f func(cols []Column) error) error {
	var root int64
	var sql string
	db.visited = 0
	err := db.tree(1, 0, func(payload []byte) error {
		cols, err := record(payload)
		if err != nil || len(cols) < 5 {
			return err
		}
		if cols[0].Text() == "table" && cols[1].Text() == table {
			root, sql = cols[3].Int(), cols[4].Text()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if root < 1 || root > math.MaxUint32 {
		return fmt.Errorf("the database has no table %q", table)
	}
	names := columnNames(sql)
	index := make([]int, len(want))
	for i, w := range want {
		if index[i] = find(names, w); index[i] < 0 {
			return fmt.Errorf("the table %q has no column %q", table, w)
		}
	}
	out := make([]Column, len(want))
	db.visited = 0
	return db.tree(uint32(root), 0, func(payload []byte) error {
		cols, err := record(payload)
		if err != nil {
			db.Skipped++
			return nil
		}
		for i, k := range index {
			out[i] = Column{} // a column that was added later may be absent
			if k < len(cols) {
				out[i] = cols[k]
			}
		}
		return f(out)
	})
}

func find(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// tree walks the pages of a table in order of rows.
func (db *database) tree(n uint32, depth int, f func(payload []byte) error) error {
	if depth > maxDepth {
		return errLoop
	}
	page := make([]byte, db.page)
	if err := db.get(n, page); err != nil {
		return err
	}
	h := page
	if n == 1 {
		h = page[100:]
	}
	kind, cells := h[0], int(binary.BigEndian.Uint16(h[3:]))
	size := 8
	if kind == 5 {
		size = 12
	}
	if kind != 5 && kind != 13 || len(h) < size+2*cells {
		return errCut
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(h[size+2*i:]))
		if at >= db.usable {
			return errCut
		}
		cell := page[at:db.usable]
		var err error
		if kind == 5 {
			err = db.branch(cell, depth, f)
		} else {
			err = db.leaf(cell, f)
		}
		if err != nil {
			return err
		}
	}
	if kind == 5 {
		return db.tree(binary.BigEndian.Uint32(h[8:]), depth+1, f)
	}
	return nil
}

func (db *database) branch(cell []byte, depth int, f func([]byte) error) error {
	if len(cell) < 5 {
		return errCut
	}
	return db.tree(binary.BigEndian.Uint32(cell), depth+1, f)
}

func (db *database) leaf(cell []byte, f func([]byte) error) error {
	size, n := varint(cell)
	if n == 0 {
		return errCut
	}
	_, m := varint(cell[n:]) // the number of the row
	if m == 0 {
		return errCut
	}
	if size > maxLine {
		db.Skipped++
		return nil
	}
	payload, err := db.payload(cell[n+m:], int(size))
	if err != nil {
		return err
	}
	return f(payload)
}

// payload is what a cell holds; what does not fit into its page is in others.
func (db *database) payload(cell []byte, size int) ([]byte, error) {
	local := size
	if most := db.usable - 35; size > most {
		least := (db.usable-12)*32/255 - 23
		if local = least + (size-least)%(db.usable-4); local > most {
			local = least
		}
	}
	if local > len(cell) {
		return nil, errCut
	}
	if local == size {
		return cell[:size], nil
	}
	if len(cell) < local+4 {
		return nil, errCut
	}
	// Not more than there can be: size is only a number in a file.
	if int64(size-local) > int64(db.pages)*int64(db.usable-4) {
		return nil, errCut
	}
	out := append(make([]byte, 0, size), cell[:local]...)
	page := make([]byte, db.page)
	for next := binary.BigEndian.Uint32(cell[local:]); len(out) < size; next = binary.BigEndian.Uint32(page) {
		if err := db.get(next, page); err != nil {
			return nil, err
		}
		out = append(out, page[4:min(db.usable, 4+size-len(out))]...)
	}
	return out, nil
}

// varint reads a number and how long it is, 0 for one that is cut.
func varint(b []byte) (uint64, int) {
	var v uint64
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// record splits the payload of a row into its columns.
func record(b []byte) ([]Column, error) {
	size, n := varint(b)
	if n == 0 || size > uint64(len(b)) || int(size) < n {
		return nil, errCut
	}
	head, body := b[n:size], b[size:]
	var cols []Column
	for len(head) > 0 {
		kind, n := varint(head)
		if n == 0 {
			return nil, errCut
		}
		head = head[n:]
		width := uint64(0)
		switch {
		case kind >= 12:
			width = (kind - 12) / 2
		case kind < 8:
			width = [...]uint64{0, 1, 2, 3, 4, 6, 8, 8}[kind]
		}
		if width > uint64(len(body)) {
			return nil, errCut
		}
		cols = append(cols, Column{kind, body[:width]})
		body = body[width:]
	}
	return cols, nil
}

// columnNames reads the names of columns out of a CREATE TABLE: the first word
// after the parenthesis and after each comma that is in no other parentheses.
func columnNames(sql string) []string {
	_, rest, ok := strings.Cut(sql, "(")
	if !ok {
		return nil
	}
	var names []string
	depth, start := 0, 0
	for i, r := range rest {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		if depth < 0 || depth == 0 && r == ',' {
			word := strings.Fields(rest[start:i])
			if len(word) > 0 {
				names = append(names, strings.Trim(word[0], "`\"[]'"))
			}
			start = i + 1
		}
		if depth < 0 {
			break
		}
	}
	return names
}
