package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// TestSeatbeltProfile checks the text of profiles. They were not run on macOS.
func TestSeatbeltProfile(t *testing.T) {
	t.Parallel()
	walls := Jail{ReadAll: true, Contained: true, NoNetwork: true, Write: []string{"/Users/a b/pro\"ject", `/Users/back\slash`, "/tmp"}, Hide: []string{"/Users/a b/.netrc"}}
	for _, tt := range []struct {
		name string
		jail Jail
		want []string // lines, in this order
		none []string
	}{
		{"walls", walls, []string{
			"(version 1)", "(allow default)", "(deny file-write*)",
			`(allow file-read* file-write* (subpath "/Users/a b/pro\"ject") (subpath "/Users/back\\slash") (subpath "/tmp") (subpath "/private/tmp"))`,
			`(deny file-read-data file-read-xattr file-write* (subpath "/Users/a b/.netrc"))`, `(deny file-link (subpath "/Users/a b/.netrc"))`,
			"(deny network*)", "(deny network-outbound (remote unix-socket))", "(deny signal process-info*)", "(allow signal process-info* (target same-sandbox))",
		}, []string{"allow network"}},
		{"walls with a network and sockets", Jail{ReadAll: true, Contained: true, Sockets: true}, []string{"(allow default)", "(deny file-write*)"}, []string{"deny network", "subpath", "unix-socket"}},
		{"a list", Jail{Read: []string{"/Users/x/project"}, Write: []string{"/Users/x/build"}}, []string{
			"(deny default)", "(allow network*)", "(deny file-write*)",
			`(allow file-read* file-map-executable process-exec (subpath "/Users/x/project"))`, `(allow file-read* file-write* (subpath "/Users/x/build"))`,
		}, []string{"allow default", "deny network"}},
		{"an empty list", Jail{NoNetwork: true}, []string{"(deny default)", "(deny file-write*)", "(deny network*)"}, []string{"allow network", "allow default"}},
	} {
		text := seatbeltProfile(tt.jail)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		at := -1
		for _, want := range tt.want {
			i := slices.Index(lines, want)
			if i <= at {
				t.Errorf("%s: %s is missing or too early in\n%s", tt.name, want, text)
				continue
			}
			at = i
		}
		for _, none := range tt.none {
			if strings.Contains(text, none) {
				t.Errorf("%s: %q is in\n%s", tt.name, none, text)
			}
		}
		if strings.Count(text, "(") != strings.Count(text, ")") {
			t.Errorf("%s: the brackets do not match in\n%s", tt.name, text)
		}
	}
}

// TestQuoteScheme checks that no path ends its string.
func TestQuoteScheme(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{`/a"b`: `"/a\"b"`, `/a\b`: `"/a\\b"`, `/a\"b`: `"/a\\\"b"`, "/a b\nc": "\"/a b\nc\"", `/a") (allow default`: `"/a\") (allow default"`} {
		if got := quoteScheme(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
