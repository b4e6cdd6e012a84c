package desktest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestActions uses everything on the pages that does something, other than answers and what
// TestKeyboard uses.
func TestActions(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	script := axe(t)
	w.configure(prodRule)
	var calls []call
	for i := range 70 {
		calls = append(calls, call{Command: fmt.Sprint("go test ./", i)})
	}
	w.agent(calls...)
	handle := w.blocked("deploy prod", "Ship it")
	s := w.serve()
	b := s.openSignedIn(browser)

	b.until(`document.querySelectorAll("#feed .row").length === 60`)
	b.click("#feed .more button")
	b.until(`document.querySelectorAll("#feed .row").length === 71`)

	b.click(".chip.denied")
	b.where("/?answer=denied")
	b.until(`document.body.innerText.includes("70 newer calls hidden by filters")`)
	w.agent(call{Command: "go vet ./..."})
	other := w.blocked("deploy prod again", "Ship it")
	b.waitFor(other, "deploy prod again")
	b.until(`document.querySelectorAll("#feed .row").length === 2`) // the filter holds for what is new
	b.click(".hint a")
	b.where("/")

	b.open(s.url + "/r/" + handle)
	b.until(fmt.Sprintf(`document.querySelector("%s form") && document.body.innerText.includes("checkrein report %s")`, card(handle), handle))
	b.click(card(handle) + " summary")
	b.click(card(handle) + " [aria-label=Code]")
	b.typeText(w.codeInTerminal())
	b.click(card(handle) + " button[value=once]")
	b.waitFor(handle, "Allowed.")

	b.open(s.url + "/policy")
	b.click("a[href='/policy/edit']")
	b.where("/policy/edit")
	if text := b.text(`document.querySelector("#draft").value`); text != prodRule {
		t.Errorf("the draft begins with %q", text)
	}
	try := func(text, words string) {
		t.Helper()
		b.text(fmt.Sprintf(`document.querySelector("#draft").value = %q`, text))
		b.click(".draft button.main")
		b.until(fmt.Sprintf(`document.querySelector("#tried").innerText.includes(%q)`, words))
		b.settle()
	}
	try("version: 1\nhoks: 1\n", "This policy is not valid")
	try("version: 1\n", "newly allowed, or less strict: 2 calls")
	b.checkPage("a policy that was tried", script)
	try(prodRule, "would end as before and 0 otherwise")
	if text := w.shell("cat ~/.config/checkrein/checkrein.yaml"); text != prodRule {
		t.Errorf("trying has changed the policy: %s", text)
	}
	b.until(`document.querySelector("#tried").innerText.includes("It is the same text")`)
	const softer = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: no-prod, type: rule, if: {command: {contains: prod}}, decision: ask, reason: production is for people}\n"
	saved := func() string { return w.shell("cat ~/.config/checkrein/checkrein.yaml") }
	save := func(code, words string) {
		t.Helper()
		b.text(`document.querySelector("[data-save] [aria-label=Code]").value = ""`)
		b.click("[data-save] [aria-label=Code]")
		b.typeText(code)
		b.click("[data-save] button.main")
		b.until(fmt.Sprintf(`document.querySelector("[data-save]").innerText.includes(%q)`, words))
	}
	try(softer, "It is less strict about some calls")
	b.until(`document.querySelector("[data-save] [aria-label=Code]")`)
	b.checkPage("a policy to be saved", script)
	b.look("save")
	save(w.codeInTerminal(), "the code is wrong") // it is for calls
	if text := saved(); text != prodRule || !strings.Contains(b.text(`document.querySelector("[data-save]").innerText`), "Nothing was saved") {
		t.Errorf("the policy is %s", text)
	}
	b.takeFaults() // the browser reports status 403
	save(w.codeInTerminal(b.text(`document.querySelector("[data-save]").dataset.handle`)), "Saved.")
	if text := saved(); text != softer {
		t.Errorf("the policy is %s", text)
	}
	if answer := w.agent(call{Command: "deploy prod once more"})[0]; !strings.Contains(answer, "Claude Code cannot ask") { // before, it was denied for good
		t.Errorf("the agent gets %s", answer)
	}
	if out := w.shell("checkrein audit query --kind person --json"); !strings.Contains(out, `"act":"policy save"`) {
		t.Errorf("the records: %s", out)
	}
	w.configure("version: 1\nchannels: {ops: 'generic://hooks.example.com/secret-token'}\n")
	b.open(s.url + "/policy/edit")
	if html := b.text("document.documentElement.outerHTML"); strings.Contains(html, "secret-token") || !strings.Contains(html, "does not show") {
		t.Errorf("the page shows a secret: %s", html)
	}
	for _, fault := range b.takeFaults() {
		t.Error(fault)
	}
}

// TestProjects opens a link of another project in the tab that has the page, runs a command that the page
// offers elsewhere, and chooses the first project again.
func TestProjects(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	const blog = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: of-blog, command: 'true'}\n"
	w.write("../my blog/checkrein.yaml", blog)
	w.shell("cd ~/my\\ blog && git init -q -b main")
	w.agent(call{Command: "ls"}, call{Command: "ls", Dir: filepath.Join(w.home, "my blog")})
	s := w.serve()
	b := s.openSignedIn(browser)
	for _, link := range []string{"used", strings.TrimSpace(w.shell("cd ~/my\\ blog && checkrein open --print 2>/dev/null"))} {
		if link == "used" {
			b.do("Page.navigate", map[string]any{"url": s.url + "/#" + s.secrets[0]}, nil)
			b.until(`document.querySelector("#toast").textContent.includes("was used")`)
			b.takeFaults() // the browser reports status 403
			continue
		}
		b.do("Page.navigate", map[string]any{"url": link}, nil)
		b.until(`document.body.dataset.dir === "~/my blog" && location.hash === ""`)
	}
	b.open(s.url + "/hooks")
	b.until(`document.body.innerText.includes("of-blog")`)
	b.until(`document.querySelector(".where select").selectedOptions[0].text === "~/my blog"`)
	command := b.text(`[...document.querySelectorAll("[data-copy]")].map((c) => c.dataset.copy).find((c) => c.includes("approve"))`)
	if command != "cd ~/'my blog' && checkrein hooks approve of-blog" {
		t.Errorf("the page offers %q", command)
	}
	if out := w.shell("cd / && " + command + " --dry-run"); !strings.Contains(out, "would approve") {
		t.Errorf("%s: %s", command, out)
	}
	b.text(`(() => { const s = document.querySelector(".where select"); s.value = [...s.options].find((o) => o.text === "~/shop").value; return String(s.dispatchEvent(new Event("change", {bubbles: true}))); })()`)
	b.until(`document.body.dataset.dir === "~/shop" && !document.body.innerText.includes("of-blog")`)
	for _, fault := range b.takeFaults() {
		t.Error(fault)
	}
}
