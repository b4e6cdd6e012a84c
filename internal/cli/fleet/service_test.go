package fleet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnit has systemd check the unit of the service.
func TestUnit(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), filepath.Base(unitFile))
	if err := os.WriteFile(file, fmt.Appendf(nil, unit, program), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPlist reads the declaration of the service for launchd.
func TestPlist(t *testing.T) {
	t.Parallel()
	const program = "/opt/a&b/checkreind"
	d := xml.NewDecoder(strings.NewReader(fmt.Sprintf(plist, html.EscapeString(program))))
	var texts []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
	want := []string{"Label", strings.TrimSuffix(filepath.Base(plistFile), ".plist"), "ProgramArguments", program, "fleet-agent", "RunAtLoad", "KeepAlive"}
	if !slices.Equal(texts, want) {
		t.Errorf("the declaration has %q, want %q", texts, want)
	}
}
