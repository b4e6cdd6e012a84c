package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sh "github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// An inlineCase is a command with code in it, and what must come of it.
type inlineCase struct{ language, want, command string }

func inlineCases(t *testing.T) []inlineCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(verdictData, "inline.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []inlineCase
	var language, want string
	for part := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		if head, ok := strings.CutPrefix(part, "=== "); ok {
			head, part, _ = strings.Cut(head, "\n")
			language, want, _ = strings.Cut(head, " ")
		}
		if language != "" {
			out = append(out, inlineCase{language, want, part})
		}
	}
	return out
}

// TestInlineCode sends code in many languages as a host does: what it calls counts,
// and what it passes on as a function; what was not read is not safe.
func TestInlineCode(t *testing.T) {
	p := newVerdictPlace(t)
	cases := inlineCases(t)
	if len(cases) < 500 {
		t.Fatalf("only %d cases", len(cases))
	}
	place := sh.Place{Dir: p.project, Root: p.project, Home: p.home}
	work := make(chan inlineCase)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for c := range work {
				command := p.here(c.command)
				heard, _ := p.heard("claude", p.shellCall("claude", "", command))
				report := classify.Command(command, place)
				switch c.want {
				case "harmful":
					if heard != "ask" && heard != "deny" || report.Label == sh.Safe {
						t.Errorf("%s: heard %s, %s:\n%s", c.language, heard, report.Label, command)
					}
				case "unread":
					if heard != "none" || report.Label != sh.Unknown {
						t.Errorf("%s: heard %s, %s:\n%s", c.language, heard, report.Label, command)
					}
				case "opaque":
					if heard != "ask" && heard != "deny" || report.Label != sh.Unknown {
						t.Errorf("%s: heard %s, %s:\n%s", c.language, heard, report.Label, command)
					}
				case "harmless":
					if heard != "none" || report.Label != sh.Safe {
						t.Errorf("%s: heard %s, %s (%s):\n%s", c.language, heard, report.Label, report.Reason, command)
					}
				default:
					t.Errorf("what is %q?", c.want)
				}
			}
		})
	}
	for _, c := range cases {
		work <- c
	}
	close(work)
	wg.Wait()
}
