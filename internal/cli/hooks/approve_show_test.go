package hooks

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// Text that a shell would run is shown, even if it has invalid bytes.
func TestShowTextWithInvalidBytes(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("\x80\x00\x01\xff", 100)
	for content, want := range map[string]bool{
		"":                             false,
		"echo\n":                       false,
		"echo \xff\n./evil\n":          false,
		"\x00\n./evil\n":               false,
		"#!/bin/sh\n./evil\n" + noise:  false,
		"MZ=1; ./evil\n":               false,
		"MZ\x90\x00\x03" + noise:       true,
		"\x7fELF\x02\x01\x01\x00\x00x": true,
		noise:                          true,
	} {
		if isBinary([]byte(content)) != want {
			t.Errorf("%.20q: binary %v", content, !want)
		}
	}
	if got := visible.EscapeText("a\xffb\x00c\ufffd\u202e"); got != `a\xffb\x00c\ufffd\u202e` {
		t.Error(got)
	}
}

// Parts that are left out are named, both in the text and in the question.
func TestShowNamesHiddenParts(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("x\n", maxShownLines+7))
	wide := []byte(strings.Repeat("y", 100_000) + "z\n")
	var all, some reviewText
	all.full = true
	for _, s := range []*reviewText{&all, &some} {
		s.addText(long)
		s.addText(wide)
		if !strings.Contains(s.String(), "yz\n") {
			t.Error("a long line is cut")
		}
	}
	if len(all.hidden) > 0 || strings.Contains(all.String(), "not shown") || len(some.hidden) != 1 || !strings.Contains(some.String(), "7 more lines not shown: to see everything, add --full") {
		t.Errorf("hidden %q and %q", all.hidden, some.hidden)
	}
	a := Approver{unseen: some.hidden}
	if got := a.ShownAs("exactly as shown"); got != "not shown in full (7 lines)" {
		t.Error(got)
	}
}
