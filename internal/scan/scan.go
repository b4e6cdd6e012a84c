// Package scan looks for secrets and the like in files and streams of any size,
// in bounded memory.
package scan

import (
	"bytes"
	"errors"
	"io"

	"github.com/checkrein/checkrein/internal/secret"
)

// A Finding is where something was found in a file. It never holds what was
// found.
type Finding struct {
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"` // in bytes, from 1
	Rule   string `json:"rule"`
	Kind   string `json:"kind"`
	Start  int64  `json:"start"` // in bytes from the beginning of the file
	End    int64  `json:"end"`
}

const (
	block = 1 << 20   // read at a time
	seam  = 128 << 10 // of the block before, which the next one sees again
)

// ErrBinary says that a file holds no text.
var ErrBinary = errors.New("it is no text")

// Reader reports what it finds of the wanted kinds in r, in order, and how many
// bytes it read. Anything that fits into a seam is found wherever blocks end.
// UTF-16 is read as such, and its findings have their places in the file. A text
// that begins like no text is an [ErrBinary].
func Reader(r io.Reader, want secret.Kind, report func(Finding)) (int64, error) {
	var room [8 << 10]byte
	n, err := io.ReadFull(r, room[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return int64(n), err
	}
	head := room[:n]
	o, mark := orderOf(head)
	w := window{want: want, report: report, line: 1, order: o, place: int64(mark), col: mark}
	src := io.MultiReader(bytes.NewReader(head[mark:]), r)
	if o != 0 {
		d := decoder{src: src, o: o}
		_, err := w.run(&d)
		return int64(mark) + d.read, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return int64(n), ErrBinary
	}
	return w.run(src)
}

// run looks through all of a text.
func (w *window) run(r io.Reader) (int64, error) {
	buf := make([]byte, 0, block+seam)
	for {
		n, err := io.ReadFull(r, buf[len(buf):min(cap(buf), len(buf)+block)])
		buf = buf[:len(buf)+n]
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return w.at + int64(len(buf)), err
		}
		keep := w.look(buf, last)
		if last {
			return w.at + int64(len(buf)), nil
		}
		w.pass(buf[:len(buf)-keep])
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}

// A window is the part of a text that is being looked at.
type window struct {
	want   secret.Kind
	report func(Finding)
	found  []secret.Finding

	order order // of the file's bytes, of which the text was decoded
	at    int64 // where the window begins, in the text
	place int64 // the same in the file
	done  int64 // up to where findings are reported, in the text
	line  int   // the window's first line
	col   int   // bytes of that line before the window, in the file
}

// look reports what is in a window and returns how much of its end the next one
// must see again: what touches the end may go on behind it.
func (w *window) look(buf []byte, last bool) int {
	w.found = secret.Find(w.found[:0], string(buf), w.want)
	keep := min(seam, len(buf))
	if at := bytes.IndexByte(buf[len(buf)-keep:], '\n'); at >= 0 && at+1 < keep/2 {
		keep -= at + 1 // whole lines, where there are some
	}
	limit := len(buf)
	if !last {
		limit -= keep / 2
	}
	for _, f := range w.found {
		start, end := w.at+int64(f.Start), w.at+int64(f.End)
		if start < w.done || f.Start >= limit {
			continue
		}
		line, col := w.position(buf[:f.Start])
		from := w.place + int64(w.order.size(buf[:f.Start]))
		to := from + int64(w.order.size(buf[f.Start:f.End]))
		w.report(Finding{Line: line, Column: col, Rule: f.Rule, Kind: f.Kind.String(), Start: from, End: to})
		w.done = end
	}
	w.done = max(w.done, w.at+int64(limit))
	if last {
		return 0
	}
	return keep
}

// position is the line and column behind a prefix of the window.
func (w *window) position(prefix []byte) (line, col int) {
	n := bytes.Count(prefix, []byte{'\n'})
	if n == 0 {
		return w.line, w.col + w.order.size(prefix) + 1
	}
	return w.line + n, w.order.size(prefix[bytes.LastIndexByte(prefix, '\n')+1:]) + 1
}

// pass moves the window behind what will not be seen again.
func (w *window) pass(gone []byte) {
	line, col := w.position(gone)
	w.line, w.col = line, col-1
	w.at += int64(len(gone))
	w.place += int64(w.order.size(gone))
}
