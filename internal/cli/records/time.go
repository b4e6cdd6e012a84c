package records

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// timeForms are how a moment may be written, beside words and durations.
var timeForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// ParseMoment reads what --since and --until say: how long ago (90m, 7d), a day
// (2026-11-15, today) or a moment (RFC 3339). A day is all of it: with end, its
// end is meant. Times without a zone are those of now's.
func ParseMoment(text string, now time.Time, end bool) (time.Time, error) {
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
	for _, form := range timeForms {
		if at, err := time.ParseInLocation(form, strings.ToUpper(word), now.Location()); err == nil {
			return at, nil
		}
	}
	switch ago, err := ago(word); {
	case err == nil:
		return now.Add(-ago), nil
	case errors.Is(err, errTooLong):
		return time.Time{}, fmt.Errorf("%q %w: give at most %dd", text, err, math.MaxInt64/Day)
	}
	return time.Time{}, fmt.Errorf("%q is not a valid time: give an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or a point in time (2026-11-15T09:00:00Z)", text)
}

// midnight is the beginning of the day that is so many days after t's.
func midnight(t time.Time, days int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, t.Location())
}

const Day = 24 * time.Hour

var (
	errNoAge   = errors.New("is not an age")
	errTooLong = errors.New("is too long ago")
)

// ago reads a duration that may begin with weeks, days and hours: 2w, 1d12h, 90m.
func ago(word string) (time.Duration, error) {
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
