package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	gone := filepath.Join(t.TempDir(), "gone")
	_, missing := os.Stat(gone)
	closed := &fs.PathError{Op: "open", Path: "/key", Err: fs.ErrPermission}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{missing, gone + " does not exist"},
		{fmt.Errorf("reading: %w", missing), "reading: " + gone + " does not exist"},
		{errors.Join(missing, closed), gone + " does not exist\nyou may not access /key"},
		{errors.New("open sesame"), "open sesame"},
		{&fs.PathError{Op: "read", Path: "/x", Err: errors.New("is a directory")}, "read /x: is a directory"},
	} {
		if got := PlainText(tt.err); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
