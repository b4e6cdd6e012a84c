//go:build unix

package state

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"unsafe"
)

type mapping struct{ mapped []byte }

// Add adds to the number at an offset, in one step for all processes, and returns the
// sum. The number is in the machine's own order of bytes.
func (s *Shared) Add(off int, delta uint64) (n uint64, err error) {
	if s.mapped == nil {
		if s.mapped, err = syscall.Mmap(s.fd, 0, s.size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
			s.mapped = nil
			return s.addLocked(off, delta)
		}
	}
	// Somebody may make the file shorter meanwhile: what lies behind its end cannot be
	// touched.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", s.path, p)
		}
	}()
	return atomic.AddUint64((*uint64)(unsafe.Pointer(&s.mapped[off])), delta), nil
}

// Close closes the file.
func (s *Shared) Close() error {
	if s.mapped != nil {
		_ = syscall.Munmap(s.mapped)
		s.mapped = nil
	}
	return s.File.Close()
}
