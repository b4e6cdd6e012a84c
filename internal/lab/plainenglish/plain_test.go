package plainenglish

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// excepted maps texts that may contain a rejected word to the reason.
var excepted = map[string]string{}

// TestTextsArePlain checks that no text for users contains a rejected word or phrase.
func TestTextsArePlain(t *testing.T) {
	t.Parallel()
	texts, err := Texts("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 5000 {
		t.Fatalf("%d texts: the programs have more, so some are not found", len(texts))
	}
	for _, text := range texts {
		if excepted[text.Text] != "" {
			continue
		}
		for _, stop := range Stops(text.Text) {
			t.Errorf("%s:%d: %q: %s", text.File, text.Line, text.Text, stop)
		}
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"nobody approved it", 1},
		{"%s is no directory", 1},
		{"there is no session %q", 0},
		{"it is no longer there", 0},
		{"the hook stands on a gate", 1},
		{"writes to standard output", 0},
		{"did not run, for nobody approved them", 2},
		{"write it for the agent", 0},
		{"%q, of which nothing is known", 1},
		{"the program is not known", 1},
		{"not approved: checkrein hooks approve NAME", 0},
		{"it is not without danger", 1},
		{"the answer was not understood", 0},
	} {
		if got := Stops(tt.text); len(got) != tt.want {
			t.Errorf("%q: %q, want %d", tt.text, got, tt.want)
		}
	}
}

func TestTextsOfAFile(t *testing.T) {
	t.Parallel()
	src := "package x\nimport \"fmt\"\n" +
		"var a = fmt.Errorf(\"reading the file: %w\", err)\n" +
		"var b = \"this \" + name + \" is a text\"\n" +
		"var c = rule{Reason: \"deletes files\", Match: []string{\"rm -rf the dir\"}}\n" +
		"var d = regexp.MustCompile(\"a is b\")\n" +
		"var e = \"alpha beta gamma\"\n" +
		"var f = cobra.Command{Use: \"x\", Short: \"show hooks\", RunE: func() { print(\"it is done\") }}\n"
	want := []Text{
		{"x.go", 3, "error", "reading the file: %w"},
		{"x.go", 4, "text", "this … is a text"},
		{"x.go", 5, "reason", "deletes files"},
		{"x.go", 8, "help", "show hooks"},
		{"x.go", 8, "text", "it is done"},
	}
	got, err := fileTexts("x.go", []byte(src))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v\nwant %v", got, err, want)
	}
}

// TestTextsSayAgent checks that texts call the programs that users run agents. In texts a host is a
// machine on a network, a Git host, or what containers run on. The tables in internal/host are exempt:
// they are reference pages, in which a host is the program that calls checkrein.
func TestTextsSayAgent(t *testing.T) {
	t.Parallel()
	texts, err := Texts("../../..")
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"contracts.go", "internal/agent/", "internal/guard/secretguard/input.go", "internal/evidence/export/", "internal/hook/handler/webhook/", "internal/host/",
		"internal/scan/policy/", "internal/lab/scoreboard/", "internal/secret/", "internal/sys/localhttp/", "internal/shell/category.go", "internal/shell/exfil/", "internal/shell/program/table_"}
	machines := strings.NewReplacer("--host", "", "Options.Host", "", "docs hosts", "", ".hosts[]", "", "{host:", "", "host name", "", "known hosts", "", "Git hosts", "",
		"paths and hosts", "", "paths and\nhosts", "", "named host", "", "same host", "", "a host that it does not belong to", "")
	host := regexp.MustCompile(`\b[Hh]osts?\b`)
	for _, text := range texts {
		about := func(prefix string) bool { return strings.HasPrefix(filepath.ToSlash(text.File), prefix) }
		if !slices.ContainsFunc(others, about) && host.MatchString(machines.Replace(text.Text)) {
			t.Errorf("%s:%d: %q: write agent", text.File, text.Line, text.Text)
		}
	}
}
