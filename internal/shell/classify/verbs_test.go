package classify_test

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// Programs that nobody knows, judged by their words.
func TestByName(t *testing.T) {
	tests := []struct {
		command string
		want    shell.Label
	}{
		{"frobctl delete x", shell.Destructive},
		{"frobctl cluster delete x", shell.Destructive},
		{"frobctl apps:destroy x", shell.Destructive},
		{"frobctl delete-user bob", shell.Destructive},
		{"frobctl delete_all", shell.Destructive},
		{"frobctl db drop x", shell.Destructive},
		{"frobctl drop-table users", shell.Destructive},
		{"frobctl instance terminate i-1", shell.Destructive},
		{"frobctl --wipe-data", shell.Destructive},
		{"frobctl vm --purge x", shell.Destructive},
		{"frobctl -y delete x", shell.Destructive},
		{"frobctl --delete=true x", shell.Destructive},
		{"frobctl factory-reset", shell.Destructive},
		{"diskwipe /dev/sda", shell.Destructive},
		{"nukeit now", shell.Destructive},

		{"frobctl delete --dry-run x", shell.Unknown},
		{"frobctl delete --help", shell.Safe},
		{"frobctl create delete-button", shell.Unknown},
		{"frobctl test delete", shell.Unknown},
		{"frobctl list deleted", shell.Unknown},
		{"frobctl run dropdown", shell.Unknown},
		{"frobctl drop-shadow x", shell.Unknown},
		{"frobctl purge-cache", shell.Unknown},
		{"frobctl --delete=false x", shell.Unknown},
		{"frobctl --delete-after-upload x", shell.Unknown},
		{"frobctl a b c delete", shell.Unknown},
		{"swiper x", shell.Unknown},
		{"frobctl undelete x", shell.Unknown},
	}
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, tt := range tests {
		if r := classify.Command(tt.command, p); r.Label != tt.want {
			t.Errorf("%s: %v, want %v (%s)", tt.command, r.Label, tt.want, r.Reason)
		}
	}
}
