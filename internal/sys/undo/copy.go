package undo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	groupSize  = 256 // files of a group; larger directories are slower
	maxCopiers = 4
	maxTries   = 8 // to copy a file that another program keeps replacing
)

// A group holds files whose copies are in one directory. A goroutine copies a group while the next one
// is filled.
type group struct {
	number int
	files  []file
	saved  int    // files
	bytes  int64  // of them
	lines  []byte // of them in the manifest
}

// addFile adds f to the files of the save.
func (c *collector) addFile(f file) {
	c.found++
	if c.dry {
		return
	}
	if n := len(c.groups); n == 0 || len(c.groups[n-1].files) == groupSize {
		if n > 0 {
			c.startCopying(c.groups[n-1])
		}
		c.groups = append(c.groups, &group{number: n, files: make([]file, 0, groupSize)})
	}
	g := c.groups[len(c.groups)-1]
	g.files = append(g.files, f)
}

// startCopying has a copier copy the files of g.
func (c *collector) startCopying(g *group) {
	if c.work == nil {
		if err := c.begin(); err != nil {
			c.fail(err)
		}
		c.work = make(chan *group, maxCopiers)
		for range min(runtime.GOMAXPROCS(0), maxCopiers) {
			c.copiers.Go(func() {
				for g := range c.work {
					c.copyGroup(g)
				}
			})
		}
	}
	c.work <- g
}

// finish waits until all files are copied, and returns the groups. If that fails, it ends the context of c.
func (c *collector) finish() []*group {
	groups := c.groups
	switch n := len(c.groups); {
	case c.work != nil:
		c.startCopying(c.groups[n-1])
		close(c.work)
		c.copiers.Wait()
	case n > 0:
		if err := c.begin(); err != nil {
			c.fail(err)
		}
		c.copyGroup(c.groups[0])
	}
	c.groups, c.work = nil, nil
	return groups
}

// copyGroup copies the files of g and writes their lines. If that fails, it ends the context of c.
func (c *collector) copyGroup(g *group) {
	to := c.path("files", strconv.Itoa(g.number))
	var l linker
	defer l.close()
	made, dir := false, ""
	for i := range g.files {
		f := &g.files[i]
		if c.ctx.Err() != nil {
			return
		}
		if f.kind == regular {
			if !made {
				if err := os.Mkdir(to, 0o700); err != nil {
					c.fail(err)
					return
				}
				made = true
			}
			f.number = g.number*groupSize + i
			err := c.copyFile(f, to, strconv.Itoa(i), &l)
			for try := 1; errors.Is(err, fs.ErrNotExist) && !state.IsAbsent(f.path) && try < maxTries; try++ {
				err = c.copyFile(f, to, strconv.Itoa(i), &l) // it was removed and written again meanwhile
			}
			switch {
			case errors.Is(err, fs.ErrNotExist) && state.IsAbsent(f.path):
				continue // it was removed meanwhile
			case err != nil:
				c.fail(err)
				return
			}
			g.bytes += f.size
		}
		g.saved++
		g.lines, dir = f.appendLine(g.lines, dir)
	}
}

// copyFile links or, if the call writes into the file or it is on another disk, copies the file f to
// the new file name in the directory to.
func (c *collector) copyFile(f *file, to, name string, l *linker) error {
	if !f.inPlace && l.link(f, to, name) == nil { // fails on another disk, and for files of other users
		f.linked = true
		return nil
	}
	info, err := os.Lstat(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	if err := c.limitCopied(info.Size()); err != nil {
		return err
	}
	f.describe(info)
	if f.inPlace {
		f.inode = sharedInode(info)
	}
	if err := copyData(filepath.Join(to, name), f.path); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// describe sets what is known of f from info.
func (f *file) describe(info fs.FileInfo) {
	f.mode, f.size, f.mtime = info.Mode()&modeBits, info.Size(), info.ModTime().UnixNano()
}

// limitCopied adds size to the bytes that are copied, and returns an error if they exceed the limit.
func (c *collector) limitCopied(size int64) error {
	if c.copied.Add(size) > maxCopied {
		return fmt.Errorf("%w: more than %d MiB to copy", ErrNotSaved, maxCopied>>20)
	}
	return nil
}

// copyData copies the content of the regular file from into the new file to.
func copyData(to, from string) error {
	in, err := state.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// copyName returns the name of the copy with this number below the directory of copies.
func copyName(number int) string {
	return filepath.Join(strconv.Itoa(number/groupSize), strconv.Itoa(number%groupSize))
}
