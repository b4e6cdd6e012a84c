package covers

import (
	"path/filepath"
	"testing"
)

// What a runner runs is followed like a script.
func TestRunners(t *testing.T) {
	t.Parallel()
	needsShell(t)
	for _, tc := range []struct{ file, text, hook, want, unsure string }{
		{"Makefile", "T = ./x.sh\nlint: ; $(T)\nother: ; ./y.sh\n", "make lint", "Makefile[target+lint] x.sh", ""},
		{"Makefile", "T = ./x.sh\nlint: ; $(T)\nother: ; ./y.sh\n", "make -C . lint other", "Makefile[targets+lint+other] x.sh y.sh", ""},
		{"sub/Makefile", "lint: ; ./only.sh\n", "cd sub && make lint", "sub/Makefile[target+lint] sub/only.sh", ""},
		{"Makefile", "lint: ; $(MAKE) -C sub -f ../Makefile other\nother: ; ./only.sh\n", "make lint", "Makefile[target+lint] Makefile[target+other] sub/only.sh", ""},
		{"Makefile", "PATH := $(CURDIR)/bin:$(PATH)\nlint: ; lint\n", "make lint", "Makefile[target+lint] bin/lint", ""},
		{"Makefile", "lint: ; make lint\n", "make lint", "Makefile[target+lint]", ""},
		{"Makefile", "$(eval $(shell ./x.sh))\n", "make lint", "Makefile x.sh", "rules"},
		{"Makefile", "lint: ; ./x.sh\n", "make --version", "", ""},
	} {
		t.Run(tc.hook, func(t *testing.T) {
			t.Parallel()
			root, home := fixture(t)
			writeFile(t, filepath.Join(root, tc.file), tc.text, 0o644)
			check(t, tc.hook, Of(commandHook(tc.hook), placeOf(root, home), &Look{}), root, home, tc.want, tc.unsure)
		})
	}
}
