package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// download is the call among from that fetches something from the network.
func download(from []*shell.Call) *shell.Call {
	for _, c := range from {
		switch c.Name {
		case "curl", "wget", "wget2", "fetch", "http", "https", "xh", "xhs", "aria2c", "lynx", "w3m", "links", "elinks", "axel",
			"nc", "ncat", "netcat", "telnet", "ftp", "tftp", "socat", "openssl", "dig", "nslookup", "drill", "curlie", "httpie":
			if c.Name == "openssl" && (len(c.Args) == 0 || c.Args[0].Text != "s_client") {
				continue
			}
			return c
		}
	}
	return nil
}

// remoteCode notes that something downloaded is run.
func (w *walker) remoteCode(d *shell.Call, words []shell.Word) {
	host := hostOf(d)
	e := shell.Effect{
		Label: shell.Unknown, Kind: "run", Category: "remote-code", Radius: shell.RadiusHigh,
		Words: brief(d.Path + " " + show(d.Args) + " | " + show(words)), Reason: "runs what is downloaded from " + host,
	}
	if host == "" {
		e.Reason = "runs what is downloaded"
	} else {
		e.Hosts = []string{host}
	}
	w.report(e)
}

// hostOf is the host that a call talks to, as far as its words say.
func hostOf(c *shell.Call) string {
	other := ""
	for i, a := range c.Args {
		t := a.Text
		if j := strings.Index(t, "://"); j >= 0 && (t[0] != '-' || strings.Contains(t, "=")) {
			return bareHost(t[j+3:])
		}
		if other != "" || t == "" || t[0] == '-' || t[0] == '+' {
			continue
		}
		valued := i > 0 && len(c.Args[i-1].Text) == 2 && c.Args[i-1].Text[0] == '-' && strings.IndexByte("oHAdXuebTFxmUCPw", c.Args[i-1].Text[1]) >= 0
		if strings.Contains(t, ".") && !valued {
			other = bareHost(t)
		}
	}
	return other
}

func bareHost(s string) string {
	if i := strings.IndexAny(s, "/?#\"' "); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 && isNumber(s[i+1:]) {
		s = s[:i]
	}
	if strings.Contains(s, hole) {
		return ""
	}
	return strings.ToLower(s)
}

// savedAs is the file that curl or wget writes what it fetches to.
func savedAs(c *shell.Call) string {
	flag, remote := byte('o'), c.Name == "wget"
	if c.Name == "wget" {
		flag = 'O'
	}
	url := ""
	for i, a := range c.Args {
		t := a.Text
		switch {
		case strings.HasPrefix(t, "--output="):
			return t[len("--output="):]
		case strings.HasPrefix(t, "--output-document="):
			return t[len("--output-document="):]
		case t == "--output" || t == "--output-document":
			if i+1 < len(c.Args) {
				return c.Args[i+1].Text
			}
		case t == "--remote-name":
			remote = true
		case strings.HasPrefix(t, "--"):
		case len(t) > 1 && t[0] == '-':
			if j := strings.IndexByte(t, flag); j > 0 && !strings.ContainsAny(t[1:j], "HAdXueT") {
				if t = t[j+1:]; t == "" && i+1 < len(c.Args) {
					t = c.Args[i+1].Text
				}
				if t == "-" {
					return ""
				}
				return t
			}
			remote = remote || c.Name == "curl" && strings.Contains(t, "O")
		case strings.Contains(t, "://"):
			url = t
		}
	}
	if !remote || url == "" {
		return ""
	}
	url, _, _ = strings.Cut(url, "?")
	return url[strings.LastIndexByte(url, '/')+1:]
}

// runsInput reports whether an interpreter with these words runs what flows into
// it: it has no code and no script of its own.
func runsInput(c *command) bool {
	for _, a := range c.words[1:] {
		if a.Text == "-" || a.Text == "/dev/stdin" {
			return true
		}
		if strings.HasPrefix(a.Text, "/dev/fd/") {
			return false
		}
		if a.Text == "" || a.Text[0] != '-' {
			return false
		}
		switch a.Text {
		case "-u", "-i", "-B", "-E", "-I", "-s", "-S", "-O", "-q", "-w", "-T", "--interactive", "-x":
		default:
			return false
		}
	}
	return true
}

func isInterpreter(name string) bool {
	switch name {
	case "node", "nodejs", "perl", "ruby", "php", "lua", "luajit", "rscript", "osascript", "deno", "bun", "pwsh", "powershell", "tclsh", "guile", "julia", "groovy", "pypy", "pypy3", "jshell":
		return true
	}
	return strings.HasPrefix(name, "python") && strings.Trim(name[6:], "0123456789.") == ""
}

// interpreter notes when an interpreter runs something downloaded.
func (w *walker) interpreter(c *command) {
	if c.in != nil && download(c.in.From) != nil && runsInput(c) {
		w.remoteCode(download(c.in.From), c.words)
		return
	}
	for i, a := range c.words[1:] {
		if f := w.file(a.Text); f != nil && download(f.from) != nil {
			w.remoteCode(download(f.from), c.words)
			return
		}
		if d := download(a.From); d != nil && (strings.HasPrefix(a.Text, "/dev/fd/") || i > 0 && strings.TrimSpace(a.Text) == hole) {
			w.remoteCode(d, c.words)
			return
		}
		if i > 0 && !strings.HasPrefix(a.Text, "-") {
			return
		}
	}
}
