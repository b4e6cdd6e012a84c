package secret

import (
	"strings"
	"testing"
	"time"
)

// TestPossibleValues checks that a value is among the parts of a text, however it is written there.
func TestPossibleValues(t *testing.T) {
	t.Parallel()
	plain, token, odd := "kR7"+"vTq2mXw9LpZ4sHn6BdYc1", "gh"+"p_"+strings.Repeat("aB3dE5gH7j", 4)[:36], "!x9#"+"Lq_7+pass/w0rd=="
	for name, text := range map[string]string{
		"alone":                 "%",
		"in prose":              "use % to log in please",
		"at the end":            "the password is %.",
		"in JSON":               `{"x": "%"}`,
		"in JSON in a string":   `"{\"x\":\"%\"}"`,
		"in quotes":             "it is '%', `%` or \"%\"",
		"assigned":              "DB_PASSWORD=%",
		"in a flag":             "psql --password=% -h db",
		"in an address":         "clone https://x:%@example.com/a/b",
		"user and password":     "curl -u bob:%",
		"in brackets":           "(%)",
		"in a list":             "a,%,b;c",
		"on a line of its own":  "first\n%\nlast",
		"with carriage returns": "first\r\n%\r\nlast",
	} {
		for _, value := range []string{plain, token, odd} {
			if !hasPossibleValue(strings.ReplaceAll(text, "%", value), value) {
				t.Errorf("%s: %s is not told", name, value)
			}
		}
	}
	for name, text := range map[string]string{
		"glued to words":          "TOKEN_" + token + "_x",
		"wrapped":                 token[:30] + "\n  " + token[30:],
		"wrapped behind a name":   "token: " + token[:20] + "\n" + token[20:] + "\nplease use it",
		"wrapped twice":           "x\n" + token[:10] + "\r\n" + token[10:20] + "\r\n" + token[20:] + "\r\ny",
		"wrapped by a backslash":  token[:20] + "\\\n" + token[20:],
		"wrapped with an escape":  `{"x":"` + token[:20] + `\n` + token[20:] + `"}`,
		"between words of a path": "/a/" + token + "/b",
	} {
		if !hasPossibleValue(text, token) {
			t.Errorf("%s: it is not told", name)
		}
	}
	for name, text := range map[string]string{
		"another":          "use " + token[:39] + "z",
		"a part of it":     token[:30],
		"more of the same": token + "x",
		"not next to it":   token[:20] + " and then " + token[20:],
		"nothing":          "",
	} {
		if hasPossibleValue(text, token) {
			t.Errorf("%s: it is told", name)
		}
	}
}

func hasPossibleValue(text, value string) bool {
	return !EachPossibleValue(text, func(word string) bool { return word != value })
}

// TestPossibleValuesAreBounded checks that words without digits are not returned, and that long texts
// take little time.
func TestPossibleValuesAreBounded(t *testing.T) {
	t.Parallel()
	var all []string
	EachPossibleValue("please run the tests of package 2 again, then say what happened on line 17 of main.go", func(word string) bool {
		all = append(all, word)
		return true
	})
	if len(all) > 0 {
		t.Errorf("prose: %q", all)
	}
	for name, text := range map[string]string{
		"lines":  strings.Repeat("ab1\n", 20_000),
		"signs":  strings.Repeat("a1-", 20_000),
		"digits": strings.Repeat("1234567890", 6_000),
		"quotes": strings.Repeat(`"`, 60_000) + "1",
	} {
		began, n := time.Now(), 0
		if !EachPossibleValue(text, func(string) bool { n++; return true }) {
			t.Errorf("%s: it stopped", name)
		}
		if n > 2*maxEnds*len(text) || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %d parts in %s", name, n, time.Since(began))
		}
	}
}
