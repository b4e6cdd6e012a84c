package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

func TestToolNamesAreSortedAndFound(t *testing.T) {
	t.Parallel()
	for i, n := range hosts.ToolNames {
		if i > 0 && hosts.ToolNames[i-1].Native >= n.Native {
			t.Errorf("%q is before %q", hosts.ToolNames[i-1].Native, n.Native)
		}
		if got := CanonicalTool(n.Native); got != n.Canonical {
			t.Errorf("Canonical(%q) = %q, want %q", n.Native, got, n.Canonical)
		}
	}
}

// TestTablesAreSorted checks the order that binary searches require.
func TestTablesAreSorted(t *testing.T) {
	t.Parallel()
	for i, a := range argNames {
		if got := findArgName([]byte(a.name)); got != &argNames[i] {
			t.Errorf("argument %q is not found", a.name)
		}
		if a.name != strings.ToLower(a.name) || strings.ContainsAny(a.name, "_-. ") {
			t.Errorf("argument %q is not spelled in small letters without marks", a.name)
		}
	}
	for i, u := range useWords {
		if got := findUseWord([]byte(u.word)); got != &useWords[i] {
			t.Errorf("word %q is not found", u.word)
		}
	}
	if !slices.IsSorted(knownPrograms[:]) {
		t.Errorf("heads are not sorted")
	}
}

// TestCanonicalUses checks that every canonical name has a row with its uses.
func TestCanonicalUses(t *testing.T) {
	t.Parallel()
	EachName(func(native, canonical string) {
		for _, c := range canonicalUses {
			if c.canonical == canonical {
				return
			}
		}
		t.Errorf("%s is %s, which has no row", native, canonical)
	})
}

func TestCanonicalName(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ want, names string }{
		{"command", "command cmd CommandLine command_line script"},
		{"path", "path file_path filePath File-Path absolute_path notebook_path target_file filename dir_path directory"},
		{"content", "content file_text contents"},
		{"old_string", "old_string oldString old_str oldText"},
		{"new_string", "new_string newString new_str newText"},
		{"url", "url uri"},
		{"pattern", "pattern query regex"},
		{"description", "description"},
		{"zz_top", "zz_top"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			if got := CanonicalName(name); got != row.want {
				t.Errorf("CanonicalName(%q) = %q, want %q", name, got, row.want)
			}
		}
	}
}

func TestNextWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"run_in_terminal", "run in terminal"},
		{"SuperNewTool", "super new tool"},
		{"executeSQLQuery", "execute sql query"},
		{"HTTPRequest", "http request"},
		{"read-file.v2", "read file v2"},
		{"", ""},
		{"___", ""},
	} {
		var got []string
		for rest := tt.name; rest != ""; {
			var word [maxName]byte
			n := 0
			if n, rest = nextWord(&word, rest); n > 0 {
				got = append(got, string(word[:n]))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.name, got, tt.want)
		}
	}
}
