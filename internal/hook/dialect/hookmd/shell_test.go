package hookmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A script that was written runs where the hook ran, with its environment.
func TestScriptsRunAsTheHookDid(t *testing.T) {
	t.Parallel()
	unixOnly(t)
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"sub", "-", "it's $X", "home/sub", "other/sub", "other-x"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	vars := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(base, "home"), "OTHER=" + filepath.Join(base, "other"),
		"REL=sub", "B=b c", "DOLLAR=$", "CDPATH=" + filepath.Join(base, "home")}
	for _, with := range []string{
		`{"env":{}}`,
		`{"working_dir":"sub"}`,
		`{"working_dir":"./sub"}`,
		`{"working_dir":"-"}`,
		`{"working_dir":"~"}`,
		`{"working_dir":"~/sub"}`,
		`{"working_dir":"$OTHER/sub"}`,
		`{"working_dir":"${OTHER}"}`,
		`{"working_dir":"${env.OTHER}/$REL"}`,
		`{"working_dir":"${OTHER}-x"}`,
		`{"working_dir":"it's ${env.DOLLAR}X","env":{"DOLLAR":"no"}}`,
		`{"env":{"A":"${env.B} '$B' ${B} \"x\" ` + "`y`" + ` $(z) \\n","B":"changed","C":""}}`,
		`{"env":{"A":"${env.NOT_SET}","B":"${env.A-b}","C":"${env."}}`,
	} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			place, err := environ.Read(json.RawMessage(with))
			if err != nil {
				t.Fatal(err)
			}
			dir, env, _ := place.Resolve(base, vars)
			hook := other(func(h *checkrein.Hook) {
				h.With = json.RawMessage(`{"command":"pwd; printf '[%s]' \"$A\" \"$B\" \"$C\"; cat",` + with[1:])
			})
			docs, losses := Dialect.Write([]checkrein.Hook{hook})
			if got := lost(losses); got != "" || len(docs) != 2 {
				t.Fatalf("%d documents, lost %s", len(docs), got)
			}
			script := put(t, t.TempDir(), "run.sh", string(docs[1].Data), 0o755)
			cmd := exec.Command("/bin/sh", script)
			cmd.Dir, cmd.Env = base, vars
			got, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, got, docs[1].Data)
			}
			value := func(name string) string { v, _ := environ.Lookup(env, name); return v }
			if want := dir + "\n[" + value("A") + "][" + value("B") + "][" + value("C") + "]"; string(got) != want {
				t.Errorf("got  %s\nwant %s\n%s", got, want, docs[1].Data)
			}
		})
	}
}

// A directory that cannot be told is a fault, not another directory.
func TestScriptsEndWithoutTheirDirectory(t *testing.T) {
	t.Parallel()
	unixOnly(t)
	for _, dir := range []string{"$NOT_SET/tmp", "${env.NOT_SET}", "~/x", "nowhere"} {
		docs, _ := Dialect.Write([]checkrein.Hook{other(func(h *checkrein.Hook) {
			h.With = json.RawMessage(`{"command":"echo ran; exit 0","working_dir":"` + dir + `"}`)
		})})
		cmd := exec.Command("/bin/sh", put(t, t.TempDir(), "run.sh", string(docs[1].Data), 0o755))
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); err == nil || code != 1 || len(out) > 0 {
			t.Errorf("%s: exit %d, %s", dir, code, out)
		}
	}
}
