package base

import (
	"io"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// TestStdinEndsWithTheCommand checks that standard input is read as it is until the command is
// interrupted, which ends a read that waits.
func TestStdinEndsWithTheCommand(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	defer typed.Close()
	done := make(chan struct{})
	var out strings.Builder
	env := &console.Env{Stdin: in, Stdout: &out, Done: done}
	go typed.Write([]byte(" one \ntwo\n"))
	if got := []string{AskLine(env, "first? "), ReadLine(Stdin(env))}; got[0] != "one" || got[1] != "two" || IsInterrupted(env) {
		t.Errorf("%q", got)
	}
	go close(done)
	if _, err := io.ReadAll(Stdin(env)); err == nil {
		t.Error("no error")
	}
	if AskLine(env, "second? ") != "" || !IsInterrupted(env) || out.String() != "first? second? \n" {
		t.Errorf("%q", out.String())
	}
	if text, err := io.ReadAll(Stdin(&console.Env{Stdin: strings.NewReader("all of it")})); string(text) != "all of it" || err != nil {
		t.Errorf("%q %v", text, err)
	}
}
