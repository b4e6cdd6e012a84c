package shell

import "strings"

// A Repo holds what the files of a git repository determine about the destination of a push.
type Repo struct {
	Common      string    // the git directory that all its working trees share, without symlinks
	Head        string    // the ref that is checked out; "" = HEAD is detached
	Settings    []Setting // in the order in which git reads its files
	Conditional []Setting // settings that apply only under conditions
	// Incomplete is set if settings that affect a push apply only under conditions that were not
	// checked.
	Incomplete bool
	// Ref returns the state of the ref with the full name name.
	Ref func(name string) RefState
	// Default returns the ref that the HEAD of remote names, such as refs/heads/main, or "" if this
	// clone has not recorded it.
	Default func(remote string) string
}

// A RefState is the state of a ref.
type RefState uint8

// The states of a ref.
const (
	NoRef    RefState = iota
	PlainRef          // it names a commit
	OtherRef          // it names another ref, or cannot be read
)

// A Setting is one setting of git's configuration.
type Setting struct {
	Section string // in lower case
	Name    string // the subsection: the name of a remote or a branch
	Key     string // in lower case
	Value   string
}

// FullKey returns the section, the subsection and the key, joined by dots.
func (s *Setting) FullKey() string {
	if s.Name == "" {
		return s.Section + "." + s.Key
	}
	return s.Section + "." + s.Name + "." + s.Key
}

// ParseSetting returns the setting that assigns value to key, such as remote.origin.url. ok is false
// if key is not valid.
func ParseSetting(key, value string) (s Setting, ok bool) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first <= 0 || last == len(key)-1 {
		return Setting{}, false
	}
	s = Setting{Section: strings.ToLower(key[:first]), Key: strings.ToLower(key[last+1:]), Value: value}
	if last > first {
		s.Name = key[first+1 : last]
	}
	return s, true
}

// IsInclude reports whether the setting includes a file with further settings.
func (s *Setting) IsInclude() bool { return s.Section == "include" || s.Section == "includeif" }

// Get returns the last value of the setting section.name.key, which takes precedence. ok is false if
// the setting is missing.
func (r *Repo) Get(section, name, key string) (value string, ok bool) {
	for i := len(r.Settings) - 1; i >= 0; i-- {
		if s := &r.Settings[i]; s.Section == section && s.Name == name && s.Key == key {
			return s.Value, true
		}
	}
	return "", false
}

// GetAll returns all values of the setting section.name.key, which may occur more than once.
func (r *Repo) GetAll(section, name, key string) []string {
	var out []string
	for i := range r.Settings {
		if s := &r.Settings[i]; s.Section == section && s.Name == name && s.Key == key {
			out = append(out, s.Value)
		}
	}
	return out
}

// Bool returns the value of the boolean setting section.name.key. It returns false if the setting is
// missing.
func (r *Repo) Bool(section, name, key string) bool {
	value, ok := r.Get(section, name, key)
	if !ok {
		return false
	}
	switch strings.ToLower(value) {
	case "false", "no", "off", "0", "":
		return false
	}
	return true
}

// SettingsText returns a text that contains all settings, including conditional ones, so that changes
// can be detected.
func (r *Repo) SettingsText() string {
	var b strings.Builder
	for i, list := range [...][]Setting{r.Settings, r.Conditional} {
		for k := range list {
			s := &list[k]
			b.WriteByte("=?"[i])
			for _, part := range [...]string{s.Section, s.Name, s.Key, s.Value} {
				b.WriteString(part)
				b.WriteByte(0)
			}
		}
	}
	return b.String()
}

// Remotes returns the names of all remotes that have settings, without duplicates.
func (r *Repo) Remotes() []string {
	var out []string
next:
	for i := range r.Settings {
		s := &r.Settings[i]
		if s.Section != "remote" || s.Name == "" {
			continue
		}
		for _, have := range out {
			if have == s.Name {
				continue next
			}
		}
		out = append(out, s.Name)
	}
	return out
}

// PushURL returns the address to which git pushes for remote, rewritten as the settings require, or ""
// if there is none.
func (r *Repo) PushURL(remote string) string {
	url, own := r.Get("remote", remote, "pushurl")
	if !own {
		url, _ = r.Get("remote", remote, "url")
		if to, ok := r.rewriteURL(url, "pushinsteadof"); ok {
			return to
		}
	}
	if to, ok := r.rewriteURL(url, "insteadof"); ok {
		return to
	}
	return url
}

// rewriteURL returns url with a prefix replaced as the settings url.*.key require. The longest prefix
// takes precedence. It returns url and false if none matches.
func (r *Repo) rewriteURL(url, key string) (string, bool) {
	var best *Setting
	for i := range r.Settings {
		if s := &r.Settings[i]; s.Section == "url" && s.Key == key && s.Value != "" && strings.HasPrefix(url, s.Value) && (best == nil || len(s.Value) > len(best.Value)) {
			best = s
		}
	}
	if best == nil {
		return url, false
	}
	return best.Name + url[len(best.Value):], true
}

// IsHarmlessGitVar reports whether name is an environment variable of git that affects neither the
// choice of the repository nor the destination of a push.
func IsHarmlessGitVar(name string) bool {
	switch name {
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT",
		"GIT_EXTERNAL_DIFF", "GIT_MERGE_AUTOEDIT", "GIT_OPTIONAL_LOCKS", "GIT_FLUSH", "GIT_CURL_VERBOSE", "GIT_REDIRECT_STDERR", "GIT_PROXY_COMMAND",
		"GIT_DIFF_OPTS", "GIT_ADVICE", "GIT_INDEX_FILE", "GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL",
		"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NO_LAZY_FETCH", "GIT_NO_REPLACE_OBJECTS", "GIT_ATTR_SOURCE",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM": // git then finds this repository or none
		return true
	}
	for _, begin := range [...]string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TRACE", "GIT_PS1_", "GIT_PROMPT_", "GIT_SSL_", "GIT_HTTP_", "GIT_LFS_", "GIT_CREDENTIAL_"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}
