package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Source is where a machine gets the files of a repository: the hub, or a directory.
type Source interface {
	// Open returns the content of the file name, a path with slashes. If there is none, the error
	// is an [fs.ErrNotExist]. The content may be anything and have any length.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// A Store holds the files of a repository that can be changed. It has one writer at a time.
type Store interface {
	Source
	// Put replaces the file name as a whole. When it returns, the file is durable.
	Put(ctx context.Context, name string, data []byte) error
}

// A Dir is a [Store] in a directory.
type Dir string

// Open implements [Source].
func (d Dir) Open(_ context.Context, name string) (io.ReadCloser, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return state.OpenRegular(filepath.Join(string(d), filepath.FromSlash(name)))
}

// Put implements [Store].
func (d Dir) Put(_ context.Context, name string, data []byte) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	path := filepath.Join(string(d), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := state.ReplaceFile(path, data, 0o644); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// read returns the file name, or an error if it is longer than limit.
func read(ctx context.Context, from Source, name string, limit int64) ([]byte, error) {
	r, err := from.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, refuse(name, fmt.Errorf("it is longer than %d bytes", limit))
	}
	return data, nil
}

// A Refusal is why a file of a repository was not accepted. What was active before stays active.
type Refusal struct {
	File string
	Err  error
}

func (r *Refusal) Error() string {
	return r.File + " was refused: " + r.Err.Error() + ": ask your organization's administrator"
}

func (r *Refusal) Unwrap() error { return r.Err }

// refuse returns err as a refusal of the file name.
func refuse(name string, err error) error {
	if at := (*Refusal)(nil); errors.As(err, &at) {
		return err
	}
	return &Refusal{name, err}
}
