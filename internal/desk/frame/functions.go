package frame

import (
	"html/template"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/term"
)

// signs has a sign for each answer, so that it does not depend on its colour.
var signs = map[string]string{"pass": "·", "saved": "↺", "contained": "▣", "asked": "?", "denied": "✕"}

// functions returns the functions of the templates.
func functions(o *Options) template.FuncMap {
	return template.FuncMap{
		"ago":   func(t time.Time) string { return ago(o.Now().Sub(t)) },
		"clock": func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"sign":  func(answer string) string { return signs[answer] },
		"short": func(path string) string { return shortPath(path, o.Home) },
		"shown": func(text string) string { return shortText(text, o.Home) },
		"count": term.FormatCount, "number": term.FormatNumber,
		"ms":    formatMillis,
		"milli": func(t time.Time) int64 { return t.UnixMilli() },
		"words": func(s string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(s) },
		"join":  strings.Join,
		"bytes": formatBytes,
		"usd":   func(v float64) string { return "$" + strconv.FormatFloat(v, 'f', 4, 64) },
		"share": func(part, whole float64) float64 { return 100 * part / max(whole, 1e-9) },
		"span":  func(from, to time.Time) string { return strings.TrimSuffix(ago(to.Sub(from)), " ago") },
		"pages": func() []Navigation { return o.Pages }, "scripts": func() []string { return o.Scripts },
		"base": filepath.Base,
	}
}

// ago returns how long ago something was, in the largest unit that fits.
func ago(d time.Duration) string {
	for _, unit := range [...]struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if d >= unit.size {
			return strconv.Itoa(int(d/unit.size)) + " " + unit.name + " ago"
		}
	}
	return "just now"
}

// shortPath returns path with ~ for the home directory.
func shortPath(path, home string) string {
	rest, ok := strings.CutPrefix(path, home)
	if !ok || home == "" || rest != "" && rest[0] != '/' {
		return path
	}
	return "~" + rest
}

// shortText returns text with ~ for the home directory.
func shortText(text, home string) string {
	if home == "" || home == "/" {
		return text
	}
	return strings.ReplaceAll(text, home+"/", "~/")
}

// formatBytes returns a size in the largest unit that fits.
func formatBytes(n int64) string {
	for _, unit := range [...]struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.size {
			return strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64) + " " + unit.name
		}
	}
	return term.FormatCount(int(n), "byte")
}

// formatMillis returns a duration in milliseconds with its unit.
func formatMillis(ms float64) string {
	switch {
	case ms >= 10_000:
		return strconv.FormatFloat(ms/1000, 'f', 0, 64) + " s"
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
	case ms >= 10:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case ms < 0.1:
		return "< 0.1 ms"
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}
