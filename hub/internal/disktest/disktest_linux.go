// Package disktest mounts a disk for tests that can lose power, be full and be slow.
package disktest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A Disk is a file system that knows what a disk would still have after a power failure. Like ext4, a
// sync of a file keeps the content of that file, and the names, renames and removals of all files up to
// then. Everything else is lost.
type Disk struct {
	Dir  string       // where it is mounted
	Full atomic.Bool  // nothing can be written
	Slow atomic.Int64 // nanoseconds that each sync takes

	live  string // has the files as programs see them
	kept  string // has the content of synced files, by inode
	mu    sync.Mutex
	names map[string]entry // as of the last sync
	dirty map[uint64][]span
	syncs int
}

// An entry is a name that survives.
type entry struct {
	ino  uint64
	dir  bool
	mode fs.FileMode
}

// A span is a part of a file.
type span struct{ from, to int64 }

// Mount mounts a disk until the test ends. It skips the test if that is not possible here.
func Mount(t testing.TB) *Disk {
	base := t.TempDir()
	d := &Disk{Dir: filepath.Join(base, "mnt"), live: filepath.Join(base, "live"), kept: filepath.Join(base, "kept"), names: map[string]entry{}, dirty: map[uint64][]span{}}
	for _, dir := range []string{d.Dir, d.live, d.kept} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root := &fusefs.LoopbackRoot{Path: d.live}
	root.RootNode = &node{LoopbackNode: &fusefs.LoopbackNode{RootData: root}, disk: d}
	server, err := fusefs.Mount(d.Dir, root.RootNode, &fusefs.Options{MountOptions: fuse.MountOptions{DirectMount: true, FsName: "disktest", AllowOther: os.Getuid() == 0}})
	if err != nil {
		t.Skipf("no disk that loses power can be mounted here: %v", err)
	}
	t.Cleanup(func() { server.Unmount() })
	return d
}

// Syncs returns how many times something was synced.
func (d *Disk) Syncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncs
}

// After returns a directory with what the disk has after a power failure now. The programs that use the
// disk must be dead.
func (d *Disk) After(t testing.TB) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := t.TempDir()
	for name, e := range d.names {
		path := filepath.Join(out, name)
		if e.dir {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := os.ReadFile(d.keptFile(e.ino)) // none: its content was never synced
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, e.mode.Perm()); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (d *Disk) keptFile(ino uint64) string { return filepath.Join(d.kept, fmt.Sprint(ino)) }

// wrote notes that a part of a file is not synced.
func (d *Disk) wrote(ino uint64, from, to int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty[ino] = append(d.dirty[ino], span{from, to})
}

// sync keeps the content of the file fd, and all names.
func (d *Disk) sync(fd int) syscall.Errno {
	time.Sleep(time.Duration(d.Slow.Load()))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	if err := d.keep(fd); err != nil {
		return fusefs.ToErrno(err)
	}
	clear(d.names)
	return fusefs.ToErrno(filepath.WalkDir(d.live, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed meanwhile
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(d.live, path)
		d.names[name] = entry{info.Sys().(*syscall.Stat_t).Ino, e.IsDir(), info.Mode()}
		return nil
	}))
}

// keep copies what was written to the file fd since its last sync.
func (d *Disk) keep(fd int) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil
	}
	to, err := os.OpenFile(d.keptFile(st.Ino), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, s := range d.dirty[st.Ino] {
		buf := make([]byte, max(min(s.to, st.Size)-s.from, 0))
		n, err := syscall.Pread(fd, buf, s.from)
		if err != nil {
			return err
		}
		if _, err := to.WriteAt(buf[:n], s.from); err != nil {
			return err
		}
	}
	delete(d.dirty, st.Ino)
	return to.Truncate(st.Size)
}

// A node is a file or directory of a disk.
type node struct {
	*fusefs.LoopbackNode
	disk *Disk
}

var (
	_ fusefs.NodeWrapChilder = (*node)(nil)
	_ fusefs.NodeOpener      = (*node)(nil)
	_ fusefs.NodeCreater     = (*node)(nil)
	_ fusefs.NodeFsyncer     = (*node)(nil)
)

// WrapChild returns a node of the disk for a child that the LoopbackNode made.
func (n *node) WrapChild(_ context.Context, child fusefs.InodeEmbedder) fusefs.InodeEmbedder {
	return &node{LoopbackNode: child.(*fusefs.LoopbackNode), disk: n.disk}
}

func (n *node) Open(_ context.Context, flags uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	return n.open(filepath.Join(n.disk.live, n.Path(n.Root())), flags, 0)
}

// open opens the file at path.
func (n *node) open(path string, flags, mode uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	if n.disk.Full.Load() && flags&(syscall.O_CREAT|syscall.O_TRUNC) != 0 {
		return nil, 0, syscall.ENOSPC
	}
	if flags&syscall.O_ACCMODE == syscall.O_WRONLY { // sync reads what was written
		flags = flags&^syscall.O_ACCMODE | syscall.O_RDWR
	}
	// The kernel sends the offsets of those who append.
	fd, err := syscall.Open(path, int(flags)&^(syscall.O_APPEND|syscall.O_SYNC|syscall.O_DSYNC)|syscall.O_CLOEXEC, mode)
	if err != nil {
		return nil, 0, fusefs.ToErrno(err)
	}
	return &file{fd: fd, disk: n.disk, synced: flags&(syscall.O_SYNC|syscall.O_DSYNC) != 0}, fuse.FOPEN_DIRECT_IO, 0
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fusefs.Inode, fusefs.FileHandle, uint32, syscall.Errno) {
	path := filepath.Join(n.disk.live, n.Path(n.Root()), name)
	h, fuseFlags, errno := n.open(path, flags|syscall.O_CREAT, mode)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	child, errno := n.Lookup(ctx, name, out)
	return child, h, fuseFlags, errno
}

// Fsync syncs a directory, which has no handle of ours.
func (n *node) Fsync(ctx context.Context, h fusefs.FileHandle, flags uint32) syscall.Errno {
	if f, ok := h.(*file); ok {
		return f.Fsync(ctx, flags)
	}
	fd, err := syscall.Open(filepath.Join(n.disk.live, n.Path(n.Root())), syscall.O_RDONLY, 0)
	if err != nil {
		return fusefs.ToErrno(err)
	}
	defer syscall.Close(fd)
	return n.disk.sync(fd)
}

// A file is an open file.
type file struct {
	fd     int
	disk   *Disk
	synced bool // every write is synced
}

func (f *file) ino() uint64 {
	var st syscall.Stat_t
	_ = syscall.Fstat(f.fd, &st)
	return st.Ino
}

func (f *file) Read(_ context.Context, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	return fuse.ReadResultFd(uintptr(f.fd), off, len(buf)), 0
}

func (f *file) Write(_ context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	if f.disk.Full.Load() {
		return 0, syscall.ENOSPC
	}
	n, err := syscall.Pwrite(f.fd, data, off)
	if err != nil {
		return 0, fusefs.ToErrno(err)
	}
	f.disk.wrote(f.ino(), off, off+int64(n))
	if f.synced {
		return uint32(n), f.disk.sync(f.fd)
	}
	return uint32(n), 0
}

func (f *file) Fsync(context.Context, uint32) syscall.Errno { return f.disk.sync(f.fd) }
func (f *file) Flush(context.Context) syscall.Errno         { return 0 }
func (f *file) Release(context.Context) syscall.Errno       { return fusefs.ToErrno(syscall.Close(f.fd)) }

func (f *file) Getattr(_ context.Context, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return fusefs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

func (f *file) Setattr(ctx context.Context, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		if err := syscall.Ftruncate(f.fd, int64(size)); err != nil {
			return fusefs.ToErrno(err)
		}
	}
	return f.Getattr(ctx, out)
}
