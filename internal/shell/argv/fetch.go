package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// FindDownload returns the first call that downloads data, among from and the calls whose output their
// arguments contain, or nil if there is none.
func FindDownload(from []*shell.Call) *shell.Call { return findDownloadAt(from, 0) }

// findDownloadAt implements FindDownload. Depth is the recursion depth.
func findDownloadAt(from []*shell.Call, depth int) *shell.Call {
	for _, c := range from {
		if isDownload(c) {
			return c
		}
		if depth > maxNested || len(c.Args) > maxList {
			continue
		}
		// The call may print what another downloaded, as in echo "$(curl x)".
		for i := range c.Args {
			if len(c.Args[i].From) > 0 {
				if d := findDownloadAt(c.Args[i].From, depth+1); d != nil {
					return d
				}
			}
		}
	}
	return nil
}

// isDownload reports whether c prints data from another machine.
func isDownload(c *shell.Call) bool {
	if c.Remote != "" {
		return true
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Target.Text, "/dev/tcp/") && c.Redir[i].Op[0] == '<' {
			return true
		}
	}
	first, second := "", ""
	if len(c.Args) > 0 {
		first = c.Args[0].Text
	}
	if len(c.Args) > 1 {
		second = c.Args[1].Text
	}
	switch program.FetchesOf(c.Name) {
	case program.FetchesAll:
		return true
	case program.FetchesCopy:
		return first == "cat" || first == "cp" || first == "get"
	case program.FetchesVerb:
		return isDownloadVerb(c.Name, first, second)
	}
	return facts.IsInterpreter(c.Name) && slices.ContainsFunc(c.Args, codeDownloads)
}

// isDownloadVerb reports whether the program with the given name, which has many subcommands,
// downloads data if its arguments begin with first and second.
func isDownloadVerb(name, first, second string) bool {
	switch name + " " + first {
	case "openssl s_client", "gh api", "gh gist", "git clone":
		return true
	case "aws s3":
		return second == "cp"
	case "aws s3api":
		return second == "get-object"
	case "gcloud storage":
		return second == "cat" || second == "cp"
	case "gh release":
		return second == "download"
	case "git archive":
		return strings.HasPrefix(second, "--remote")
	}
	return false
}

// codeDownloads reports whether code contains a call that requests data from another machine.
func codeDownloads(code shell.Word) bool {
	for _, part := range [...]string{"urlopen(", "urlretrieve(", "requests.get", "requests.post", "http.get", "https.get", "fetch(", "LWP::Simple", "Net::HTTP", "URI.open", "file_get_contents(\"http", "file_get_contents('http", "socket("} {
		if strings.Contains(code.Text, part) {
			return true
		}
	}
	return false
}

// RemoteHost returns the name of the host that c communicates with, as far as its arguments show, or
// "".
func RemoteHost(c *shell.Call) string {
	if c.Remote != "" {
		return facts.HostOf(c.Remote).Name
	}
	if program.Is(c.Name, program.IsUnaddressed) || facts.IsInterpreter(c.Name) {
		return ""
	}
	other := ""
	for i, a := range c.Args {
		t := a.Text
		if j := strings.Index(t, "://"); j >= 0 && (t[0] != '-' || strings.Contains(t, "=")) {
			from := strings.LastIndexAny(t[:j], "=\"' ") + 1
			to := j + strings.IndexAny(t[j:]+" ", "\"' ")
			return facts.HostOf(t[from:to]).Name
		}
		if other != "" || t == "" || t[0] == '-' || t[0] == '+' {
			continue
		}
		valued := i > 0 && len(c.Args[i-1].Text) == 2 && c.Args[i-1].Text[0] == '-' && strings.IndexByte("oHAdXuebTFxmUCPw", c.Args[i-1].Text[1]) >= 0
		if strings.Contains(t, ".") && !valued {
			host, _, _ := strings.Cut(t, ":") // a port follows, or the path in git@host:path
			other = facts.HostOf(host).Name
		}
	}
	return other
}

// A downloadTarget describes where a call saves its download.
type downloadTarget struct {
	path    string // the file, or ""
	dir     string // the directory for the file, or ""
	url     string
	fromURL bool // without path, the file gets the last part of the URL as its name
}

// parseDownloadTarget parses the arguments of c, which runs a program that downloads.
func parseDownloadTarget(c *shell.Call) downloadTarget {
	flag, s := "oO", downloadTarget{fromURL: true}
	kind := program.SendsOf(c.Name)
	switch kind {
	case program.SendsWget:
		flag = "O"
	case program.SendsCurl, program.SendsHttpie:
		flag, s.fromURL = "o", false
	}
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		if s.parseLongOption(t, next) {
			continue
		}
		switch {
		case len(t) > 1 && t[0] == '-':
			if j := strings.IndexAny(t, flag); j > 0 && !strings.ContainsAny(t[1:j], "HAdXueT") {
				if s.path = t[j+1:]; s.path == "" {
					s.path = next
					i++
				}
			} else if kind == program.SendsCurl && strings.Contains(t, "O") {
				s.fromURL = true
			}
		case strings.Contains(t, "://") || s.url == "" && strings.Contains(t, "/") && strings.Contains(t, "."):
			s.url = t
		}
	}
	return s
}

// parseLongOption parses option if it is a long option or -P. Next is the word after it. It reports
// false for other words.
func (s *downloadTarget) parseLongOption(option, next string) bool {
	name, val, given := strings.Cut(option, "=")
	if !given {
		val = next
	}
	switch name {
	case "--output", "--output-document", "--out":
		s.path = val
		return true
	case "--output-dir", "--directory-prefix", "--dir", "-P":
		s.dir = val
		return true
	case "--remote-name", "--remote-name-all", "--download":
		s.fromURL = s.fromURL || !given
		return true
	}
	return strings.HasPrefix(option, "--")
}

// DownloadPath returns the file in which c, which runs a program that downloads, saves its download,
// or "" for standard output.
func DownloadPath(c *shell.Call) string {
	s := parseDownloadTarget(c)
	path := s.path
	if path == "" && s.fromURL && s.url != "" {
		url, _, _ := strings.Cut(s.url, "?")
		path = url[strings.LastIndexByte(url, '/')+1:]
	}
	if path == "-" || path == "/dev/stdout" || path == "" {
		return ""
	}
	if s.dir != "" && !IsRootedPath(path) {
		path = strings.TrimRight(s.dir, "/") + "/" + path
	}
	return path
}

// InterpreterFlagTakesValue reports whether an interpreter takes the word after flag as its value.
func InterpreterFlagTakesValue(flag string) bool {
	switch flag {
	case "-W", "-X", "-r", "--require", "-I", "--loader", "--import", "--env-file", "-C", "--conditions", "--config":
		return true
	}
	return false
}
