// Package moment parses points in time as people write them.
package moment

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// timeLayouts lists the layouts in which a time may be written, in addition to words, days and ages.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// Parse parses text, a point in time for people: an age (90m, 7d), a day (2026-11-15, today) or a
// time (RFC 3339). If end is set, a day means its end. Times without a zone are in the zone of now.
func Parse(text string, now time.Time, end bool) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	days := 0
	if end {
		days = 1
	}
	switch word {
	case "now":
		return now, nil
	case "today":
		return midnight(now, days), nil
	case "yesterday":
		return midnight(now, days-1), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, word, now.Location()); err == nil {
		return midnight(day, days), nil
	}
	for _, form := range timeLayouts {
		if at, err := time.ParseInLocation(form, strings.ToUpper(word), now.Location()); err == nil {
			return at, nil
		}
	}
	switch ago, err := parseAge(word); {
	case err == nil:
		return now.Add(-ago), nil
	case errors.Is(err, errTooLong):
		return time.Time{}, fmt.Errorf("%q %w: give at most %dd", text, err, math.MaxInt64/Day)
	}
	return time.Time{}, fmt.Errorf("%q is not a valid time: give an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or a point in time (2026-11-15T09:00:00Z)", text)
}

// midnight returns the beginning of the day that is days after the day of t.
func midnight(t time.Time, days int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, t.Location())
}

// Day is 24 hours.
const Day = 24 * time.Hour

var (
	errNoAge   = errors.New("is not an age")
	errTooLong = errors.New("is too long ago")
)

// parseAge parses a duration that may begin with weeks and days, such as 2w, 1d12h or 90m.
func parseAge(word string) (time.Duration, error) {
	var total time.Duration
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", 7 * Day}, {"d", Day}, {"h", time.Hour}} {
		number, rest, found := strings.Cut(word, unit.letter)
		if !found || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n > int64((math.MaxInt64-total)/unit.length) {
			return 0, errTooLong
		}
		total += time.Duration(n) * unit.length
		if word = rest; word == "" {
			return total, nil
		}
	}
	d, err := time.ParseDuration(word)
	switch {
	case err != nil || d < 0:
		return 0, errNoAge
	case d > math.MaxInt64-total:
		return 0, errTooLong
	}
	return total + d, nil
}
