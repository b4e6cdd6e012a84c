package desktest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// codeInTerminal returns a code that a person gets in a terminal, for a handle if there is one.
func (w *world) codeInTerminal(handle ...string) string {
	w.t.Helper()
	shown := w.atTerminal(append([]string{"approvals", "code"}, handle...)...).end()
	code, _, _ := strings.Cut(shown, "\n")
	return code
}

// blocked has an agent make a call that is blocked, and returns its handle.
func (w *world) blocked(command, reason string) string {
	w.t.Helper()
	answer := w.agent(call{Command: command, Reason: reason})[0]
	m := regexp.MustCompile(`checkrein allow ([0-9a-f]+)`).FindStringSubmatch(answer)
	if m == nil {
		w.t.Fatalf("%s is not blocked: %s", command, answer)
	}
	return m[1]
}

// openSignedIn opens a page with a session of its own.
func (s *server) openSignedIn(browser *chromium) *tab {
	s.t.Helper()
	b := browser.newTab()
	b.open(s.link())
	b.until(`document.querySelector("nav")`)
	b.settle()
	var jar struct {
		Cookies []struct{ Name, Value string }
	}
	b.do("Network.getCookies", map[string]any{"urls": []string{s.url}}, &jar)
	for _, c := range jar.Cookies {
		if c.Name == "checkrein_session" {
			s.secrets = append(s.secrets, c.Value)
		}
	}
	return b
}

// linkTo returns the path of the page that a message about a call links to.
func (w *world) linkTo(handle string) string {
	w.t.Helper()
	var list struct {
		Approvals []struct{ Handle, Link string }
	}
	if err := json.Unmarshal([]byte(w.shell("checkrein approvals --json")), &list); err != nil {
		w.t.Fatal(err)
	}
	for _, a := range list.Approvals {
		if a.Handle == handle {
			return a.Link
		}
	}
	w.t.Fatalf("%s does not wait: %+v", handle, list)
	return ""
}

// card returns the selector of the card of a call that waits.
func card(handle string) string { return "#waits-" + handle }

// waitFor waits until the card of a call has words.
func (b *tab) waitFor(handle, words string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", card(handle), words))
}

const prodRule = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: no-prod, type: rule, if: {command: {contains: prod}}, decision: deny, reason: production is for people}\n"

// TestApprovals answers blocked calls on the page, and tries them again.
func TestApprovals(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	script := axe(t)
	w.configure(prodRule)
	first := w.blocked("deploy prod one", "Ship the fix")
	s := w.serve()
	b := s.openSignedIn(browser)
	if !strings.HasPrefix(b.text("location.origin"), "http://localhost:") {
		t.Errorf("the page is at %s, where passkeys do not work", b.text("location.href"))
	}
	b.until(`document.querySelector("#badge").textContent === "1" && document.title.startsWith("(1) ")`)
	b.waitFor(first, "Ship the fix")
	b.waitFor(first, "production is for people")

	t.Run("code, by keyboard", func(t *testing.T) {
		b.focus(card(first) + " summary")
		b.press("Enter")
		b.until(fmt.Sprintf(`document.querySelector("%s [data-proofs] input[aria-label=Code]")`, card(first)))
		b.checkPage("the form", script)
		b.focus("[aria-label=Code]")
		b.typeText("00000-00000")
		b.focus("button[value=once]")
		b.press("Enter")
		b.waitFor(first, "the code is wrong")
		b.takeFaults() // the browser reports status 403
		for _, where := range []string{"[aria-label=Code]", "button[value=once]"} {
			for range 3 {
				b.press("Shift+Tab")
			}
			b.focus(where)
			if where == "[aria-label=Code]" {
				b.do("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "a", "modifiers": 2, "windowsVirtualKeyCode": 65, "commands": []string{"selectAll"}}, nil)
				b.typeText(w.codeInTerminal())
				continue
			}
			b.press("Enter")
		}
		b.waitFor(first, "Allowed.")
		answers := w.agent(call{Command: "deploy prod one"}, call{Command: "deploy prod one"})
		if answers[0] != "" && strings.Contains(answers[0], `"deny"`) || !strings.Contains(answers[1], `"deny"`) {
			t.Errorf("the retries: %q", answers)
		}
	})

	t.Run("live", func(t *testing.T) {
		second := w.blocked("deploy prod two", "Try again")
		b.waitFor(second, "Try again")
		b.until(`document.querySelector("#feed .row").innerText.includes("deploy prod two")`)
		b.until(`document.querySelector("#live").textContent === "live"`)
		other := s.openSignedIn(browser)
		other.open(s.url + "/approvals?handle=" + second)
		other.until(`document.querySelector("[aria-label=Code]")`)
		other.takeFaults()
		b.click(card(second) + " summary")
		b.click(card(second) + " [aria-label=Code]")
		code := w.codeInTerminal()
		b.typeText(code)
		b.waitFor(w.blocked("deploy prod meanwhile", "Also this"), "Also this")
		if typed := b.text(fmt.Sprintf("document.querySelector(%q).value", card(second)+" [aria-label=Code]")); typed != code {
			t.Errorf("the code that was typed became %q", typed)
		}
		b.until(`document.activeElement.matches("[aria-label=Code]")`)
		b.click(card(second) + " textarea")
		b.typeText("Use staging.")
		b.click(card(second) + " button[value=deny]")
		b.waitFor(second, "Denied.")
		other.waitFor(second, "Already answered: deny, by ")
		if answer := w.agent(call{Command: "deploy prod two"})[0]; !strings.Contains(answer, "Use staging.") {
			t.Errorf("the agent gets %s", answer)
		}
	})

	t.Run("passkey", func(t *testing.T) {
		b.do("WebAuthn.enable", map[string]any{}, nil)
		b.do("WebAuthn.addVirtualAuthenticator", map[string]any{"options": map[string]any{"protocol": "ctap2", "transport": "internal", "hasUserVerification": true, "isUserVerified": true, "automaticPresenceSimulation": true}}, nil)
		p := w.atTerminal("approvals", "passkey", "add", "laptop")
		link := regexp.MustCompile(`http://localhost:\d+/approve/#enrol=[0-9a-f]+`).FindString(p.readUntil("Waiting"))
		b.open(link)
		b.click("#enrol")
		b.until(`document.querySelector("#fingerprint").textContent.length > 10`)
		print := b.text(`document.querySelector("#fingerprint").textContent`)
		if shown := p.readUntil("[y/N] "); !strings.Contains(shown, print) {
			t.Errorf("the terminal shows another key than %s: %s", print, shown)
		}
		p.answer("y")
		p.end()
		third := w.blocked("deploy prod three", "Once more")
		b.open(s.url + "/approvals?handle=" + third)
		b.waitFor(third, "Passkey laptop")
		b.click(card(third) + " button[value=session]")
		b.waitFor(third, "Allowed.")
		for _, answer := range w.agent(call{Command: "deploy prod three"}, call{Command: "deploy prod three"}) {
			if strings.Contains(answer, `"deny"`) {
				t.Errorf("a retry in the session: %s", answer)
			}
		}
		b.open(s.url + "/approvals")
		if text := b.text("document.body.innerText"); !strings.Contains(text, "laptop") || !strings.Contains(text, print) {
			t.Errorf("the page of approvals: %s", text)
		}
	})
	for _, fault := range b.takeFaults() {
		t.Error(fault)
	}
	if out := w.shell("checkrein audit query --kind person --json"); strings.Count(out, `"by":"`) < 3 || !strings.Contains(out, "(passkey laptop)") || !strings.Contains(out, "(code)") {
		t.Errorf("the records: %s", out)
	}
}
