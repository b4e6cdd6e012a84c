package environ

import (
	"os"
	"path/filepath"
	"strings"
)

// ClearZone unsets TZ unless it names a zone of the system or a regular file. Package
// time opens what TZ leads to when the first local time is written, and a pipe would
// hold the program up for ever.
func ClearZone() {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone == "" {
		return
	}
	path := zone
	if !filepath.IsAbs(zone) {
		// A zone that the system does not have is looked for in Go's own list.
		if path = os.Getenv("GOROOT"); path != "" {
			path = filepath.Join(path, "lib", "time", "zoneinfo.zip")
		}
	}
	info, err := os.Stat(path) // "" is no file
	if strings.Contains(zone, "..") || err == nil && !info.Mode().IsRegular() {
		os.Unsetenv("TZ")
	}
}
