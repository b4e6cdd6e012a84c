package guard

import (
	"context"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

func newAddEnvironmentInfo(args []string) (Func, error) { return addEnvironmentInfo, noArgs(args) }

func addEnvironmentInfo(_ context.Context, call Call) (checkrein.Verdict, error) {
	if call.Dir == "" {
		return checkrein.Verdict{}, nil
	}
	isRepo := "No"
	if repository(call.Dir) != "" {
		isRepo = "Yes"
	}
	lines := []string{
		"This is the environment that you work in:",
		"<env>",
		"Working directory: " + plain(call.Dir),
		"Is a git repository: " + isRepo,
		"Operating system: " + systemName(runtime.GOOS),
		"Architecture: " + archName(runtime.GOARCH),
	}
	if shell, _ := environ.Lookup(call.Environ, "SHELL"); shell != "" {
		lines = append(lines, "Shell: "+plain(shell))
	}
	return say(strings.Join(append(lines, "</env>"), "\n")), nil
}

func systemName(goos string) string {
	switch goos {
	case "darwin":
		return "MacOS"
	case "windows":
		return "Windows"
	case "linux":
		return "Linux"
	}
	return goos
}

func archName(goarch string) string {
	if goarch == "amd64" {
		return "x64"
	}
	return goarch
}
