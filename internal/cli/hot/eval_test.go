package hot

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// runEvalOn runs eval on stdin with an empty home directory, and returns its output and exit code.
func runEvalOn(t *testing.T, stdin io.Reader, args ...string) (string, int) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "hooks.yaml")
	err := os.WriteFile(config, []byte("version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, if: {command: {contains: rm}}, decision: deny, reason: no rm}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := Run(context.Background(), console.Env{
		Args: append([]string{"eval", "-c", config, "--json"}, args...), Stdin: stdin, Stdout: &out, Stderr: &out,
		Environ: []string{"HOME=" + dir}, Dir: dir, Now: time.Now,
	})
	return out.String(), code
}

// The output of eval for people has the colours of --color, and the same words without them.
func TestEvalColours(t *testing.T) {
	const deny, name, faint, bad, reset = "\x1b[1;31m", "\x1b[36m", "\x1b[2m", "\x1b[1;31m", "\x1b[0m"
	on := func(command string, args ...string) (string, int) {
		return runEvalOn(t, strings.NewReader(`{"tool_name":"shell","tool_input":{"cmd":"`+command+`"}}`), append([]string{"--event", "pre_tool_use", "--json=false"}, args...)...)
	}
	plain, code := on("rm x", "--explain")
	if code != 0 || strings.Contains(plain, "\x1b") {
		t.Errorf("not a terminal: exit code %d, %q", code, plain)
	}
	painted, _ := on("rm x", "--explain", "--color", "always")
	for _, want := range []string{deny + "deny" + reset + "\n", faint + "reason:" + reset + " no rm", name + `"`, "\x1b[32m✓" + reset + " "} {
		if !strings.Contains(painted, want) {
			t.Errorf("no %q in %q", want, painted)
		}
	}
	words := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, "")
	if first, _, _ := strings.Cut(words, "\n"); first != "deny" || len(strings.Split(words, "\n")) != len(strings.Split(plain, "\n")) {
		t.Errorf("without colours:\n%swith them taken out:\n%s", plain, words)
	}
	if passes, _ := on("ls", "--explain", "--color=always"); !strings.HasPrefix(passes, "\x1b[32mno decision"+reset+": ") || !strings.Contains(passes, bad+"✗"+reset+" ") {
		t.Errorf("a call that passes: %q", passes)
	}
	if out, _ := on("rm x", "--color", "never", "--plan"); strings.Contains(out, "\x1b") {
		t.Errorf("never: %q", out)
	}
	if out, code := on("rm x", "--color", "red"); code != console.Usage || !strings.Contains(out, "--color") {
		t.Errorf("red: exit code %d, %q", code, out)
	}
	if out, _ := runEvalOn(t, strings.NewReader(`{"tool_name":"shell","tool_input":{"cmd":"rm x"}}`), "--event", "pre_tool_use", "--color", "always"); strings.Contains(out, "\x1b") {
		t.Errorf("JSON: %q", out)
	}
}

// zeros is an endless reader of one byte.
type zeros byte

func (z zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(z)
	}
	return len(p), nil
}

// An unreadable payload is a usage error for eval, and a denial for a host.
func TestUnreadablePayloads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		stdin      func() io.Reader
	}{
		{"empty", "not one JSON object", func() io.Reader { return strings.NewReader("") }},
		{"truncated", "not one JSON object", func() io.Reader { return strings.NewReader(`{"tool_name":"Bash","tool_inp`) }},
		{"binary", "not one JSON object", func() io.Reader { return strings.NewReader("\x00\x01\xfe\xff") }},
		{"not UTF-8", "not one JSON object", func() io.Reader { return strings.NewReader("{\"tool_name\":\"\xff\"}") }},
		{"a list", "not one JSON object", func() io.Reader { return strings.NewReader("[]") }},
		{"two objects", "not one JSON object", func() io.Reader { return strings.NewReader("{}{}") }},
		{"a million levels deep", "not one JSON object", func() io.Reader { return io.LimitReader(zeros('['), 1<<20) }},
		{"deep in an object", "not one JSON object", func() io.Reader { return io.MultiReader(strings.NewReader(`{"a":`), io.LimitReader(zeros('['), 1<<20)) }},
		{"a hundred megabytes", "larger than 32 MiB", func() io.Reader { return io.LimitReader(zeros(' '), 100<<20) }},
		{"endless", "larger than 32 MiB", func() io.Reader { return zeros('x') }},
		{"a tool name that is no text", "must be a string", func() io.Reader { return strings.NewReader(`{"tool_name":7}`) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, code := runEvalOn(t, tt.stdin(), "--event", "pre_tool_use")
			if code != console.Usage || strings.Contains(out, `"decision"`) || !strings.Contains(out, tt.want) {
				t.Errorf("eval: got exit %d and %.300s, want a mistake with %q", code, out, tt.want)
			}
			var reply bytes.Buffer
			dir := t.TempDir()
			code = Run(context.Background(), console.Env{Args: []string{"hook", "claude"}, Stdin: tt.stdin(), Stdout: &reply, Stderr: &reply,
				Environ: []string{"HOME=" + dir}, Dir: dir, Now: time.Now})
			if code != console.Done || !strings.Contains(reply.String(), `"deny"`) {
				t.Errorf("hook: got exit %d and %.300s, want a denial", code, reply.String())
			}
		})
	}
}

func TestDuplicateKeysAreReadLikeHosts(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"tool_name":"Bash","tool_input":{"command":"ls","command":"rm x"}}`,
		`{"tool_name":"Read","tool_name":"Bash","tool_input":{"command":"rm x"}}`,
		`{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_input":{"command":"rm x"}}`,
		`{"tool_name":"Bash","tool_input":{"command":"ls","comm\u0061nd":"rm x"}}`,
	} {
		if out, _ := runEvalOn(t, strings.NewReader(body), "--event", "PreToolUse"); !strings.Contains(out, `"decision":"deny"`) {
			t.Errorf("%s: got %s, want a denial", body, out)
		}
	}
}

func TestEvalMemoryIsBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runEvalOn(t, zeros('x'), "--event", "pre_tool_use")
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(256<<20); got > limit {
		t.Errorf("an endless payload made it allocate %d MiB, more than %d", got>>20, limit>>20)
	}
}

func FuzzEvalPayload(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls"}}`))
	f.Add([]byte(`{"event":"on_stop","response":"done"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var out bytes.Buffer
		code := Run(context.Background(), console.Env{Args: []string{"eval", "-c", os.DevNull, "--event", "pre_tool_use", "--json"},
			Stdin: bytes.NewReader(body), Stdout: &out, Stderr: &out, Dir: "/", Now: time.Now, Environ: []string{"HOME=/nonexistent"}})
		if (code != console.Done || !strings.HasPrefix(out.String(), "{")) && (code != console.Usage || !strings.Contains(out.String(), "cannot be read")) {
			t.Errorf("exit %d, %s", code, out.String())
		}
	})
}
