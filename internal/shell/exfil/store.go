package exfil

import "github.com/checkrein/checkrein/internal/shell"

// A store is a program that keeps what it is given and prints it later. A secret that
// goes through one is still the secret.
type store struct {
	program string
	put     string // rows of words as in [says], one of which a call that puts has
	reader  string // the program that prints it; "" = the same
	get     string // the same for a call that prints
}

var stores = [...]store{
	{"git", "config|notes add|notes append|stash push|stash save|tag|commit|update-ref|hash-object", "", "config|notes|stash|log|show|cat-file|for-each-ref|tag|var|describe"},
	{"npm", "config set|set|pkg set", "", "config get|config list|config ls|get|pkg get"},
	{"pnpm", "config set|set", "", "config get|config list|get"},
	{"yarn", "config set", "", "config get|config list"},
	{"pip", "config set", "", "config get|config list"},
	{"pip3", "config set", "", "config get|config list"},
	{"poetry", "config", "", "config"},
	{"bundle", "config", "", "config"},
	{"composer", "config", "", "config"},
	{"gh", "config set|alias set|variable set", "", "config get|config list|alias list|variable get"},
	{"gcloud", "config set", "", "config get|config get-value|config list"},
	{"go", "env -w", "", "env"},
	{"tmux", "set-buffer|setb|load-buffer|loadb|set-environment|setenv|set-option|set|rename-window|rename-session|bind-key|bind",
		"", "show-buffer|showb|save-buffer|saveb|show-environment|showenv|show-options|show|list-buffers|lsb|display-message|display|list-windows|list-sessions|list-keys|ls"},
	{"screen", "-X", "", "-Q|-X"},
	{"alias", "", "", ""},
	{"trap", "", "", ""},
	{"systemctl", "set-environment|import-environment", "", "show-environment|show"},
	{"launchctl", "setenv", "", "getenv"},
	{"dconf", "write|load", "", "read|dump"},
	{"gsettings", "set", "", "get|list-recursively"},
	{"defaults", "write", "", "read"},
	{"kwriteconfig5", "", "kreadconfig5", ""},
	{"setfattr", "", "getfattr", ""},
	{"attr", "-s", "", "-g"},
	{"xattr", "-w", "", "-p|-l"},
	{"xprop", "-set", "", ""},
	{"hostnamectl", "set-hostname|hostname|set-location|location", "", ""},
	{"memcset", "", "memccat", ""},
	{"etcdctl", "put|set", "", "get"},
	{"consul", "kv put", "", "kv get"},
}

// keeps notes the store that a call puts a whole secret into. One token is where it
// belongs: npm config set …:_authToken.
func (t *tracer) keeps(c *shell.Call) {
	for i := range stores {
		s := &stores[i]
		if s.program != c.Name || t.stored&(1<<i) != 0 || !says(c, s.put) {
			continue
		}
		var l load
		for j := range c.Args {
			if len(c.Args[j].From) > 0 && j < maxWords {
				l = more(l, t.word(&c.Args[j]))
			}
		}
		if c.Name == "tmux" || c.Name == "git" && says(c, "hash-object") || c.Name == "dconf" {
			l = more(l, t.read(c, 1))
		}
		if l.level == secret && !l.token() {
			t.stored |= 1 << i
		}
	}
}

// keptBy returns what a call prints of a store that a secret was put into.
func (t *tracer) keptBy(c *shell.Call) (load, bool) {
	for i := range stores {
		s := &stores[i]
		if t.stored&(1<<i) == 0 || s.reader != c.Name && (s.reader != "" || s.program != c.Name) || !says(c, s.get) {
			continue
		}
		return load{level: secret, from: fromOutput, what: "data that " + s.program + " was given earlier"}, true
	}
	return load{}, false
}
