package files

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// eachCommandRow calls each with the commands in testdata/commands.txt. A heading there has the label,
// radius and category of the commands below it, where * matches anything. A fourth word means that the
// outcome depends on the place.
func eachCommandRow(t *testing.T, each func(command, label, radius, category string, place bool)) {
	f, err := os.Open("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var head []string
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, "== "):
			head = strings.Fields(line[3:])
		case line == "" || strings.HasPrefix(line, "# "):
		default:
			each(line, head[0], head[1], head[2], len(head) > 3)
		}
	}
}

// TestCommandRows checks the worst effect of each command in testdata/commands.txt.
func TestCommandRows(t *testing.T) {
	n := 0
	seen := make(map[string]bool)
	eachCommandRow(t, func(command, label, radius, category string, _ bool) {
		n++
		if seen[command] {
			t.Errorf("%s: is listed twice", command)
		}
		seen[command] = true
		e, _ := worstEffect(t, command, &here)
		if e.Label.String() != label || radius != "*" && e.Impact.String() != radius || category != "*" && e.Category.String() != category {
			t.Errorf("%-50s got %s %s %s (%s %s), want %s %s %s", command, e.Label, e.Impact, e.Category, e.Rule, e.Reason, label, radius, category)
		}
		if e.Label != shell.Safe && (e.Reason == "" || e.Category == shell.NoCategory || e.Rule == "" || e.Kind == "" || e.Words == "") {
			t.Errorf("%s: incomplete effect %+v", command, e)
		}
	})
	if n < 400 {
		t.Errorf("only %d rows", n)
	}
}

// TestCommandRowsInOtherPlaces runs the same commands in places of which less is known. Their labels
// must be the same, unless the row says that they depend on the place.
func TestCommandRowsInOtherPlaces(t *testing.T) {
	places := map[string]shell.Place{
		"nothing known": {},
		"in /tmp":       {Dir: "/tmp", Home: "/home/me"},
		"at home":       {Dir: "/home/me", Home: "/home/me"},
		"in tmp/x":      {Dir: "/tmp/proj", Root: "/tmp/proj", Home: "/root"},
		"root's home":   {Dir: "/root", Home: "/root"},
		"in home/x":     {Dir: "/home/me/x", Root: "/home/me/x", Home: "/home/me"},
		"below root":    {Dir: "/home/me/x/y", Root: "/home/me/x", Home: "/home/me"},
	}
	eachCommandRow(t, func(command, label, _, _ string, place bool) {
		if place {
			return
		}
		for name, p := range places {
			if name == "below root" && (strings.Contains(command, "..") || strings.Contains(command, "*")) {
				continue
			}
			if e, _ := worstEffect(t, command, &p); e.Label.String() != label {
				t.Errorf("%s: %-50s got %s %s (%s), want %s", name, command, e.Label, e.Impact, e.Rule, label)
			}
		}
	})
}
