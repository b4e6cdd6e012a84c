package main

import (
	"os"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/checkreintest"
	"github.com/checkrein/checkrein/kit"
)

// The loop does what hooks decide.
func TestAgent(t *testing.T) {
	checkreintest.TestRuntime(t, func(t *testing.T, s *checkreintest.Session) {
		t.Setenv("HOME", t.TempDir())
		hooks, err := kit.Open(kit.Options{Dir: s.Dir, Hooks: s.Hooks, Handlers: s.Handlers})
		if err != nil {
			t.Fatal(err)
		}
		a := &agent{
			hooks:   hooks,
			session: checkrein.Session{ID: "session-1", Dir: s.Dir},
			model:   func(request string) (text, command string) { r := s.Model(request); return r.Text, r.Command },
			shell:   s.Shell,
			approve: func(command, _ string) bool { return s.Approve(command) },
			notify:  s.Notify,
		}
		a.run(t.Context(), s.Prompt)
	})
}

func Example() {
	// A home of its own: the example must not depend on this machine's hooks.
	home, _ := os.MkdirTemp("", "embed")
	defer os.RemoveAll(home)
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", "")
	os.Setenv("XDG_STATE_HOME", "")
	main()
	// Output:
	// Please clean up.
	// I run a command.
	// "output of ls"
	// I run a command.
	// not run: Blocked (deletes): rm -rf build
	// I am done.
}
