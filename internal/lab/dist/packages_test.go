package dist

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

// TestChecksums compares all checksums, and checks that everything that is published has one.
func TestChecksums(t *testing.T) {
	r := open(t)
	out := run(t, r.dir, "sha256sum", "-c", "checksums.txt")
	systems := []string{"linux amd64", "linux arm64", "darwin amd64", "darwin arm64", "windows amd64", "windows arm64"}
	if only := os.Getenv(limitVar); only != "" {
		systems = []string{only}
	}
	names := map[string][]string{
		"linux": {
			"checkrein_V_S.tar.gz", "checkrein-models_V_S.tar.gz", "checkrein-hub_V_S.tar.gz", "checkrein_V_S.tar.gz.cdx.json",
			"checkrein_V_S.deb", "checkrein_V_S.rpm", "checkrein_V_S.apk", "checkrein-models_V_S.deb", "checkrein-hub_V_S.deb",
		},
		"darwin":  {"checkrein_V_S.tar.gz", "checkrein-models_V_S.tar.gz", "checkrein_V_S.tar.gz.cdx.json"},
		"windows": {"checkrein_V_S.zip", "checkrein-models_V_S.zip", "checkrein_V_S.zip.cdx.json"},
	}
	for _, system := range systems {
		goos, _, _ := strings.Cut(system, " ")
		for _, name := range names[goos] {
			if name = strings.NewReplacer("V", r.version, "S", strings.ReplaceAll(system, " ", "_")).Replace(name); !strings.Contains(out, name+": OK\n") {
				t.Errorf("%s has no checksum", name)
			}
		}
	}
}

// TestManifests checks that the manifests have checksums of files of the release.
func TestManifests(t *testing.T) {
	r := open(t)
	if os.Getenv(limitVar) != "" {
		skipOrFail(t, "a release for one system has no manifests")
	}
	known, err := os.ReadFile(filepath.Join(r.dir, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, manifest := range []string{"homebrew/Casks/checkrein.rb", "scoop/checkrein.json"} {
		text, err := os.ReadFile(r.file(t, manifest))
		if err != nil {
			t.Fatal(err)
		}
		sums := regexp.MustCompile(`\b[0-9a-f]{64}\b`).FindAllString(string(text), -1)
		if len(sums) < 2 {
			t.Errorf("%s has %d checksums", manifest, len(sums))
		}
		for _, sum := range sums {
			if !strings.Contains(string(known), sum) {
				t.Errorf("%s has the checksum %s of no file", manifest, sum)
			}
		}
	}
}

// TestInstallScript installs the archive, and refuses one that was changed.
func TestInstallScript(t *testing.T) {
	r := open(t)
	if runtime.GOOS == "windows" {
		t.Skip("scripts/install.sh is not for Windows")
	}
	need(t, "curl")
	site := filepath.Join(t.TempDir(), "download", "v"+r.version)
	archive := filepath.Base(r.file(t, "checkrein_VERSION_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"))
	if err := os.MkdirAll(site, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, r.dir, "cp", "checksums.txt", archive, site)
	bin := filepath.Join(t.TempDir(), "bin")
	script := []string{"sh", "../../../scripts/install.sh", "--from", "file://" + filepath.Dir(filepath.Dir(site)), "--version", r.version, "--dir", bin}
	if said := run(t, ".", script...); !strings.Contains(said, "checkrein "+r.version+" (go") || !strings.Contains(said, "install --system") {
		t.Errorf("install.sh printed:\n%s", said)
	}
	if said := run(t, bin, "./checkreind", "version"); !strings.HasPrefix(said, "checkreind "+r.version) {
		t.Errorf("checkreind is %s", said)
	}
	if err := os.RemoveAll(bin); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(site, archive), []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := try(t, ".", nil, script...); err == nil || !strings.Contains(out, "nothing was installed") {
		t.Errorf("a changed archive: %v\n%s", err, out)
	}
	if _, err := os.Stat(bin); err == nil {
		t.Error("a changed archive was installed")
	}
}

// TestMaterials compares a bill of materials with what go version finds in the program of the archive.
func TestMaterials(t *testing.T) {
	r := open(t)
	archive := r.file(t, "checkrein_VERSION_linux_amd64.tar.gz")
	text, err := os.ReadFile(archive + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, c := range bill.Components {
		has[c.Name+" "+c.Version] = true
	}
	dir := t.TempDir()
	run(t, dir, "tar", "-xzf", archive)
	modules := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(run(t, dir, "go", "version", "-m", "checkrein", "checkreind"), -1)
	if len(modules) < 10 {
		t.Errorf("the programs have %d modules", len(modules))
	}
	for _, m := range modules {
		if !has[m[1]+" "+m[2]] {
			t.Errorf("%s %s is not in the bill of materials", m[1], m[2])
		}
	}
	for _, program := range []string{"checkrein", "checkreind", "checkrein-shell"} {
		if !has[program+" "+r.version] {
			t.Errorf("%s is not in the bill of materials", program)
		}
	}
}

// TestStatic checks that no program of Linux needs a library.
func TestStatic(t *testing.T) {
	r := open(t)
	dir := t.TempDir()
	for _, name := range []string{"checkrein", "checkrein-models", "checkrein-hub"} {
		run(t, dir, "tar", "-xzf", r.file(t, name+"_VERSION_linux_amd64.tar.gz"), "--wildcards", "checkrein*")
	}
	for _, program := range []string{"checkrein", "checkreind", "checkrein-shell", "checkrein-models", "checkrein-hub"} {
		out, err := exec.Command("readelf", "-d", filepath.Join(dir, program)).CombinedOutput()
		if err != nil || strings.Contains(string(out), "NEEDED") {
			t.Errorf("%s: %v %s", program, err, out)
		}
	}
}

// TestNpmPlace checks that the npm package looks for the programs where install --system puts them.
func TestNpmPlace(t *testing.T) {
	text, err := os.ReadFile("../../../packaging/npm/checkrein.js")
	if err != nil {
		t.Fatal(err)
	}
	if dir := install.SystemDir(); dir != "" && !strings.Contains(string(text), "'"+dir+"'") {
		t.Errorf("checkrein.js does not name %s", dir)
	}
}
