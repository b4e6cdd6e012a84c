package userdirs

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestConfigDir(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, xdg, home, want string }{
		{"XDG", "/x", "/h", "/x/checkrein"},
		{"a relative XDG is none", "x", "/h", "/h/.config/checkrein"},
		{"home", "", "/h", "/h/.config/checkrein"},
		{"neither", "", "", ""},
		{"a relative home is none", "", "h", ""},
	} {
		got := ConfigDir(func(n string) string { return map[string]string{"XDG_CONFIG_HOME": tt.xdg, "HOME": tt.home}[n] })
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// newHomeAndProject creates a home directory, a project, and other directories beside them.
func newHomeAndProject(t *testing.T) (home, project string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project = filepath.Join(dir, "home"), filepath.Join(dir, "project")
	for _, d := range []string{filepath.Join(home, ".config"), filepath.Join(project, ".cfg", "checkrein"), filepath.Join(dir, "open"), filepath.Join(dir, "open", "mine"), filepath.Join(dir, "sticky", "mine")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"open": 0o777, "sticky": 0o777 | os.ModeSticky} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"link": project, "loop": filepath.Join(dir, "loop"), "process": "/proc/self/cwd"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return home, project
}

func TestCheckDir(t *testing.T) {
	t.Parallel()
	home, project := newHomeAndProject(t)
	dir := filepath.Dir(home)
	tests := []struct{ name, path, want string }{
		{"a home", filepath.Join(home, ".config"), ""},
		{"not there yet", filepath.Join(home, ".config", "checkrein", "deeper"), ""},
		{"below a sticky directory", filepath.Join(dir, "sticky", "mine"), ""},
		{"to be made in a sticky directory", filepath.Join(dir, "sticky", "new"), ""},
		{"in the project", filepath.Join(project, ".cfg", "checkrein"), "it is inside the project"},
		{"the project itself", project, "it is inside the project"},
		{"to be made in the project", filepath.Join(project, "new"), "it is inside the project"},
		{"a link into the project", filepath.Join(dir, "link", ".cfg"), "it is inside the project"},
		{"up and down", filepath.Join(home, "..", "project"), "it is inside the project"},
		{"a process's directory", "/proc/self/cwd/.cfg", "differs for each process"},
		{"a process's root", "/proc/1/root" + home, "differs for each process"},
		{"a descriptor", "/dev/fd/3/x", "differs for each process"},
		{"a link to a process's directory", filepath.Join(dir, "process", "x"), "differs for each process"},
		{"a link to itself", filepath.Join(dir, "loop"), "too many links"},
		{"everyone may write", filepath.Join(dir, "open"), "chmod o-w " + filepath.Join(dir, "open")},
		{"everyone may write above", filepath.Join(dir, "open", "mine"), "chmod o-w " + filepath.Join(dir, "open")},
		{"everyone may write to a sticky one", filepath.Join(dir, "sticky"), "chmod o-w"},
	}
	for _, tt := range tests {
		err := CheckDir(tt.path, project)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestCheckDirOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "checkrein.yaml")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckFile(file); err != nil {
		t.Error(err)
	}
	for _, path := range []string{dir, file} {
		if err := os.Lchown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := CheckDir(dir); err == nil || !strings.Contains(err.Error(), "user 12345") {
		t.Errorf("a directory of another user: %v", err)
	}
	if err := CheckFile(file); err == nil || !strings.Contains(err.Error(), "user 12345") {
		t.Errorf("a file of another user: %v", err)
	}
	if err := os.Lchown(file, 0, -1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := CheckFile(file); err == nil || !strings.Contains(err.Error(), "chmod o-w") {
		t.Errorf("a file that everyone may write: %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	home, project := newHomeAndProject(t)
	own := []string{"HOME=" + home}
	bent := append(own, "XDG_CONFIG_HOME="+filepath.Join(project, ".cfg"), "XDG_STATE_HOME=/proc/self/cwd/.s")
	config, state := filepath.Join(home, "c"), filepath.Join(home, "s")
	tests := []struct {
		name          string
		ask           Finder
		config, state string
		err, told     string
	}{
		{"variables", Finder{Environ: own}, filepath.Join(home, ".config/checkrein"), filepath.Join(home, ".local/state/checkrein"), "", ""},
		{"pinned beats variables", Finder{Environ: bent, Config: config, State: state}, config, state, "", ""},
		{"one pin alone", Finder{Environ: own, Config: config}, "", "", "--state is missing", ""},
		{"a relative pin", Finder{Environ: own, Config: "c", State: state}, "", "", "absolute", ""},
		{"a pin in the project", Finder{Environ: own, Config: filepath.Join(project, "c"), State: state}, "", "", "--config " + filepath.Join(project, "c") + ": it is inside the project", ""},
		{"a pin below /proc", Finder{Environ: own, Config: config, State: "/proc/self/cwd/s"}, "", "", "--state /proc/self/cwd/s:", ""},
	}
	for _, tt := range tests {
		tt.ask.Projects, tt.ask.Called = []string{project}, true
		got, err := tt.ask.Find()
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || got.Config != tt.config || got.State != tt.state || strings.Join(got.Notices, "") != tt.told {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	got, err := Finder{Environ: bent, Called: true, Projects: []string{project}}.Find()
	if err != nil || strings.HasPrefix(got.Config, project) || strings.HasPrefix(got.State, "/proc") || len(got.Notices) != 2 {
		t.Errorf("bent variables: %+v, %v", got, err)
	}
}

// TestNoteOfAnotherHome checks that a temporary home directory leaves nothing in the account's home
// directory.
func TestNoteOfAnotherHome(t *testing.T) {
	t.Parallel()
	home, _ := newHomeAndProject(t)
	if err := WriteNote(home, "/c", "/s"); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := ReadNote(home); ok {
		t.Error("a home that is not the account's was noted")
	}
}

// TestAccountScript checks that a shell finds the same home directory as AccountHome, whatever the
// variables are.
func TestAccountScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no POSIX shell")
	}
	had := account
	t.Cleanup(func() { account = had })
	account = ""
	own := AccountHome()
	if own == "" {
		t.Skip("the system has no record of this user")
	}
	for _, want := range []string{own, "/o'brien/a home"} {
		if want != own {
			account = want
		}
		cmd := exec.Command(sh, "-c", AccountScript()+`printf %s "$account"`)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/elsewhere", "USER=x", "LOGNAME=x", "name=x"}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%v: %q, want %q", err, out, want)
		}
	}
}
