package addcontext

import (
	"context"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// NewAddEnvironmentInfo returns the builtin that describes the directory and the system to the model.
func NewAddEnvironmentInfo(args []string) (builtin.Func, error) {
	return addEnvironmentInfo, builtin.NoArgs(args)
}

func addEnvironmentInfo(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	if call.Dir == "" {
		return checkrein.Verdict{}, nil
	}
	isRepo := "No"
	if builtin.Repository(call.Dir) != "" {
		isRepo = "Yes"
	}
	lines := []string{
		"This is the environment that you work in:",
		"<env>",
		"Working directory: " + builtin.QuoteUnprintable(call.Dir),
		"Is a git repository: " + isRepo,
		"Operating system: " + systemName(runtime.GOOS),
		"Architecture: " + archName(runtime.GOARCH),
	}
	if shell, _ := environ.Lookup(call.Environ, "SHELL"); shell != "" {
		lines = append(lines, "Shell: "+builtin.QuoteUnprintable(shell))
	}
	return builtin.AddContext(strings.Join(append(lines, "</env>"), "\n")), nil
}

// systemName returns the name of the operating system goos for the model.
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

// archName returns the name of the architecture goarch for the model.
func archName(goarch string) string {
	if goarch == "amd64" {
		return "x64"
	}
	return goarch
}
