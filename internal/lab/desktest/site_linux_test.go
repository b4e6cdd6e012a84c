package desktest

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDocumentationSite opens each page of the built site on a wide screen and on a phone, and searches
// with the keyboard.
func TestDocumentationSite(t *testing.T) {
	if os.Getenv("CHECKREIN_DESK") == "" {
		t.Skip("SKIPPED: set CHECKREIN_DESK=1, or run make test-desk")
	}
	out := t.TempDir()
	cmd := exec.Command("go", "run", "./internal/lab/site", out)
	cmd.Dir = "../../.."
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer s.Close()
	b := startChromium(t).newTab()

	b.open(s.URL + "/docs/guides/allow.html")
	b.press("/")
	b.typeText("hard links undo")
	b.until(`document.querySelector("#found a")?.innerText === "Undo"`)
	b.typeText(" nowhere-to-be-found")
	b.until(`document.querySelector("#found").innerText === "Nothing found"`)
	b.press("Escape")
	b.until(`document.querySelector("#found").hidden`)
	b.typeText("hard links undo")
	b.click("#found a")
	b.until(`location.pathname === "/docs/undo.html" && document.querySelector("[aria-current=page]").innerText === "Take back what an agent deleted"`)

	pages := 0
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".html") {
			return err
		}
		pages++
		b.open(s.URL + "/" + name)
		for _, width := range []int{1200, 390} {
			b.resize(width, 844, width == 390)
			b.checkPage(name, "")
		}
		return nil
	})
	if err != nil || pages < 60 {
		t.Errorf("%d pages: %v", pages, err)
	}
}
