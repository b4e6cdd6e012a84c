package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// usesRemoteDaemon reports whether the container tool c uses a daemon on another machine. There, an
// operation that is routine on one's own machine affects other people's services.
func usesRemoteDaemon(c *shell.Call) bool {
	if !program.Is(c.Name, program.IsContainerRunner) {
		return false
	}
	for i := range c.Env {
		if v := &c.Env[i]; (v.Name == "DOCKER_HOST" || v.Name == "CONTAINER_HOST" || v.Name == "DOCKER_CONTEXT") && isRemoteDaemon(v.Value.Text) {
			return true
		}
	}
	for i := range c.Args {
		name, value, joined := strings.Cut(c.Args[i].Text, "=")
		if name != "" && name[0] != '-' {
			return false // the tool's own options come before its first word
		}
		switch name {
		case "-H", "--host", "--context", "-c", "--url", "--connection":
			if !joined && i+1 < len(c.Args) {
				value = c.Args[i+1].Text
			}
			return isRemoteDaemon(value)
		}
	}
	return false
}

// isRemoteDaemon reports whether name, a context or an address, is that of a daemon on another
// machine.
func isRemoteDaemon(name string) bool {
	if name == "" || inListFold("default desktop-linux desktop-windows colima orbstack rootless rancher-desktop podman-machine-default", name) {
		return false
	}
	for _, here := range [...]string{"npipe://", "/", "colima-"} {
		if strings.HasPrefix(name, here) {
			return false
		}
	}
	return !facts.HostOf(name).IsLocal()
}
