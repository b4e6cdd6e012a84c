package desktest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// focus presses Tab until the element that a selector matches has the focus.
func (b *tab) focus(selector string) {
	b.t.Helper()
	for range 120 {
		b.press("Tab")
		var is bool
		if err := b.evaluate(fmt.Sprintf("document.activeElement.matches(%q)", selector), &is); err != nil {
			b.t.Fatal(err)
		}
		if is {
			return
		}
	}
	b.t.Fatalf("no Tab leads to %s", selector)
}

// where waits until the address of the page is path.
func (b *tab) where(path string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`location.pathname + location.search === %q && document.readyState === "complete"`, path))
	b.settle()
}

// TestKeyboard goes through the page without a mouse.
func TestKeyboard(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	w.workday()
	s := w.serve()
	b := browser.newTab()
	b.must("", "Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}, "browserContextId": b.context}, nil)
	b.open(s.link())
	b.until(`document.querySelector("nav")`)
	b.settle()
	b.until(`location.hash === ""`)

	b.press("Tab", "Enter") // the link over the navigation
	b.until(`document.activeElement.id === "main"`)
	b.press("j", "j", "k", "j")
	b.until(`document.activeElement === document.querySelectorAll(".row")[1]`)
	b.press("Enter")
	b.until(`location.pathname.startsWith("/r/") && document.readyState === "complete"`)
	b.settle()
	b.press("c")
	b.until(`document.querySelector("#toast").textContent.startsWith("Copied: checkrein ")`)
	if text := b.text("navigator.clipboard.readText()"); !strings.HasPrefix(text, "checkrein ") {
		t.Errorf("the clipboard has %q", text)
	}
	b.press("/")
	b.typeText("push")
	b.press("Enter")
	b.where("/search?q=push")
	b.press("/", "Escape", "?")
	b.until(`document.querySelector("#help").open`)
	b.press("Escape")
	b.until(`!document.querySelector("#help").open`)
	for key, path := range map[string]string{"s": "/search", "a": "/agents", "h": "/hooks", "p": "/policy", "u": "/undo", "c": "/cost", "n": "/"} {
		b.press("g", key)
		b.where(path)
	}
	b.open(s.url + "/")
	b.focus("[data-theme-switch]")
	b.press("Enter")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.open(s.url + "/")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.focus(".chip.denied")
	b.press("Enter")
	b.where("/?answer=denied")
	b.focus(".chip.on")
	b.press("Enter")
	b.where("/")
	b.focus(".needs form button")
	b.press("Enter")
	b.until(`document.querySelector(".needs .calm")?.textContent.includes("Nothing was stopped")`)
	b.settle()
	for _, fault := range b.takeFaults() {
		t.Error(fault)
	}
}

// TestSignIn opens the page without a link, with one that was used, and after the session has ended.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	s := w.serve()
	link := s.link()
	b := browser.newTab()
	b.open(s.url + "/")
	b.until(`document.body.innerText.includes("checkrein open") && !document.querySelector("nav")`)
	b.checkPage("the page without a session", axe(t))
	b.keepPicture("sign in")
	b.open(link)
	b.until(`document.querySelector("nav")`)
	b.settle()
	if text := b.text(`document.body.innerText`); !strings.Contains(text, "No agent has called checkrein yet") || !strings.Contains(text, "checkrein install --all") {
		t.Errorf("the empty page: %s", text)
	}
	_, secret, _ := strings.Cut(link, "#")
	kept := b.text(`location.href + " " + document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`)
	if strings.Contains(kept, secret) || !strings.HasPrefix(kept, s.url+"/ {}") || len(kept) > len(s.url)+100 {
		t.Errorf("the page keeps too much: %s", kept)
	}
	other := browser.newTab()
	other.open(link)
	other.until(`document.body.innerText.includes("was used or has expired")`)
	if other.text(`document.querySelector("nav")?.outerHTML ?? ""`) != "" {
		t.Error("a link signs in twice")
	}
}

// TestPageLeftOpen ends the server while pages are open. They do not claim any more that nothing waits.
func TestPageLeftOpen(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	s := w.serve()
	var open []*tab
	for _, path := range []string{"/", "/approvals"} {
		b := s.openSignedIn(browser)
		b.open(s.url + path)
		b.until(`document.querySelector("#live").textContent === "live" && !document.querySelector("#calm").hidden`)
		open = append(open, b)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for _, b := range open {
		b.until(`document.querySelector("#live").textContent.includes("checkrein open") && document.querySelector("#calm").hidden`)
	}
}
