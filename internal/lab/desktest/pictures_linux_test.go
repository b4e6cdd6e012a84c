package desktest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// update is the flag -update, with which the pictures of docs are made.
var update = flag.Bool("update", false, "make the pictures in docs/pictures anew")

// maxPicture is how large a picture may be, in bytes.
const maxPicture = 150_000

// TestPictures makes the pictures of the page that README and docs show. They differ between machines
// by their fonts, so they are not compared.
func TestPictures(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	w.configure(prodRule)
	w.shell("checkrein install claude --program " + w.program())
	var calls []call
	for _, command := range []string{"go vet ./...", "git status", "go test ./...", "git diff --stat", "go build ./...", "git log --oneline -5"} {
		calls = append(calls, call{Command: command}, call{Tool: "Write", Command: filepath.Join(w.project, "src", "cart.c")})
	}
	calls = append(calls, call{Command: "rm -rf src"}, call{Command: "go test ./..."}, call{Command: "git add -A"}, call{Command: "git commit -m 'Fix the cart'"})
	w.agent(calls...)
	handle := w.blocked("git push --force origin main", "Publish the fixed history")
	s := w.serve()
	b := s.openSignedIn(browser)
	for _, p := range []struct {
		name, path    string
		width, height int
		dark          bool
	}{
		{"now.png", "/", 1180, 860, false},
		{"record.png", "/r/" + handle, 1180, 760, true},
		{"policy.png", "/policy", 1180, 860, false},
		{"phone.png", w.linkTo(handle), 390, 844, true},
	} {
		b.resize(p.width, p.height, p.width < 500)
		b.preferDark(p.dark)
		b.open(s.url + p.path)
		b.until(`!document.querySelector("details[open]") || document.querySelector("[aria-label=Code]")`)
		// The page for phones shows whole paths.
		b.text(fmt.Sprintf(`(() => { for (const w = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); w.nextNode();) w.currentNode.data = w.currentNode.data.replaceAll(%q, "/home/ann"); return ""; })()`, w.home))
		picture := b.picture()
		if len(picture) > maxPicture {
			t.Errorf("%s has %d bytes", p.name, len(picture))
		}
		if *update {
			if err := os.WriteFile(filepath.Join("../../../docs/pictures", p.name), picture, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}
