package disguise

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// harmless cores write files and nothing else, so that their effect can be seen.
var harmless = []string{
	"touch made", "touch made also", "touch made-$USER_X", "touch sub/*", "touch ~/made", "touch ~/sub/made ~/made", "touch $HOME/made", "touch \"$HOME\"/made", "touch 'two words'", "touch \"two words\"", "mkdir -p sub/a/b",
	"cp sub/one sub/three", "cp sub/one ~/one", "mv sub/one sub/moved", "ln -s sub/one link", "tee made < sub/one", "echo one > made", "echo one two >> made; echo three >> made", "printf '%s\\n' 'a b' c > made", "echo 'it'\\''s' > made", "echo \"$HOME\" > made",
	"echo one | tr a-z A-Z > made", "echo a && echo b > made", "{ echo a; echo b; } > made", "find sub -name one -exec cp {} made \\;", "find sub -type f -exec touch {}.done ;", "cat sub/one sub/two > made", "for f in sub/*; do echo \"$f\" >> made; done",
	"if [ -d sub ]; then echo yes > made; fi", "sed -i s/one/1/ sub/one", "dd if=sub/one of=made", "sort -o made sub/one", "rm sub/one", "rm -r sub", "rm -f ~/kept", "env FOO=bar sh -c 'echo $FOO > made'", "touch a,b", "touch -- made",
}

// TestMeaning runs every generator around harmless cores, and compositions of them,
// in a real shell: what they leave behind is what the bare core leaves.
func TestMeaning(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("it takes bash and the programs of Linux")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	stubs := t.TempDir()
	for name, text := range map[string]string{"sudo": sudoStub, "doas": sudoStub, "busybox": "#!/bin/sh\nexec \"$@\"\n"} {
		if err := built.WriteScript(filepath.Join(stubs, name), text); err != nil {
			t.Fatal(err)
		}
	}
	bare := map[string]string{}
	check := func(core string, s Script) {
		if _, ok := bare[core]; !ok {
			bare[core] = left(t, stubs, core, func(string) bool { return true })
		}
		want := bare[core]
		if got := left(t, stubs, s.Text, func(got string) bool { return got == want }); got != want {
			t.Errorf("%s, by %s:\n%s\nleaves\n%s\nwant\n%s", core, strings.Join(s.Steps, ", "), clip(s.Text), got, want)
		}
	}
	runs := 1
	if os.Getenv("CHECKREIN_GENERATED") != "" {
		runs = 12
	}
	var here []Generator
	for _, g := range All() {
		if g.Late || !installed(g) {
			continue
		}
		here = append(here, g)
		for done := 0; done < runs; {
			core := pick(r, harmless...)
			s, ok := g.Apply(r, Parse(core))
			if !ok {
				continue
			}
			check(core, s)
			done++
		}
	}
	for range 60 * runs {
		core := pick(r, harmless...)
		check(core, Compose(r, core, here, 3))
	}
}

// sudoStub leaves rights as they are.
const sudoStub = "#!/bin/bash\nwhile [[ $1 == -* ]]; do [[ $1 == -u ]] && shift; shift; done\nexec \"$@\"\n"

// installed reports whether this machine has what a generator needs.
func installed(g Generator) bool {
	for word, program := range map[string]string{"python": "python3", "perl": "perl", "node": "node", "awk": "awk", "make": "make", "hex": "xxd", "reversed": "rev", "base64": "openssl", "program": "node"} {
		if strings.HasPrefix(g.Name, word) {
			if _, err := exec.LookPath(program); err != nil {
				return false
			}
		}
	}
	return true
}

// left runs a text in a home of its own and returns the files there, but for those
// that generators make; it waits for what ends later.
func left(t *testing.T, stubs, text string, done func(string) bool) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	for name, text := range map[string]string{"project/sub/one": "one\n", "project/sub/two": "two\n", "kept": "kept\n"} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	temp := t.TempDir()
	text = strings.NewReplacer("/tmp/", temp+"/", "PATH=/tmp:", "PATH="+temp+":").Replace(text)
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "PATH=" + stubs + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "USER=dev"}
	errs, err := os.Create(filepath.Join(t.TempDir(), "errors")) // a pipe would be held by what runs on
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	cmd.Stderr = errs
	cmd.Run() // how it ends is the generator's matter
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got := files(home)
		if done(got) {
			return got
		}
		if time.Now().After(end) {
			said, _ := os.ReadFile(errs.Name())
			return got + clip(string(said))
		}
	}
}

// files lists what lies in a directory.
func files(home string) string {
	var out []string
	filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(home, path)
		base := filepath.Base(name)
		if scratch(base) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		text := ""
		if d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			text = strings.ReplaceAll(string(data), home, "HOME")
		}
		out = append(out, fmt.Sprintf("%s %q", name, text))
		return nil
	})
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// scratch reports whether generators made a file.
func scratch(base string) bool {
	for _, p := range []string{"task-", "bin_", "v_", "tmp_", "step_", "opt_", "item_", "job_", "arg_", "nohup.out"} {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

func clip(s string) string {
	if len(s) > 1500 {
		return s[:700] + "\n…\n" + s[len(s)-700:]
	}
	return s
}
