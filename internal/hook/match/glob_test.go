package match

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestGlobInText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob    string
		yes, no []string
	}{
		{"", []string{""}, []string{"a"}},
		{"*", []string{"", "a", "a/b", "a b", "a\x00b"}, nil},
		{"**", []string{"", "a", "a/b"}, nil},
		{"a", []string{"a"}, []string{"", "A", "ab", "ba"}},
		{"git push*", []string{"git push", "git push -f origin/main"}, []string{"xgit push", "git pull"}},
		{"*rm*-rf*", []string{"rm -rf /", "sudo rm x -rf"}, []string{"rm -r"}},
		{"a?c", []string{"abc", "a/c", "aéc"}, []string{"ac", "abbc"}},
		{"?", []string{"a", "é", "€", "😀"}, []string{"", "ab", "éé"}},
		{"*??", []string{"ab", "€€", "abc"}, []string{"", "a", "€"}},
		{"[a-c]", []string{"a", "b", "c"}, []string{"d", "", "ab"}},
		{"[!a-c]", []string{"d", "é", "-"}, []string{"a", ""}},
		{"[^a]", []string{"b"}, []string{"a"}},
		{"[é-ü]x", []string{"éx", "üx", "öx"}, []string{"ax", "\xc3x", "x"}},
		{"[]a]", []string{"]", "a"}, []string{"b"}},
		{"[!]a]", []string{"b"}, []string{"]", "a"}},
		{"[a-]", []string{"a", "-"}, []string{"b"}},
		{`\*`, []string{"*"}, []string{"a", `\*`}},
		{`a\?b`, []string{"a?b"}, []string{"axb"}},
		{`\[a]`, []string{"[a]"}, []string{"a"}},
		{`a\`, []string{`a\`}, []string{"a"}},
		{`\é`, []string{"é"}, []string{"e"}},
	}
	for _, tt := range tests {
		t.Run(tt.glob, func(t *testing.T) { t.Parallel(); checkGlobs(t, tt.glob, 0, tt.yes, tt.no) })
	}
}

func TestGlobInPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob    string
		yes, no []string
	}{
		{"*", []string{"a", ".env"}, []string{"a/b", "/a"}},
		{"*.go", []string{"a.go", ".go"}, []string{"d/a.go", "a.gox"}},
		{"**", []string{"a", "a/b", "/a/b"}, nil},
		{"**/*.go", []string{"a.go", "d/a.go", "/x/d/a.go"}, []string{"a.gox", "a.go/x"}},
		{"**/.env", []string{".env", "a/.env", "/a/b/.env", "./.env"}, []string{"x.env", "a/x.env", ".env/a"}},
		{"src/**", []string{"src/a", "src/a/b", "src/"}, []string{"src", "asrc/a", "x/src/a"}},
		{"src/**/test", []string{"src/test", "src/a/test", "src/a/b/test"}, []string{"src/atest", "srctest", "src/a/testx"}},
		{"**/src/**", []string{"src/a", "x/src/a", "/x/y/src/a/b"}, []string{"xsrc/a", "src"}},
		{"/etc/*", []string{"/etc/passwd"}, []string{"/etc/ssl/key", "/etc", "etc/passwd"}},
		{"a**b", []string{"ab", "axb", "a/x/b"}, []string{"a", "b"}},
		{"a**/b", []string{"a/b", "axx/b", "a/x/b"}, []string{"ab", "axb"}},
		{"a?b", []string{"axb"}, []string{"a/b"}},
		{"a[!x]b", []string{"ayb"}, []string{"a/b", "axb"}},
		{"a[/]b", nil, []string{"a/b"}},
		{`a\/b`, []string{"a/b"}, nil},
		{"**/a*/b", []string{"a/b", "ax/b", "x/ay/b"}, []string{"a/x/b"}},
		{"**/*a*/**/c", []string{"a/c", "x/bab/y/z/c"}, []string{"b/c"}},
		{"***", []string{"", "a/b"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.glob, func(t *testing.T) { t.Parallel(); checkGlobs(t, tt.glob, '/', tt.yes, tt.no) })
	}
}

func checkGlobs(t *testing.T, pattern string, sep byte, yes, no []string) {
	t.Helper()
	for _, s := range yes {
		if !matchGlob(pattern, s, sep) {
			t.Errorf("%q does not match %q", pattern, s)
		}
	}
	for _, s := range no {
		if matchGlob(pattern, s, sep) {
			t.Errorf("%q matches %q", pattern, s)
		}
	}
}

// slowGlob is a reference implementation that tries everything. If boundary is set, a path element may
// begin at s.
func slowGlob(p, s string, sep byte, boundary bool) bool {
	if p == "" {
		return s == ""
	}
	if p[0] != '*' {
		width, ok := slowOne(&p, s, sep)
		return ok && slowGlob(p, s[width:], sep, s[width-1] == sep)
	}
	rest := strings.TrimLeft(p, "*")
	if sep != 0 && len(p)-len(rest) == 1 {
		return slowStar(rest, s, sep, boundary, func(c byte) bool { return c != sep })
	}
	if after, ok := strings.CutPrefix(rest, string(rune(sep))); ok && sep != 0 && boundary {
		for i := 0; i <= len(s); i++ {
			if (i == 0 || s[i-1] == sep) && slowGlob(after, s[i:], sep, true) {
				return true
			}
		}
		return false
	}
	return slowStar(rest, s, sep, boundary, func(byte) bool { return true })
}

// slowStar tries a star with one more character each time.
func slowStar(rest, s string, sep byte, boundary bool, may func(byte) bool) bool {
	for {
		if slowGlob(rest, s, sep, boundary) {
			return true
		}
		if s == "" || !may(s[0]) {
			return false
		}
		_, width := utf8.DecodeRuneInString(s)
		boundary = s[width-1] == sep
		s = s[width:]
	}
}

// slowOne matches one character and removes the element that matched from p.
func slowOne(p *string, s string, sep byte) (int, bool) {
	if s == "" {
		return 0, false
	}
	pat := *p
	r, width := utf8.DecodeRuneInString(s)
	if end := classEnd(pat, 0); pat[0] == '[' && end > 0 {
		*p = pat[end+1:]
		return width, slowClass([]rune(pat[1:end]), r) && (sep == 0 || s[0] != sep)
	}
	if pat[0] == '?' {
		*p = pat[1:]
		return width, sep == 0 || s[0] != sep
	}
	if pat[0] == '\\' && len(pat) > 1 {
		pat = pat[1:]
	}
	want, n := utf8.DecodeRuneInString(pat)
	*p = pat[n:]
	return width, want == r
}

func slowClass(class []rune, r rune) bool {
	negate := class[0] == '!' || class[0] == '^'
	if negate {
		class = class[1:]
	}
	for len(class) > 0 {
		if len(class) > 2 && class[1] == '-' {
			if class[0] <= r && r <= class[2] {
				return !negate
			}
			class = class[3:]
			continue
		}
		if class[0] == r {
			return !negate
		}
		class = class[1:]
	}
	return negate
}

func TestGlobMatchesReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`([*?abé/]|\*\*/|\[a-b\]|\[!/a\]|\\\*){0,7}`).Draw(t, "glob")
		s := rapid.StringMatching(`[abé/*]{0,9}`).Draw(t, "text")
		for _, sep := range []byte{0, '/'} {
			if got, want := matchGlob(p, s, sep), slowGlob(p, s, sep, true); got != want {
				t.Fatalf("%q on %q with separator %q: %v, want %v", p, s, sep, got, want)
			}
		}
	})
}

// TestGlobIsQuickOnHostileText checks that no pattern is slow on text from a model.
func TestGlobIsQuickOnHostileText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab", 1<<19)
	tests := []struct{ name, glob, text string }{
		{"star in every place", strings.Repeat("*a", 20) + "c", long},
		{"double star before a star", "**a*c", long},
		{"double star before two stars", "**a*b*c", long},
		{"directories", "**/a*/c", strings.Repeat("ab/", 1<<18)},
		{"dot files", "**.env*x", strings.Repeat(".env", 1<<18)},
		{"double stars", "**a**b**c", long},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, sep := range []byte{0, '/'} {
				if matchGlob(tt.glob, tt.text, sep) { // must terminate
					t.Errorf("%q matches", tt.glob)
				}
			}
		})
	}
}

func TestGlobWithAnOpenClassIsRefused(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string]bool{"[a]": true, `\[a`: true, "[]]": true, "a": true, "[a": false, "[]": false, "[!]": false, "x[": false} {
		if got := checkGlob(glob) == nil; got != want {
			t.Errorf("%q is accepted: %v, want %v", glob, got, want)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("[!a-]x\\*?", "bx*é")
	f.Add("a**/b*", "a/b/b")
	f.Fuzz(func(t *testing.T, p, s string) {
		if len(p) > 12 || len(s) > 16 || strings.Count(p, "*") > 5 {
			_ = matchGlob(p, s, 0) || matchGlob(p, s, '/') // must only terminate
			return
		}
		if checkGlob(p) != nil || !utf8.ValidString(p) || !utf8.ValidString(s) {
			return
		}
		for _, sep := range []byte{0, '/'} {
			if got, want := matchGlob(p, s, sep), slowGlob(p, s, sep, true); got != want {
				t.Errorf("%q on %q with separator %q: %v, want %v", p, s, sep, got, want)
			}
		}
	})
}
