package environ

import (
	"os"
	"path/filepath"
	"strings"
)

// ClearUnsafeZone unsets TZ unless it names a zone of the system or a regular file. Package time opens
// the file that TZ names when the first local time is formatted, and a pipe would block the program
// forever.
func ClearUnsafeZone() {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone == "" {
		return
	}
	path := zone
	if !filepath.IsAbs(zone) {
		// Package time looks up a zone that the system does not have in Go's own list.
		if path = os.Getenv("GOROOT"); path != "" {
			path = filepath.Join(path, "lib", "time", "zoneinfo.zip")
		}
	}
	info, err := os.Stat(path) // fails for ""
	if strings.Contains(zone, "..") || err == nil && !info.Mode().IsRegular() {
		os.Unsetenv("TZ")
	}
}
