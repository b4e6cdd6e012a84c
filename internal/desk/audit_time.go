package desk

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeForms are how a moment may be written, beside words and durations.
var timeForms = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// moment reads what --since and --until say: how long ago (90m, 7d), a day
// (2026-11-15, today) or a moment (RFC 3339). A day is all of it: with end, its
// end is meant. Times without a zone are those of now's.
func moment(text string, now time.Time, end bool) (time.Time, error) {
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
	if ago, ok := ago(word); ok {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a valid time: give an age (90m, 2h, 7d), a day (2026-11-15, today, yesterday) or a point in time (2026-11-15T09:00:00Z)", text)
}

// midnight is the beginning of the day that is so many days after t's.
func midnight(t time.Time, days int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, t.Location())
}

const day = 24 * time.Hour

// ago reads a duration that may begin with weeks and days: 2w, 1d12h, 90m.
func ago(word string) (time.Duration, bool) {
	var total time.Duration
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", 7 * day}, {"d", day}} {
		number, rest, found := strings.Cut(word, unit.letter)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return 0, false
		}
		total += time.Duration(n) * unit.length
		if word = rest; word == "" {
			return total, true
		}
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, false
	}
	return total + d, true
}
