package transcript

import (
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"
)

func openPlain(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if why := unfit(info); why != "" {
		return nil, &SkipError{name, why}
	}
	return os.Open(name)
}

func owned(fs.FileInfo) bool { return true }

// A basicInfo is what the system says of a file, in steps of 100 ns since 1601.
type basicInfo struct {
	created, read, written, changed int64
	attributes                      uint32
	_                               uint32
}

const (
	classBasicInfo = 0
	since1601      = 116_444_736_000_000_000 // until 1970
)

// written is when a file was changed last, by the later one of its times. The one that
// programs set is in what a folder says of the file; the other one only the file tells.
func written(name string, info fs.FileInfo) time.Time {
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
