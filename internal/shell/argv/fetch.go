package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Download is the call among from that fetches something from elsewhere.
func Download(from []*shell.Call) *shell.Call { return fetching(from, 0) }

func fetching(from []*shell.Call, depth int) *shell.Call {
	for _, c := range from {
		if isFetch(c) {
			return c
		}
		if depth > maxNested || len(c.Args) > maxList {
			continue
		}
		// What it prints may be what others fetched: echo "$(curl x)".
		for i := range c.Args {
			if len(c.Args[i].From) > 0 {
				if d := fetching(c.Args[i].From, depth+1); d != nil {
					return d
				}
			}
		}
	}
	return nil
}

// isFetch reports whether a call prints what comes from elsewhere.
func isFetch(c *shell.Call) bool {
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
		return subFetches(c.Name, first, second)
	}
	return facts.Interpreter(c.Name) && slices.ContainsFunc(c.Args, codeFetches)
}

// subFetches reports whether a program that does many things fetches with these
// first words.
func subFetches(name, first, second string) bool {
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

// codeFetches reports whether code asks another machine for something.
func codeFetches(code shell.Word) bool {
	for _, part := range [...]string{"urlopen(", "urlretrieve(", "requests.get", "requests.post", "http.get", "https.get", "fetch(", "LWP::Simple", "Net::HTTP", "URI.open", "file_get_contents(\"http", "file_get_contents('http", "socket("} {
		if strings.Contains(code.Text, part) {
			return true
		}
	}
	return false
}

// TalksTo is the host that a call talks to, as far as its words say.
func TalksTo(c *shell.Call) string {
	if c.Remote != "" {
		return facts.HostOf(c.Remote).Name
	}
	if program.Is(c.Name, program.IsUnaddressed) || facts.Interpreter(c.Name) {
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
			host, _, _ := strings.Cut(t, ":") // a port, or the path of git@host:path
			other = facts.HostOf(host).Name
		}
	}
	return other
}

// A saving is what a call says of where it writes what it fetches.
type saving struct {
	path, dir, url string
	remote         bool // the file is called as the address ends
}

// readSaving reads the words of a program that fetches.
func readSaving(c *shell.Call) saving {
	flag, s := "oO", saving{remote: true}
	kind := program.SendsOf(c.Name)
	switch kind {
	case program.SendsWget:
		flag = "O"
	case program.SendsCurl, program.SendsHttpie:
		flag, s.remote = "o", false
	}
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		if s.named(t, next) {
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
				s.remote = true
			}
		case strings.Contains(t, "://") || s.url == "" && strings.Contains(t, "/") && strings.Contains(t, "."):
			s.url = t
		}
	}
	return s
}

// named reads an option that has a name of its own: all but letters that may stand
// together.
func (s *saving) named(option, next string) bool {
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
		s.remote = s.remote || !given
		return true
	}
	return strings.HasPrefix(option, "--")
}

// SavedAs is the file that a program writes what it fetches to.
func SavedAs(c *shell.Call) string {
	s := readSaving(c)
	path := s.path
	if path == "" && s.remote && s.url != "" {
		url, _, _ := strings.Cut(s.url, "?")
		path = url[strings.LastIndexByte(url, '/')+1:]
	}
	if path == "-" || path == "/dev/stdout" || path == "" {
		return ""
	}
	if s.dir != "" && !IsRooted(path) {
		path = strings.TrimRight(s.dir, "/") + "/" + path
	}
	return path
}

// TakesWord reports whether a flag of an interpreter has the next word as its value.
func TakesWord(flag string) bool {
	switch flag {
	case "-W", "-X", "-r", "--require", "-I", "--loader", "--import", "--env-file", "-C", "--conditions", "--config":
		return true
	}
	return false
}
