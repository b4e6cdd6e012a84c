package classify_test

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// TestUnknownProgramsByWords checks that unknown programs are judged by their words.
func TestUnknownProgramsByWords(t *testing.T) {
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

		// Verbs that mean deleting if they are near the program or follow their object.
		{"frobctl rm x", shell.Destructive},
		{"frobctl vm remove x", shell.Destructive},
		{"frobctl del x", shell.Destructive},
		{"frobctl zap x", shell.Destructive},
		{"frobctl mailbox expunge x", shell.Destructive},
		{"frobctl vm.destroy x", shell.Destructive},
		{"frobctl datastore.rm x", shell.Destructive},
		{"frobctl api:numbers:remove x", shell.Destructive},
		{"frobctl -rm x", shell.Destructive},
		{"frobctl a b c remove", shell.Unknown},
		{"frobctl x.remover y", shell.Unknown},
		{"frobctl add rm", shell.Unknown},
		{"frobctl x. y", shell.Unknown},
		// Verbs that reset something, which loses data if they are forced.
		{"frobctl reset --force", shell.Destructive},
		{"frobctl db clear -y", shell.Destructive},
		{"frobctl prune --yes", shell.Destructive},
		{"frobctl token revoke --confirm", shell.Destructive},
		{"frobctl flush --yes-i-really-mean-it", shell.Destructive},
		{"frobctl reset", shell.Unknown},
		{"frobctl clear", shell.Unknown},
		{"frobctl list reset --force", shell.Unknown},
		{"frobctl reset --force --dry-run", shell.Unknown},
		// Statements on standard input.
		{"echo 'drop table x;' | frobsh", shell.Destructive},
		{"frobsh <<< 'delete volume=x'", shell.Destructive},
		{"frobsh <<E\nuse x\n  TRUNCATE t;\nE", shell.Destructive},
		{"echo 'select 1; purge all' | frobsh", shell.Destructive},
		{"echo 'list volumes' | frobsh", shell.Unknown},
		{"echo 'delete' | frobsh", shell.Unknown},
		{"echo 'show deleted; select drop' | frobsh", shell.Unknown},
		{"echo 'drop table x' | frobsh --dry-run", shell.Unknown},

		{"frobctl delete --dry-run x", shell.Unknown},
		{"frobctl -h", shell.Unknown},
		{"frobctl delete --help", shell.Unknown},
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
