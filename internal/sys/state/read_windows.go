package state

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// readRegular returns the content of the regular file path and its modification time. If private is
// set, it must not be a symlink. The access rules of its directory determine who may write to it.
func readRegular(path string, limit int64, private bool) ([]byte, time.Time, error) {
	if private {
		if err := checkNoSymlink(path); err != nil {
			return nil, time.Time{}, err
		}
	}
	f, err := openNoWait(path, os.O_RDONLY)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, time.Time{}, err
	case !info.Mode().IsRegular():
		return nil, time.Time{}, fmt.Errorf("open %s: %w", path, errNotRegular)
	case info.Size() > limit:
		return nil, time.Time{}, tooLargeError(path, limit)
	}
	most := limit
	if most < math.MaxInt64 {
		most++ // one more byte than allowed shows that the file has grown
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, most)); err != nil {
		return nil, time.Time{}, err
	}
	if int64(buf.Len()) > limit {
		return nil, time.Time{}, tooLargeError(path, limit)
	}
	return buf.Bytes(), info.ModTime(), nil
}
