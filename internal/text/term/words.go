package term

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// FormatCount returns n and a noun: "no events", "1 event", "1,204 events". one is the singular.
func FormatCount(n int, one string) string {
	switch n {
	case 0:
		return "no " + plural(one)
	case 1:
		return "1 " + one
	}
	return FormatNumber(n) + " " + plural(one)
}

// plural returns the plural of the noun one.
func plural(one string) string {
	switch {
	case strings.HasSuffix(one, "y") && !strings.HasSuffix(one, "ay") && !strings.HasSuffix(one, "ey"):
		return one[:len(one)-1] + "ies"
	case strings.HasSuffix(one, "s"), strings.HasSuffix(one, "x"), strings.HasSuffix(one, "ch"), strings.HasSuffix(one, "sh"):
		return one + "es"
	}
	return one + "s"
}

// FormatNumber returns n with commas between thousands.
func FormatNumber(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && d != '-' && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// ShortPath returns path with ~ for the home directory.
func (s *Screen) ShortPath(path string) string {
	if s.home != "" {
		if path == s.home {
			return "~"
		}
		if rest, ok := strings.CutPrefix(path, s.home+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

// Ago returns how long ago t was, in a single unit, or the date if that is more than 30 days.
func (s *Screen) Ago(t time.Time) string {
	d := s.now.Sub(t)
	switch {
	case t.IsZero():
		return "never"
	case d < -time.Minute:
		return "in " + FormatDuration(-d)
	case d < time.Second:
		return "just now"
	case d > 30*24*time.Hour:
		return t.In(s.zone).Format(time.DateOnly)
	}
	return FormatDuration(d) + " ago"
}

// FormatDuration returns d in a single unit.
func FormatDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// FormatClock returns the time of day of t, preceded by the date if that is not today.
func (s *Screen) FormatClock(t time.Time) string {
	t, now := t.In(s.zone), s.now.In(s.zone)
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// ShortenPaths returns text in which each path in the home directory begins with ~.
func (s *Screen) ShortenPaths(text string) string {
	if s.home == "" {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, s.home+"/")
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		if i == 0 || strings.ContainsRune(" (\"'`,", rune(text[i-1])) {
			b.WriteByte('~')
		} else {
			b.WriteString(s.home)
		}
		text = text[i+len(s.home):]
	}
	return b.String() + text
}
