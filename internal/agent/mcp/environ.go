package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
)

// baseVars lists the variables that programs need to run at all. Keys are not among them; a server gets
// the keys that its entry names.
var baseVars = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TEMP", "TMP",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
	"USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// childEnviron returns the environment for the server's program.
func (s *server) childEnviron() ([]string, error) {
	var out []string
	for _, kv := range s.pool.opts.Environ {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name) // proxy variables exist in both cases
		if slices.Contains(baseVars, name) || strings.HasPrefix(name, "LC_") {
			out = append(out, kv)
		}
	}
	for _, v := range s.spec.Env {
		value, unset := environ.Expand(v.Value, s.pool.opts.Environ, true)
		if unset != "" {
			return nil, fmt.Errorf("the server's variable %s needs %s, which is not set: set it, or remove the variable from env", v.Name, unset)
		}
		out = slices.DeleteFunc(out, func(kv string) bool { return strings.HasPrefix(kv, v.Name+"=") })
		out = append(out, v.Name+"="+value)
	}
	return out, nil
}
