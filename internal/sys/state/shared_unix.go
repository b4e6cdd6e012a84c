//go:build unix

package state

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A mapping is the content of a file mapped into memory.
type mapping struct{ mapped []byte }

// Add adds delta to the number at offset off, atomically with respect to all processes, and returns
// the result. The number is in native byte order.
func (s *SharedFile) Add(off int, delta uint64) (n uint64, err error) {
	if s.mapped == nil {
		if s.mapped, err = syscall.Mmap(s.fd, 0, s.size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
			s.mapped = nil
			return s.addLocked(off, delta)
		}
	}
	// Another process may truncate the file meanwhile, and access beyond its end faults.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", s.path, p)
		}
	}()
	return atomic.AddUint64((*uint64)(unsafe.Pointer(&s.mapped[off])), delta), nil
}

// Close unmaps and closes the file.
func (s *SharedFile) Close() error {
	if s.mapped != nil {
		_ = syscall.Munmap(s.mapped)
		s.mapped = nil
	}
	return s.File.Close()
}
