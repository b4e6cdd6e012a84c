package desktest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// chromiumNames are the names of Chromium's program, in the order in which they are tried.
var chromiumNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// A chromium is a running browser that is driven over a pipe, without a network.
type chromium struct {
	t    *testing.T
	in   *os.File
	last int

	mu      sync.Mutex
	waiting map[int]chan message
	tabs    map[string]*tab // by session
	err     error
}

// A message is a message of the DevTools protocol in either direction.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// startChromium starts a browser with a profile of its own, and flags, that reaches nothing but this machine.
func startChromium(t *testing.T, flags ...string) *chromium {
	t.Helper()
	program := ""
	for _, name := range chromiumNames {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("SKIPPED: Chromium is not installed, so the page is not tested in a browser (on Debian: apt-get install chromium)")
	}
	home := t.TempDir()
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + home, "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-proxy-server", "--lang=en-GB",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // which root cannot have
	}
	cmd := exec.Command(program, append(args, flags...)...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=en_GB.UTF-8", "TZ=UTC"}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{t: t, in: in, waiting: map[int]chan message{}, tabs: map[string]*tab{}}
	go c.read(out)
	t.Cleanup(func() {
		in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its helpers too
		_ = cmd.Wait()                                      // it was killed
	})
	return c
}

// read passes on what the browser sends, until it ends.
func (c *chromium) read(out *os.File) {
	defer out.Close()
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		var m message
		if err == nil {
			err = json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m)
		}
		c.mu.Lock()
		if err != nil {
			c.err = err
			for _, to := range c.waiting {
				close(to)
			}
			c.waiting = map[int]chan message{}
			c.mu.Unlock()
			return
		}
		if to := c.waiting[m.ID]; m.ID > 0 && to != nil {
			delete(c.waiting, m.ID)
			to <- m
		} else if tab := c.tabs[m.Session]; tab != nil {
			tab.note(&m)
		}
		c.mu.Unlock()
	}
}

// call calls a method of the protocol, and decodes its result into result unless that is nil.
func (c *chromium) call(session, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	c.last++
	reply := make(chan message, 1)
	c.waiting[c.last] = reply
	text, err := json.Marshal(message{ID: c.last, Session: session, Method: method, Params: raw})
	if err == nil {
		_, err = c.in.Write(append(text, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	m, ok := <-reply
	switch {
	case !ok:
		return errors.New("the browser has ended")
	case m.Error != nil:
		return fmt.Errorf("%s: %s", method, m.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// A tab is a page of the browser, in a context of its own: other tabs do not have its cookies.
type tab struct {
	*chromium
	context, session string

	// Guarded by chromium.mu:
	faults  []string        // what the page reported as wrong
	pending map[string]bool // requests without a complete response, except streams
	busy    time.Time       // of the last request or response
	loaded  string          // the id of the load of the page
}

// newTab opens an empty page.
func (c *chromium) newTab() *tab {
	c.t.Helper()
	var context struct{ BrowserContextID string }
	c.must("", "Target.createBrowserContext", nil, &context)
	var target struct{ TargetID string }
	c.must("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID, "width": 1280, "height": 900}, &target)
	var attached struct{ SessionID string }
	c.must("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b := &tab{chromium: c, context: context.BrowserContextID, session: attached.SessionID, pending: map[string]bool{}}
	c.mu.Lock()
	c.tabs[b.session] = b
	c.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Security"} {
		b.do(domain+".enable", nil, nil)
	}
	b.do("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
	b.resize(1280, 900, false)
	return b
}

func (c *chromium) must(session, method string, params, result any) {
	c.t.Helper()
	if err := c.call(session, method, params, result); err != nil {
		c.t.Fatal(err)
	}
}

// do calls a method of the protocol for the page.
func (b *tab) do(method string, params, result any) {
	b.t.Helper()
	b.must(b.session, method, params, result)
}

// note notes an event of the page. The caller holds the lock.
func (b *tab) note(m *message) {
	var p struct {
		Type             string
		Args             []struct{ Value, Description any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry          struct{ Level, Source, Text, URL string }
		Request        struct{ URL string }
		RequestID      string
		Name, LoaderID string
	}
	_ = json.Unmarshal(m.Params, &p) // an event of another form is none of these
	switch m.Method {
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" || p.Type == "assert" {
			b.faults = append(b.faults, fmt.Sprint("console: ", p.Args))
		}
	case "Page.javascriptDialogOpening":
		b.faults = append(b.faults, "a dialog: "+string(m.Params))
	case "Runtime.exceptionThrown":
		b.faults = append(b.faults, "exception: "+p.ExceptionDetails.Text+" "+p.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			b.faults = append(b.faults, "log: "+p.Entry.Text+" "+p.Entry.URL)
		}
	case "Network.requestWillBeSent":
		b.busy = time.Now()
		b.pending[p.RequestID] = p.Type != "EventSource"
		if !strings.HasPrefix(p.Request.URL, "http://127.0.0.1:") && !strings.HasPrefix(p.Request.URL, "http://localhost:") && !strings.HasPrefix(p.Request.URL, "https://127.0.0.1:") && !strings.HasPrefix(p.Request.URL, "data:") {
			b.faults = append(b.faults, "a request to "+p.Request.URL)
		}
	case "Network.loadingFinished", "Network.loadingFailed":
		b.busy = time.Now()
		delete(b.pending, p.RequestID)
	case "Page.frameNavigated": // what the page before it asked for does not arrive
		clear(b.pending)
	case "Page.lifecycleEvent":
		if p.Name == "load" {
			b.loaded = p.LoaderID
		}
	}
}

// takeFaults returns what went wrong on the page since the last call.
func (b *tab) takeFaults() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.faults
	b.faults = nil
	return out
}

// resize sets the size of the screen.
func (b *tab) resize(width, height int, phone bool) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}, nil)
}

// preferDark sets whether the person prefers a dark page. Nothing moves, as with reduced motion.
func (b *tab) preferDark(dark bool) {
	b.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}, {"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
}

// open opens an address, and waits until its page has loaded. The empty page before it makes a load of
// an address that differs in its fragment only.
func (b *tab) open(url string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	var result struct{ LoaderID, ErrorText string }
	b.do("Page.navigate", map[string]any{"url": url}, &result)
	if result.ErrorText != "" {
		b.t.Fatalf("%s: %s", url, result.ErrorText)
	}
	b.wait(url+" has loaded", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.loaded == result.LoaderID
	})
	b.settle()
}

// quiet is for how long a page has sent nothing when it counts as complete.
const quiet = 150 * time.Millisecond

// settle waits until the page has loaded its parts.
func (b *tab) settle() {
	b.t.Helper()
	b.wait("the page is complete", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, is := range b.pending {
			if is {
				return false
			}
		}
		return time.Since(b.busy) > quiet
	})
}

// patience is how long the page may take for what a test waits for. Nothing is measured by it.
const patience = 30 * time.Second

// wait waits until done.
func (b *tab) wait(what string, done func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("it did not happen that %s; the page has\n%s\n%v", what, b.text("document.body?.innerText ?? ''"), b.takeFaults())
		}
	}
}

// until waits until the expression, JavaScript, is true on the page.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.wait(expression, func() bool { var is bool; return b.evaluate("!!("+expression+")", &is) == nil && is })
}

// evaluate decodes the value of an expression, JavaScript, on the page.
func (b *tab) evaluate(expression string, into any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := b.call(b.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &r)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return errors.New(r.ExceptionDetails.Text + " " + r.ExceptionDetails.Exception.Description)
	case into == nil || len(r.Result.Value) == 0:
		return nil
	}
	return json.Unmarshal(r.Result.Value, into)
}

// text returns the value of an expression, a string.
func (b *tab) text(expression string) (s string) {
	b.t.Helper()
	if err := b.evaluate(expression, &s); err != nil {
		b.t.Errorf("%s: %v", expression, err)
	}
	return s
}

// keyCodes has the codes of keys that are no letters.
var keyCodes = map[string]int{"Enter": 13, "Tab": 9, "Escape": 27, " ": 32, "ArrowDown": 40}

// press presses keys, one after another: letters, or names of keyCodes.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		modifiers := 0
		if rest, shift := strings.CutPrefix(key, "Shift+"); shift {
			key, modifiers = rest, 8
		}
		p := map[string]any{"type": "keyDown", "key": key, "modifiers": modifiers, "windowsVirtualKeyCode": keyCodes[key]}
		switch {
		case key == "Enter":
			p["text"] = "\r"
		case len(key) == 1:
			p["text"] = key
		}
		b.do("Input.dispatchKeyEvent", p, nil)
		b.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "modifiers": modifiers, "windowsVirtualKeyCode": keyCodes[key]}, nil)
	}
}

// typeText types text, letter by letter.
func (b *tab) typeText(text string) {
	b.t.Helper()
	b.press(strings.Split(text, "")...)
}

// click clicks the first element that a selector matches.
func (b *tab) click(selector string) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	quoted, _ := json.Marshal(selector)
	b.until(fmt.Sprintf("document.querySelector(%s)", quoted))
	if err := b.evaluate(fmt.Sprintf(`(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "center"}); const r = e.getClientRects()[0]; return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`, quoted), &at); err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// picture returns a picture of the screen, a PNG.
func (b *tab) picture() []byte {
	b.t.Helper()
	var r struct{ Data []byte }
	b.do("Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": false}, &r)
	return r.Data
}
