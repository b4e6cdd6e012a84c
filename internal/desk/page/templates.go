package page

import (
	"html/template"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/term"
)

// commonTemplates are the templates that every screen may use.
var commonTemplates = []string{"templates/page.html", "templates/parts.html"}

// parseTemplates returns the templates of each screen: the common ones with main, the content of the
// screen.
func parseTemplates(o *Options) map[string]*template.Template {
	common := template.Must(template.New("").Funcs(functions(o)).ParseFS(files, commonTemplates...))
	names, _ := fs.Glob(files, "templates/*.html") // the pattern is valid
	out := map[string]*template.Template{}
	for _, file := range names {
		if name := strings.TrimSuffix(path.Base(file), ".html"); name != "page" && name != "parts" {
			out[name] = template.Must(template.Must(common.Clone()).ParseFS(files, file))
		}
	}
	return out
}

// A navigation is a page that every page links to.
type navigation struct{ Title, Path, Key string }

// pages lists the pages in the order of the navigation. After g, the key opens the page.
var pages = []navigation{
	{"Now", "/", "n"}, {"Approvals", "/approvals", "w"}, {"Search", "/search", "s"}, {"Agents", "/agents", "a"}, {"Hooks", "/hooks", "h"}, {"Policy", "/policy", "p"}, {"Undo and walls", "/undo", "u"}, {"Cost", "/cost", "c"},
}

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
		"words": func(s string) string { return strings.ReplaceAll(s, "_", " ") },
		"join":  strings.Join,
		"bytes": formatBytes,
		"usd":   func(v float64) string { return "$" + strconv.FormatFloat(v, 'f', 4, 64) },
		"share": func(part, whole float64) float64 { return 100 * part / max(whole, 1e-9) },
		"rule":  func(s *stats, name string) *ruleStat { return s.Rules[name] },
		"span":  func(from, to time.Time) string { return strings.TrimSuffix(ago(to.Sub(from)), " ago") },
		"pages": func() []navigation { return pages },
		"tail":  func(s string) string { return s[max(0, len(s)-8):] },
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
	case ms > 0 && ms < 0.1:
		return "< 0.1 ms"
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}
