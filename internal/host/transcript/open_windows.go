package transcript

import (
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// openNoFollow opens a file for reading unless skipReason has a reason not to.
func openNoFollow(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if why := skipReason(info); why != "" {
		return nil, &SkipError{name, why}
	}
	return os.Open(name)
}

// isOwnedByUser returns true, because owners are not checked on Windows.
func isOwnedByUser(fs.FileInfo) bool { return true }

// basicInfo is FILE_BASIC_INFO, with times in steps of 100 ns since 1601.
type basicInfo struct {
	created, read, written, changed int64
	attributes                      uint32
	_                               uint32
}

const (
	classBasicInfo = 0
	since1601      = 116_444_736_000_000_000 // until 1970
)

// lastWrite returns when the contents or metadata of a file last changed. info has only the
// modification time, which programs can set; reading the change time requires an open file.
func lastWrite(name string, info fs.FileInfo) time.Time {
	if !info.Mode().IsRegular() {
		return info.ModTime()
	}
	file, err := os.Open(name)
	if err != nil {
		return info.ModTime()
	}
	defer file.Close()
	var basic basicInfo
	ask := syscall.NewLazyDLL("kernel32.dll").NewProc("GetFileInformationByHandleEx")
	ok, _, _ := ask.Call(file.Fd(), classBasicInfo, uintptr(unsafe.Pointer(&basic)), unsafe.Sizeof(basic))
	if ok == 0 {
		return info.ModTime()
	}
	if changed := time.Unix(0, (basic.changed-since1601)*100); changed.After(info.ModTime()) {
		return changed
	}
	return info.ModTime()
}
