package exfil

import (
	"os"
	"strings"
	"testing"
)

// TestRowEffect checks that a row is enough to describe a program that sends: no code here has its
// name.
func TestRowEffect(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"hurl", "wormhole", "huggingface-cli", "croc", "pastebinit", "telegram-send", "gdrive"} {
			if strings.Contains(string(text), `"`+name+`"`) {
				t.Errorf("%s knows %s by name", f.Name(), name)
			}
		}
	}
}
