package leak

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// Reads says whether a call prints or copies what opens other doors. To use a key
// with its own client is what it is for: only programs that show or copy what is
// in a file count.
func Reads(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil || c.Remote != "" {
		return nil
	}
	c = applet(c)
	how := mannerOf(c.Name)
	row := readsOf(c.Name)
	if how == notFiles && row == nil && len(c.Redir) == 0 {
		return nil
	}
	at := shell.Place{}
	if p != nil {
		at = *p
	}
	if c.Dir != "" {
		at.Dir = c.Dir
	}
	path, what := "", ""
	links := linkReader{place: &at, left: maxLinks}
	look := func(text string) bool {
		if path != "" {
			return true
		}
		if w, ok := Private(text, &at); ok {
			path, what = absolutePath(slashed(text), &at), w
		} else if to, w, ok := links.private(text); ok {
			path, what = to, w
		}
		return path != ""
	}
	switch how {
	case asOperands:
		if !quiet(c) {
			operands(c, look)
		}
	case asSources:
		sources(c, look, &at)
	case inCode:
		quoted(c, look, func(text string) bool {
			if to, w, ok := links.private(text); ok {
				path, what = to, w
			}
			return path != ""
		})
	case asValues:
		values(c, look)
	case asCompared:
		if has(c, "--no-index") || len(c.Args) > 0 && c.Args[0].Text == "diff" { // outside the repository it compares files as well
			operands(c, look)
		}
	}
	if row != nil {
		row.shown(c, look)
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && how != notFiles && c.Name != "ssh-add" {
			look(c.Redir[i].Target.Text)
		}
	}
	if path == "" {
		return nil
	}
	verb := "prints "
	if how == asSources {
		verb = "copies "
	}
	return []shell.Effect{{
		Label: shell.Unknown, Kind: "read", Category: shell.SecretFileRead, Rule: c.Name, Radius: shell.RadiusMedium,
		Paths: []string{path}, Words: words(c), Reason: verb + what + ": " + path,
	}}
}

// A manner is what a program does with the files that it is given.
type manner uint8

const (
	notFiles   manner = iota
	asOperands        // its words are files, or may be
	asSources         // the last word is where to
	asValues          // files are values: if=FILE, -in FILE
	asCompared        // git diff --no-index A B
	inCode            // files are in its code
)

// mannerOf is the manner of a program.
func mannerOf(name string) manner {
	switch name {
	case "cat", "tac", "nl", "less", "more", "most", "bat", "batcat", "head", "tail", "strings", "xxd", "od", "hexdump", "hd", "base64", "base32", "basenc", "uuencode", "rev", "fold", "fmt", "pr", "column", "cut", "sort", "uniq", "paste", "join", "expand",
		"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "ugrep", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "jq", "yq", "xq", "tomlq", "dasel", "diff", "sdiff", "comm", "iconv", "tr", "tee", "xclip", "xsel", "pbcopy", "wl-copy", "clip", "qrencode",
		"sqlite3", "sqlite", "zcat", "gzcat", "pygmentize", "glow", "type", "get-content", "gc", "echo", "printf", "read", "mapfile", "readarray", "plutil", "ssh2john", "gpg2john", "keepass2john", "ccat", "view":
		return asOperands
	case "cp", "gcp", "install", "ginstall", "rsync", "ditto", "ln", "gln", "scp", "rclone", "pax", "copy-item", "cpi", "copy", "xcopy", "robocopy":
		return asSources
	case "tar", "gtar", "bsdtar", "zip", "7z", "7za", "rar", "cpio", "gzip", "xz", "zstd", "bzip2", "split", "gpg", "gpg2", "age":
		return asOperands
	case "dd", "openssl", "socat", "xargs":
		return asValues
	case "git":
		return asCompared
	}
	if fact.Interpreter(name) {
		return inCode
	}
	return notFiles
}

// quiet reports whether a search only says whether or where there is something.
func quiet(c *shell.Call) bool {
	switch c.Name {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "ugrep":
	case "gpg", "gpg2":
		return !has(c, "-c") && !has(c, "--symmetric") && !has(c, "-e") && !has(c, "--encrypt") && !has(c, "--decrypt") && !slices.ContainsFunc(c.Args, decrypts)
	case "tar", "gtar", "bsdtar":
		return len(c.Args) > 0 && !strings.Contains(c.Args[0].Text, "c") && !has(c, "--create")
	case "age":
		return has(c, "-d") || has(c, "--decrypt") // -i KEY
	case "echo", "printf", "type":
		return true // their words are no files
	default:
		return false
	}
	for i := range c.Args {
		t := c.Args[i].Text
		switch t {
		case "-q", "--quiet", "--silent", "-c", "--count", "-l", "--files-with-matches", "-L", "--files-without-match":
			return true
		}
		if len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "qcl") && !strings.ContainsAny(t, "ef") {
			return true
		}
	}
	return false
}

// operands looks at each word that is no option.
func operands(c *shell.Call, look func(string) bool) {
	for i := range c.Args {
		t := c.Args[i].Text
		if t == "" || t[0] == '-' || strings.ContainsAny(t, " \n") && !strings.Contains(t, "/") {
			continue
		}
		if look(t) || found(&c.Args[i], look) {
			return
		}
	}
}

// found looks at the names that a search is for whose finds a word stands for.
func found(w *shell.Word, look func(string) bool) bool {
	for _, f := range w.From {
		if f == nil || f.Name != "find" && f.Name != "fd" && f.Name != "locate" && f.Name != "mdfind" {
			continue
		}
		for i := range f.Args {
			name := strings.TrimLeft(f.Args[i].Text, "*/")
			if len(name) < 3 || name[0] == '-' || f.Name == "find" && (i == 0 || !strings.HasSuffix(f.Args[i-1].Text, "name") && !strings.HasSuffix(f.Args[i-1].Text, "path")) {
				continue
			}
			if look("~/"+name) || look("~/"+name+"/x") || strings.HasPrefix(name, "id_") && look("~/.ssh/"+name) {
				return true
			}
		}
	}
	return false
}

// decrypts reports whether a word is a bundle of letters with -d in it.
func decrypts(w shell.Word) bool {
	t := w.Text
	return len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.Contains(t, "d")
}

// sources looks at what is copied, unless it goes to where such things are kept.
func sources(c *shell.Call, look func(string) bool, p *shell.Place) {
	to := len(c.Args) - 1
	for i := range c.Args {
		if t := c.Args[i].Text; t == "-t" || strings.HasPrefix(t, "--target-directory") {
			to = len(c.Args)
		}
	}
	if to < 1 {
		return
	}
	if to < len(c.Args) {
		if _, ok := Private(c.Args[to].Text, p); ok || c.Name == "ln" && strings.HasPrefix(c.Args[0].Text, "-") && len(c.Args) < 3 {
			return
		}
	}
	for i := range c.Args[:to] {
		t := c.Args[i].Text
		if t == "" || t[0] == '-' || i > 0 && takesKey(c.Name, c.Args[i-1].Text) {
			continue
		}
		if look(t) || found(&c.Args[i], look) {
			return
		}
	}
}

// takesKey reports whether a flag names a key or a file of settings to work with.
func takesKey(name, flag string) bool {
	switch flag {
	case "-i", "-F", "-o", "-e", "--rsh", "--config", "--password-file":
		return name == "scp" || name == "rsync" || name == "rclone"
	}
	return false
}

// values looks at the files of dd and openssl: to sign, or to talk to a server, is
// what a key is for.
func values(c *shell.Call, look func(string) bool) {
	if c.Name == "openssl" {
		if len(c.Args) == 0 {
			return
		}
		switch c.Args[0].Text {
		case "rsa", "ec", "dsa", "pkey", "pkcs8", "pkcs12", "enc", "base64", "aes-256-cbc", "asn1parse":
		default:
			return
		}
		for i := range c.Args {
			switch c.Args[i].Text {
			case "-pubout", "-noout", "-check", "-modulus":
				return
			}
		}
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if v, ok := strings.CutPrefix(t, "if="); ok && look(v) {
			return
		}
		if (t == "-in" || t == "-inkey" || t == "-a" && c.Name == "xargs") && i+1 < len(c.Args) && look(c.Args[i+1].Text) {
			return
		}
		if _, v, ok := strings.Cut(t, ":"); ok && c.Name == "socat" && look(v) {
			return
		}
	}
}

// maxCode bounds the code that is looked through.
const maxCode = 1 << 14

// quoted looks at the texts in quotes in code that is given on the command line.
func quoted(c *shell.Call, look, linked func(string) bool) {
	for i := range c.Args {
		t := c.Args[i].Text
		if i == 0 || len(t) > maxCode || !strings.ContainsAny(t, `'"`) || !strings.HasPrefix(c.Args[i-1].Text, "-") {
			continue
		}
		if strings.Contains(t, "key_filename") || strings.Contains(t, "IdentityFile") || strings.Contains(t, "os.stat(") || strings.Contains(t, "exists(") {
			continue
		}
		for t != "" {
			at := strings.IndexAny(t, `'"`)
			if at < 0 {
				break
			}
			text, rest, ok := strings.Cut(t[at+1:], t[at:at+1])
			if !ok {
				break
			}
			if text != "" && (text[0] == '~' || text[0] == '/' || text[0] == '.') && look(text) {
				return
			}
			if strings.Contains(text, "/") && !strings.ContainsAny(text, " \n") && linked(text) {
				return
			}
			if strings.HasPrefix(text, "/.") && look("~"+text) { // home + "/.ssh/id_rsa"
				return
			}
			t = rest
		}
	}
}
