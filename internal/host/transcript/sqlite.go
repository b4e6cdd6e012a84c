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

// A database reads an SQLite file as it is. It takes no lock, so that the host never has to wait, and
// it writes nothing. It includes committed changes in the write-ahead log (the -wal file). The file
// may be hostile, so every number is checked and one walk visits at most as many pages as there are.
type database struct {
	file       io.ReaderAt
	pageSize   int    // in bytes
	usableSize int    // of each page
	pages      uint32 // number of pages
	wal        *os.File
	frames     map[uint32]int64 // offset of the newest version of each page in the log
	salt       [8]byte
	visited    uint32 // pages read in this walk
	Skipped    int    // the number of rows that are too long or damaged
}

const (
	walHeader   = 32
	frameHeader = 24
	maxFrames   = 1 << 20
	maxDepth    = 32 // of a tree
)

var (
	errTruncated = errors.New("the database is truncated or damaged")
	errLoop      = errors.New("the database is damaged: its pages form a loop")
)

// OpenDatabase returns the database in file, which was opened from path, with its write-ahead log if
// there is one. The caller must close the result and the file.
func OpenDatabase(file *os.File, path string) (*database, error) {
	var h [100]byte
	if _, err := file.ReadAt(h[:], 0); err != nil || string(h[:16]) != "SQLite format 3\x00" {
		return nil, errors.New("it is not an SQLite database")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	db := &database{file: file, pageSize: int(binary.BigEndian.Uint16(h[16:]))}
	if db.pageSize == 1 {
		db.pageSize = 1 << 16
	}
	db.usableSize = db.pageSize - int(h[20])
	if db.pageSize < 512 || db.pageSize&(db.pageSize-1) != 0 || db.usableSize < 480 {
		return nil, errTruncated
	}
	if enc := binary.BigEndian.Uint32(h[56:]); enc > 1 {
		return nil, errors.New("the database is not in UTF-8")
	}
	db.pages = uint32(min(info.Size()/int64(db.pageSize), math.MaxUint32-1))
	log, _, err := openRegular(path + "-wal")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return db, nil
	case err != nil:
		return nil, fmt.Errorf("its write-ahead log cannot be read: %w", err)
	}
	db.wal = log
	if err := db.readLog(); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Close closes the write-ahead log.
func (db *database) Close() {
	if db.wal != nil {
		db.wal.Close()
	}
}

// readLog finds the newest committed version of each page in the write-ahead log. The log ends at the
// first frame that is incomplete or was written before the last restart of the log.
func (db *database) readLog() error {
	var h [walHeader]byte
	if _, err := db.wal.ReadAt(h[:], 0); err != nil {
		return nil // the log is empty
	}
	magic := binary.BigEndian.Uint32(h[:])
	if magic&^1 != 0x377f0682 || int(binary.BigEndian.Uint32(h[8:])) != db.pageSize {
		return nil // SQLite ignores such a log too
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
	frame := make([]byte, frameHeader+db.pageSize)
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
			return fmt.Errorf("its write-ahead log has more than %d pages", maxFrames)
		}
	}
}

// checksum returns the checksum that SQLite computes for b, starting with sum.
func checksum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += order.Uint32(b) + sum[1]
		sum[1] += order.Uint32(b[4:]) + sum[0]
	}
	return sum
}

// readPage reads page n into buf, from the log if it is there.
func (db *database) readPage(n uint32, buf []byte) error {
	if n == 0 || n > db.pages {
		return errTruncated
	}
	if db.visited++; db.visited > db.pages {
		return errLoop
	}
	at, ok := db.frames[n]
	if !ok {
		if _, err := db.file.ReadAt(buf, int64(n-1)*int64(db.pageSize)); err != nil {
			return errTruncated
		}
		return nil
	}
	var h [frameHeader]byte
	if _, err := db.wal.ReadAt(buf, at+frameHeader); err != nil {
		return errTruncated
	}
	// The header is read after the page, because the host may have restarted the log in the meantime.
	if _, err := db.wal.ReadAt(h[:], at); err != nil || binary.BigEndian.Uint32(h[:]) != n || [8]byte(h[8:16]) != db.salt {
		return errors.New("the database was changed while it was being read: try again")
	}
	return nil
}

// A Column is a value of a row.
type Column struct {
	kind uint64
	data []byte
}

// Text returns the text in the column, or "" if it holds another kind of value.
func (c Column) Text() string {
	if c.kind < 12 {
		return ""
	}
	return string(c.data)
}

// Int returns the integer in the column, or 0 if it holds another kind of value.
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

// EachRow calls f with the columns want of each row of table. The columns are valid until f returns.
func (db *database) EachRow(table string, want []string, f func(cols []Column) error) error {
	var root int64
	var sql string
	db.visited = 0
	err := db.walkTree(1, 0, func(payload []byte) error {
		cols, err := splitColumns(payload)
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
		if index[i] = indexOf(names, w); index[i] < 0 {
			return fmt.Errorf("the table %q has no column %q", table, w)
		}
	}
	out := make([]Column, len(want))
	db.visited = 0
	return db.walkTree(uint32(root), 0, func(payload []byte) error {
		cols, err := splitColumns(payload)
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

// indexOf returns the index of s in list, or -1.
func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// walkTree calls f with the payload of each row in the tree below page n, in the order of row IDs.
func (db *database) walkTree(n uint32, depth int, f func(payload []byte) error) error {
	if depth > maxDepth {
		return errLoop
	}
	page := make([]byte, db.pageSize)
	if err := db.readPage(n, page); err != nil {
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
		return errTruncated
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(h[size+2*i:]))
		if at >= db.usableSize {
			return errTruncated
		}
		cell := page[at:db.usableSize]
		var err error
		if kind == 5 {
			err = db.walkBranch(cell, depth, f)
		} else {
			err = db.visitLeaf(cell, f)
		}
		if err != nil {
			return err
		}
	}
	if kind == 5 {
		return db.walkTree(binary.BigEndian.Uint32(h[8:]), depth+1, f)
	}
	return nil
}

// walkBranch walks the tree below a cell of an interior page.
func (db *database) walkBranch(cell []byte, depth int, f func([]byte) error) error {
	if len(cell) < 5 {
		return errTruncated
	}
	return db.walkTree(binary.BigEndian.Uint32(cell), depth+1, f)
}

// visitLeaf calls f with the payload of a cell of a leaf page, unless it is too long.
func (db *database) visitLeaf(cell []byte, f func([]byte) error) error {
	size, n := readVarint(cell)
	if n == 0 {
		return errTruncated
	}
	_, m := readVarint(cell[n:]) // the row ID
	if m == 0 {
		return errTruncated
	}
	if size > maxLine {
		db.Skipped++
		return nil
	}
	payload, err := db.readPayload(cell[n+m:], int(size))
	if err != nil {
		return err
	}
	return f(payload)
}

// readPayload returns the payload of a cell, which has size bytes. The part that does not fit into the
// cell's page is in overflow pages.
func (db *database) readPayload(cell []byte, size int) ([]byte, error) {
	local := size
	if most := db.usableSize - 35; size > most {
		least := (db.usableSize-12)*32/255 - 23
		if local = least + (size-least)%(db.usableSize-4); local > most {
			local = least
		}
	}
	if local > len(cell) {
		return nil, errTruncated
	}
	if local == size {
		return cell[:size], nil
	}
	if len(cell) < local+4 {
		return nil, errTruncated
	}
	// Reject a size that the pages cannot hold.
	if int64(size-local) > int64(db.pages)*int64(db.usableSize-4) {
		return nil, errTruncated
	}
	out := append(make([]byte, 0, size), cell[:local]...)
	page := make([]byte, db.pageSize)
	for next := binary.BigEndian.Uint32(cell[local:]); len(out) < size; next = binary.BigEndian.Uint32(page) {
		if err := db.readPage(next, page); err != nil {
			return nil, err
		}
		out = append(out, page[4:min(db.usableSize, 4+size-len(out))]...)
	}
	return out, nil
}

// readVarint returns the varint at the beginning of b and its length in bytes, or 0, 0 if it is
// truncated.
func readVarint(b []byte) (uint64, int) {
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

// splitColumns splits the payload of a row into its columns.
func splitColumns(b []byte) ([]Column, error) {
	size, n := readVarint(b)
	if n == 0 || size > uint64(len(b)) || int(size) < n {
		return nil, errTruncated
	}
	head, body := b[n:size], b[size:]
	var cols []Column
	for len(head) > 0 {
		kind, n := readVarint(head)
		if n == 0 {
			return nil, errTruncated
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
			return nil, errTruncated
		}
		cols = append(cols, Column{kind, body[:width]})
		body = body[width:]
	}
	return cols, nil
}

// columnNames returns the names of the columns in a CREATE TABLE statement. A name is the first word
// after the opening parenthesis and after each comma outside inner parentheses.
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
