package native

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       setting.Ledger
	}{
		{"absent", "version: 1\n", setting.Ledger{}},
		{"nothing", "version: 1\nledger:\n", setting.Ledger{}},
		{"empty", "version: 1\nledger: {}\n", setting.Ledger{}},
		{"null is absent", "version: 1\nledger: {keep_days: ~, keep_mib: ~, witness: ~, witness_command: ~}\n", setting.Ledger{}},
		{"everything", "version: 1\nledger:\n  keep_days: 90\n  keep_mib: 2048\n  witness: /mnt/worm/heads\n  witness_command: [logger, -t, checkrein]\n",
			setting.Ledger{KeepDays: 90, KeepMiB: 2048, Witness: "/mnt/worm/heads", WitnessCommand: []string{"logger", "-t", "checkrein"}}},
		{"the least", "version: 1\nledger: {keep_days: 1, keep_mib: 16}\n", setting.Ledger{KeepDays: 1, KeepMiB: 16}},
		{"the most", "version: 1\nledger: {keep_days: 36500, keep_mib: 1048576}\n", setting.Ledger{KeepDays: 36500, KeepMiB: 1 << 20}},
		{"whole in another form", "version: 1\nledger: {keep_days: 90.0, keep_mib: 1000000.0}\n", setting.Ledger{KeepDays: 90, KeepMiB: 1e6}},
		{"at home", "version: 1\nledger: {witness: ~/a b/heads}\n", setting.Ledger{Witness: "~/a b/heads"}},
		{"arguments as written", "version: 1\nledger: {witness_command: [/bin/x, 1.10, TRUE, '', ./y, ~/z]}\n",
			setting.Ledger{WitnessCommand: []string{"/bin/x", "1.10", "TRUE", "", "./y", "~/z"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(setting.Settings{Ledger: tt.want}, f.Settings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadLedger checks that a mistake is reported at its line with a remedy and otherwise ignored;
// only an unknown key may have lost a gate.
func TestBadLedger(t *testing.T) {
	t.Parallel()
	const days, mib = "(write a whole number from 1 to 36500)", "(write a whole number from 16 to 1048576)"
	const path, argv = "(write an absolute path, or one that starts with ~/)", "(write [program, argument, …])"
	const program = "(write an absolute path, or the name of a program in PATH)"
	for _, tt := range []struct{ name, block, err string }{
		{"a list", "[keep_days]", "ledger is a list, not a mapping (write ledger: {keep_days: 90})"},
		{"a text", "90 days", "ledger is a string, not a mapping (write ledger: {keep_days: 90})"},
		{"unknown key", "{keep_day: 90}", `unknown key "keep_day" in ledger, did you mean "keep_days"?`},
		{"nothing alike", "{zzz: 90}", `unknown key "zzz" in ledger: must be one of keep_days, keep_mib, witness, witness_command`},
		{"no days", "{keep_days: 0}", "ledger.keep_days: 0 is out of range " + days},
		{"days below", "{keep_days: -1}", "ledger.keep_days: -1 is out of range " + days},
		{"too many days", "{keep_days: 36501}", "ledger.keep_days: 36501 is out of range " + days},
		{"half a day", "{keep_days: 1.5}", "ledger.keep_days: 1.5 is out of range " + days},
		{"days beyond any number", "{keep_days: 9223372036854775808}", "ledger.keep_days: 9223372036854775808 is out of range " + days},
		{"days in a text", "{keep_days: '90'}", "ledger.keep_days is a string " + days},
		{"days with a unit", "{keep_days: 90d}", "ledger.keep_days is a string " + days},
		{"days that are true", "{keep_days: true}", "ledger.keep_days is a boolean " + days},
		{"too small", "{keep_mib: 15}", "ledger.keep_mib: 15 is out of range " + mib},
		{"too large", "{keep_mib: 1048577}", "ledger.keep_mib: 1048577 is out of range " + mib},
		{"a size with a unit", "{keep_mib: 2GiB}", "ledger.keep_mib is a string " + mib},
		{"a relative witness", "{witness: heads}", `ledger.witness is a relative path, "heads" ` + path},
		{"a relative witness with a dot", "{witness: ./heads}", `ledger.witness is a relative path, "./heads" ` + path},
		{"another's home", "{witness: ~root/heads}", `ledger.witness is a relative path, "~root/heads" ` + path},
		{"an empty witness", "{witness: ''}", `ledger.witness is a relative path, "" ` + path},
		{"an address", "{witness: 'https://example.com/heads'}", `ledger.witness is a relative path, "https://example.com/heads" ` + path},
		{"home as a witness", "{witness: ~/}", `ledger.witness "~/" is a directory (add a file name)`},
		{"a directory", "{witness: /mnt/worm/}", `ledger.witness "/mnt/worm/" is a directory (add a file name)`},
		{"two witnesses", "{witness: [/a, /b]}", "ledger.witness is a list, not a string " + path},
		{"a command line", "{witness_command: logger -t checkrein}", "ledger.witness_command is a string " + argv},
		{"a command in a mapping", "{witness_command: {command: logger}}", "ledger.witness_command is a mapping " + argv},
		{"no program", "{witness_command: []}", "ledger.witness_command does not name a program " + argv},
		{"an empty program", "{witness_command: [' ', x]}", "ledger.witness_command does not name a program " + argv},
		{"an argument that is a list", "{witness_command: [logger, [x]]}", "ledger.witness_command holds a list (quote it)"},
		{"an argument that is null", "{witness_command: [logger, ~]}", "ledger.witness_command holds null (quote it)"},
		{"a relative program", "{witness_command: [./witness.sh]}", `ledger.witness_command: the program has a relative path, "./witness.sh" ` + program},
		{"a program below", "{witness_command: [bin/witness]}", `the program has a relative path, "bin/witness" ` + program},
		{"a program at home", "{witness_command: [~/bin/witness]}", `the program has a relative path, "~/bin/witness" ` + program},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read("version: 1\non_full: block\nledger:\n  " + tt.block + "\n")
			if err == nil || !strings.HasPrefix(err.Error(), "/c.yaml:4: ") || !strings.HasSuffix(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if lost := strings.HasPrefix(tt.err, "unknown key"); (f.Lost != nil) != lost {
				t.Errorf("lost: %v", f.Lost)
			}
			if diff := cmp.Diff(setting.Settings{OnFull: checkrein.FaultBlock}, f.Settings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadLedgerLines checks that all mistakes are reported at once, in line order, and do not affect
// valid settings.
func TestBadLedgerLines(t *testing.T) {
	t.Parallel()
	f, err := read("version: 1\nledger:\n  witness_command:\n    - logger\n    - {}\n  witness: heads\n  keep_mib: 300\n\n  keep_days: soon\n")
	if err == nil {
		t.Fatal("no error")
	}
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		at, _, _ := strings.Cut(line, " (")
		got = append(got, at)
	}
	want := []string{"/c.yaml:5: ledger.witness_command holds a mapping", `/c.yaml:6: ledger.witness is a relative path, "heads"`, "/c.yaml:9: ledger.keep_days is a string"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(setting.Ledger{KeepMiB: 300}, f.Settings.Ledger); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
