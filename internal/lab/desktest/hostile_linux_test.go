package desktest

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// hostileTexts are what agents and repositories may call things. In a browser, each would load
// something, run something or look like another thing.
var hostileTexts = []string{
	`<img src=x onerror=alert(1)>`, `"><script>alert(2)</script>`, `'-alert(3)-'`, `</textarea><svg onload=alert(4)>`, `[click](javascript:alert(5)) ![](http://evil.example/x.png)`, `{{.CSRF}}${alert(6)}`, "a\u202etxt.exe",
}

// TestHostileTextsInBrowser has markup in commands, reasons, sessions, names of files and hooks, and in
// what is searched for. Nothing of it becomes a part of a page, also not of one that is updated live.
func TestHostileTextsInBrowser(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	name := `<img src=x onerror=alert(7)>;$(id)`
	w.project = filepath.Join(w.home, name)
	w.write("src/"+name+".c", "int main;\n")
	w.configure("version: 1\nhooks:\n  pre_tool_use:\n    - {name: '" + name + "', type: rule, if: {command: {contains: prod}}, decision: deny, reason: '" + name + "'}\n    - {name: 'tried " + name + "', type: rule, if: {command: {contains: deploy}}, decision: deny, mode: shadow}\n")
	w.write("checkrein.yaml", "version: 1\nhooks:\n  stop:\n    - {name: '<b>x</b>', command: 'echo \"<script>alert(8)</script>\"'}\n")
	s := w.serve()
	b := s.openSignedIn(browser)
	for _, text := range hostileTexts {
		w.agent(call{Command: "deploy prod " + text, Reason: text, Session: text}, call{Command: "rm -rf 'src/" + name + ".c'", Session: text})
	}
	b.until(`document.querySelectorAll(".card.waiting, .cards.waiting .card").length > 0 && document.querySelectorAll("#feed .row").length >= 7`)
	b.checkInert("live")
	paths := []string{"/", "/approvals", "/hooks", "/policy", "/undo", "/agents", "/cost", "/policy/edit", "/r/2"}
	shown := map[string]string{"/": hostileTexts[0], "/approvals": name, "/hooks": "<b>x</b>", "/undo": name, "/policy": name}
	for _, text := range hostileTexts {
		q := url.QueryEscape(text)
		paths = append(paths, "/search?q="+q, "/?session="+q+"&project="+q+"&rule="+q)
	}
	for _, path := range paths {
		b.open(s.url + path)
		b.checkInert(path)
		if want, ok := shown[path]; ok && !strings.Contains(b.text("document.body.innerText"), want) {
			t.Errorf("%s does not show %s, so it tests nothing: %s", path, want, b.text("document.body.innerText"))
		}
	}
	if text := b.text("document.body.innerText"); strings.ContainsRune(text, '\u202e') {
		t.Error("a page shows characters that turn text around")
	}
}

// checkInert checks that the page has no element that a hostile text made, and reported nothing.
func (b *tab) checkInert(what string) {
	b.t.Helper()
	if made := b.text(`[...document.querySelectorAll("main img, main svg:not(.bar), main script, main b > b, main iframe, [onerror], [onload], [onclick]:not(button), a[href^='javascript']")].map((e) => e.outerHTML.slice(0, 100)).join("\n")`); made != "" {
		b.t.Errorf("%s has\n%s", what, made)
	}
	var copied []string
	if err := b.evaluate(`[...document.querySelectorAll("[data-copy]")].map((e) => e.dataset.copy)`, &copied); err != nil {
		b.t.Error(err)
	}
	for _, line := range copied {
		if !isHarmless(line) {
			b.t.Errorf("%s offers to copy %s", what, line)
		}
	}
	for _, fault := range b.takeFaults() {
		b.t.Errorf("%s: %s", what, fault)
	}
}

// isHarmless reports whether a shell reads line, which a page offers to copy, as a call of checkrein, after
// a cd if there is one, in which nothing is expanded.
func isHarmless(line string) bool {
	f, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(f.Stmts) != 1 {
		return false
	}
	isPlain, names := true, []string{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			isPlain = isPlain && !n.Background && len(n.Redirs) == 0
		case *syntax.CallExpr:
			names = append(names, n.Args[0].Lit())
		case *syntax.BinaryCmd:
			isPlain = isPlain && n.Op == syntax.AndStmt
		case nil, *syntax.File, *syntax.Word, *syntax.Lit, *syntax.SglQuoted:
		default:
			isPlain = false
		}
		return isPlain
	})
	last := len(names) - 1
	return isPlain && last >= 0 && names[last] == "checkrein" && (last == 0 || last == 1 && names[0] == "cd")
}
