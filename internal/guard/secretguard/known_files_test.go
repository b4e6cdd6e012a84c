package secretguard

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// outputVerdict returns the verdict of the default guard about the output of a command in p. The map
// files is the state of the session.
func (p testRepo) outputVerdict(command, output string, files *sessionFiles) checkrein.Verdict {
	p.t.Helper()
	run, err := NewGuardSecrets(Env{MarkKey: func() (placeholder.Key, bool) { return placeholder.Key{1}, true }}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	in, _ := json.Marshal(map[string]any{"command": command})
	out, _ := json.Marshal(map[string]any{"stdout": output, "stderr": ""})
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir + "/home"}
	keep := func(_ *checkrein.Event, name string, _ time.Duration, v any, change func() error) error {
		state, ok := v.(*sessionFiles)
		if !ok {
			return change()
		}
		*state = *files
		err := change()
		if err == nil {
			*files = *state
		}
		return err
	}
	call := builtin.Call{Dir: p.dir, Environ: env, Machine: builtin.Machine{Home: p.dir + "/home", Environ: env, Run: guardtest.RunProgram, Keep: keep}}
	call.Event = checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: checkrein.Session{ID: "s", Dir: p.dir, Root: p.dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: in, Output: out}}
	v, err := run(p.t.Context(), call)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// TestOutputInOtherShapes checks that values of known files are redacted in outputs that show them in
// another shape.
func TestOutputInOtherShapes(t *testing.T) {
	t.Parallel()
	p := newRepoPlace(t)
	value := "wJalr9XUtnFEMI_K7MDENG" + "bPxRfiCYzq3Kd8Lp2"
	p.write(".env", "APP=demo\nSERVICE_TOKEN="+value+"\n")
	for _, command := range []string{"base64 .env", "xxd .env", "rev .env", "fold -w4 .env | cat -n", "hexdump -C .env", "od -c .env", "cut -d= -f2 .env"} {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = p.dir
		out, err := cmd.Output()
		if err != nil {
			t.Logf("not tried: %s", command)
			continue
		}
		v := p.outputVerdict(command, string(out), new(sessionFiles))
		if !strings.Contains(string(v.Output), "[REDACTED:") || len(v.Notice) != 1 {
			t.Errorf("%s: %s %q", command, v.Output, v.Notice)
			continue
		}
		if command == "xxd .env" && !strings.Contains(v.Notice[0], " of .env, line") {
			t.Errorf("%s: %q", command, v.Notice)
		}
	}
	key := placeholder.Key{1}
	v := p.outputVerdict("sed 's/./& /g' .env", "A B "+strings.Join(strings.Split(value, ""), " ")+" C", new(sessionFiles))
	if want := `{"stderr":"","stdout":"A B ` + key.Marker(value) + ` C"}`; string(v.Output) != want {
		t.Errorf("got %s, want %s", v.Output, want)
	}
	for _, output := range []string{"", "ok  \texample.com/a\t0.012s\n", "commit 3f786850e387550fdab836ed7e6dc881de23001b\n"} {
		if v := p.outputVerdict("go test ./...", output, new(sessionFiles)); v.Output != nil || v.Notice != nil {
			t.Errorf("%q: %s %q", output, v.Output, v.Notice)
		}
	}
}

// TestFilesOfTheSession checks that the values of a file outside of the project are redacted after a call
// named it.
func TestFilesOfTheSession(t *testing.T) {
	t.Parallel()
	p := newRepoPlace(t)
	value := "q8ZrT5mWx0" + "Kd3Lp7Vb2Nc"
	p.write("home/.netrc", "machine example.com login me password "+value+"\n")
	spaced := strings.Join(strings.Split(value, ""), " ")
	var files sessionFiles
	if v := p.outputVerdict("cat x", spaced, &files); v.Output != nil {
		t.Errorf("no call named the file: %s", v.Output)
	}
	if v := p.outputVerdict("cp ~/.netrc x", "", &files); v.Output != nil || len(files.Files) != 1 || files.Files[0] != filepath.Join(p.dir, "home/.netrc") {
		t.Errorf("%s %v", v.Output, files)
	}
	if v := p.outputVerdict("sed 's/./& /g' x", spaced, &files); !strings.Contains(string(v.Output), "[REDACTED:") {
		t.Errorf("an earlier call named the file: %s", v.Output)
	}
}

// BenchmarkOutput measures the guard on an output of 64 KiB, in a project with files with secrets and in
// one without.
func BenchmarkOutput(b *testing.B) {
	logs, err := exec.Command("git", "log", "--stat", "-n", "3000").Output()
	if err != nil {
		b.Fatal(err)
	}
	out, _ := json.Marshal(map[string]any{"stdout": string(logs[:min(len(logs), 64<<10)])})
	for _, name := range []string{"without", "with"} {
		dir := b.TempDir()
		for i := range 30 {
			if err := os.WriteFile(filepath.Join(dir, "file"+string(rune('a'+i))+".go"), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		if name == "with" {
			if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("SERVICE_TOKEN=wJalr9XUtnFEMI_K7MDENGbPxRfiCYz"+"q3Kd8Lp2\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		run, _ := NewGuardSecrets(Env{}, nil)
		call := builtin.Call{Dir: dir}
		call.Event = checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: checkrein.Session{Dir: dir, Root: dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: []byte(`{"command":"git log"}`), Output: out}}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := run(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
