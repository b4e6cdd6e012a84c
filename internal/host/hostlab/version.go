package hostlab

import (
	"strconv"
	"strings"
)

// nearest returns the newest served version that is not newer than the wanted
// one, or else the oldest that is. Versions with a suffix do not count.
func nearest(wanted string, served []string) (string, bool) {
	want, ok := parseVersion(wanted)
	if !ok {
		return "", false
	}
	var below, above string
	var low, high [3]int
	for _, s := range served {
		v, ok := parseVersion(s)
		if !ok {
			continue
		}
		if compare(v, want) <= 0 {
			if below == "" || compare(v, low) > 0 {
				below, low = s, v
			}
		} else if above == "" || compare(v, high) < 0 {
			above, high = s, v
		}
	}
	if below != "" {
		return below, true
	}
	return above, above != ""
}

func parseVersion(s string) (v [3]int, ok bool) {
	parts := strings.Split(s, ".")
	if len(parts) != len(v) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func compare(a, b [3]int) int {
	for i := range a {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return 0
}
