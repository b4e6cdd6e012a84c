package shadow

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// The change to a file is exactly the end of shadow mode for one name.
func TestEnforcedText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, want string
		line             int
	}{
		{"git/push-force", "- {name: git, shadow: [push-force, clean], until: 2031-01-01}\n", "- {name: git, shadow: [clean], until: 2031-01-01}\n", 1},
		{"git/push-force", "- {name: git, shadow: [push-force], until: 2031-01-01}\n", "- {name: git}\n", 1},
		{"git/push-force", "- {name: git, shadow: push-force}\n", "- {name: git}\n", 1},
		{"git/push-force", "- {name: git, shadow: git/push-force, high: ask}\n", "- {name: git, high: ask}\n", 1},
		{"git/push-force", "packs:\n  - name: git\n    shadow: [push-force]\n    until: 2031-01-01 # soon\n  - disk\n", "packs:\n  - name: git\n  - disk\n", 2},
		{"git", "- {name: git, mode: shadow, high: ask}\n", "- {name: git, high: ask}\n", 1},
		{"git", "- {mode: shadow, name: git}\n- {name: disk, mode: shadow}\n", "- {name: git}\n- {name: disk, mode: shadow}\n", 1},
		{"h", "  - mode: shadow\n    name: h\n    command: ./x\n", "  - name: h\n    command: ./x\n", 1},
		{"h", "  - name: h\n    command: ./x\n    mode: shadow\n    until: '2031-01-01'\n  - name: i\n    mode: shadow\n", "  - name: h\n    command: ./x\n  - name: i\n    mode: shadow\n", 1},
		{"h", "  - {name: h, command: ./x}\n", "  - {name: h, command: ./x, mode: enforce}\n", 1},
		{"h", "  - name: h\n    command: ./x\n", "  - name: h\n    command: ./x\n    mode: enforce\n", 1},
		{"git/clean", "- name: git\n  shadow:\n    - push-force\n    - clean # too\n  high: ask\n", "- name: git\n  shadow:\n    - push-force\n  high: ask\n", 1},
		{"git/clean", "- name: git\n  shadow: # tried\n  - clean # too\n  # the worst\n  - git/push-force # since May\n  - clean\n", "- name: git\n  shadow: # tried\n  # the worst\n  - git/push-force # since May\n", 1},
		{"git/clean", "- name: git\n  shadow: [push-force, # since May\n    clean, reset-hard] # all\n", "- name: git\n  shadow: [push-force, # since May\n    reset-hard] # all\n", 1},
		{"git/clean", "- {name: git, shadow: [push-force, 'clean']}\n", "- {name: git, shadow: [push-force]}\n", 1},
		{"git/clean", "- {name: git, shadow: [push-force]}\n", "- {name: git, shadow: [push-force]}\n", 1},
		{"h", "", "", 7},
	} {
		got := enforcedText(tt.text, &app.Trial{Name: tt.name, From: checkrein.Origin{Line: tt.line}})
		if got != tt.want {
			t.Errorf("%s in\n%s\nbecomes\n%s\nwant\n%s", tt.name, tt.text, got, tt.want)
		}
		if strings.Count(tt.text, "shadow")-strings.Count(got, "shadow") > 1 {
			t.Errorf("%s in\n%s ends more than one", tt.name, tt.text)
		}
	}
}
