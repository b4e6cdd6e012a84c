package dist

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoInstall installs the programs of the commit as a version, as go install gets it from a proxy.
func TestGoInstall(t *testing.T) {
	r := open(t)
	const module, version = "github.com/checkrein/checkrein", "v0.99.0"
	root := filepath.Dir(r.dir)
	proxy, bin := t.TempDir(), t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := []string{"git", "archive", "--format=zip", "--prefix=" + module + "@" + version + "/", "-o", filepath.Join(dir, version+".zip"), "HEAD", "--", "."}
	for file := range strings.FieldsSeq(run(t, root, "git", "ls-files", "*/go.mod")) { // modules of their own
		archive = append(archive, ":(exclude)"+filepath.Dir(file))
	}
	run(t, root, archive...)
	for name, text := range map[string]string{
		version + ".mod":  run(t, root, "git", "show", "HEAD:go.mod"),
		version + ".info": `{"Version":"` + version + `"}`,
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cached := strings.TrimSpace(run(t, root, "go", "env", "GOMODCACHE")) + "/cache/download"
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + cached, "GOSUMDB=off", "GOBIN=" + bin, "CGO_ENABLED=0",
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw -trimpath -gcflags=all=-dwarf=false",
	}
	if out, err := try(t, t.TempDir(), env, "go", "install", module+"/cmd/...@"+version); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	for _, program := range []string{"checkrein", "checkreind"} {
		if said := run(t, bin, filepath.Join(bin, program), "version"); !strings.HasPrefix(said, program+" 0.99.0 ") {
			t.Errorf("%s is version %q", program, said)
		}
	}
}
