package install_test

import (
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

func TestPrefixForm(t *testing.T) {
	t.Parallel()
	const program = "/home/u/.local/state/checkrein/walls/claude/checkrein-shell"
	for _, tt := range []struct{ name, before, next string }{
		{"no file", "", ""},
		{"another setting", "{\n  \"model\": \"m\"\n}\n", ""},
		{"another variable", "{\"env\": {\"A\": \"b\"}}\n", ""},
		{"another prefix", "{\n  \"env\": {\n    \"PREFIX\": \"/bin/nice -n 5\"\n  }\n}\n", "/bin/nice -n 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &install.PrefixForm{Form: install.GroupForm("claude"), Keys: []string{"env", "PREFIX"}, Program: program, Next: tt.next}
			var src []byte
			if tt.before != "" {
				src = []byte(tt.before)
			}
			if got := f.Setting(src); got != tt.next {
				t.Errorf("it was %q", got)
			}
			entry := []install.Entry{{Event: "Stop", Command: "exec /bin/checkrein hook claude --within 5", Timeout: 5}}
			out, err := f.Put(src, entry)
			if err != nil || f.Setting(out) != program {
				t.Fatalf("%v\n%s", err, out)
			}
			if again, err := f.Put(out, entry); err != nil || string(again) != string(out) {
				t.Errorf("not stable: %v\n%s", err, again)
			}
			back, err := f.Drop(out)
			if err != nil || string(back) != tt.before {
				t.Errorf("%v: %q, was %q", err, back, tt.before)
			}
		})
	}
}
