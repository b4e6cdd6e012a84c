package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsProgramVar reports whether the environment variable name holds a program or command that any other
// program may start, such as an editor, a pager, a remote shell or a wrapper.
func IsProgramVar(name string) bool {
	if len(name) < 3 || name[0] < 'A' || name[0] > 'Z' {
		return facts.InList(npmProgramVars, strings.ToLower(name))
	}
	switch name {
	case "PAGER", "EDITOR", "VISUAL", "BROWSER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "GIT_SSH", "GIT_EXTERNAL_DIFF", "KUBECTL_EXTERNAL_DIFF", "FCEDIT", "HGEDITOR", "HGMERGE",
		"RSYNC_CONNECT_PROG", "BORG_PASSCOMMAND", "CCACHE_PREFIX", "CCACHE_PREFIX_CPP", "CONFIG_SHELL", "MANOPT", "SENDMAIL", "NPM_CONFIG_SCRIPT_SHELL", "NPM_CONFIG_EDITOR", "NPM_CONFIG_GIT":
		return true
	}
	under := strings.LastIndexByte(name, '_')
	if under < 0 {
		return false
	}
	switch name[under+1:] {
	case "COMMAND":
		return name != "PROMPT_COMMAND" // the shell itself runs it
	case "EDITOR", "PAGER", "BROWSER", "RSH", "ASKPASS", "WRAPPER", "LAUNCHER", "RUNNER", "PASSCOMMAND":
		return true
	case "SSH": // other variables with this suffix are addresses and switches
		return name == "SVN_SSH" || name == "DISTCC_SSH" || name == "HG_SSH"
	}
	return false
}

// npmProgramVars lists the environment variables for npm settings that are programs.
const npmProgramVars = "npm_config_script_shell npm_config_editor npm_config_git npm_config_shell npm_config_viewer npm_config_browser"

// IsToolchainVar reports whether the environment variable name holds a program that builds start, such
// as a compiler.
func IsToolchainVar(name string) bool {
	switch name {
	case "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "OBJCOPY", "OBJDUMP", "FC", "F77", "F90", "CCLD", "LEX", "YACC", "INSTALL", "RM", "CP", "MV", "MAKE", "SHELL", "MKDIR_P",
		"RUSTC", "RUSTDOC", "RUSTFMT", "GCCGO", "PKG_CONFIG", "PYTHON", "NVCC", "MPICC", "MPICXX", "HOSTCC", "HOSTCXX", "BUILD_CC", "JAVAC", "JAVACMD", "LINKER", "SWIG", "DC", "OBJC", "WINDRES", "TAR", "GZIP":
		return true
	}
	for _, prefix := range [...]string{"CC_", "CXX_", "AR_", "CGO_", "CARGO_TARGET_", "CARGO_BUILD_RUSTC", "CMAKE_"} {
		if strings.HasPrefix(name, prefix) {
			last := name[strings.LastIndexByte(name, '_')+1:]
			return prefix[0] == 'C' && len(prefix) <= 4 && prefix != "CGO_" || prefix == "AR_" || last == "LINKER" || last == "RUNNER" || last == "RUSTC" || last == "COMPILER"
		}
	}
	return false
}

// MayRunToolchain reports whether c may start the programs in toolchain variables, because it runs a
// build tool, a script or a program of the project.
func MayRunToolchain(c *shell.Call) bool {
	if program.Is(c.Name, program.IsBuildTool) {
		return true
	}
	switch facts.LanguageOf(c.Name) {
	case facts.Python, facts.Perl, facts.R:
		return true
	}
	return strings.Contains(c.Path, "/")
}

// An OptionsVar is an environment variable that holds options for programs.
type OptionsVar struct {
	Name     string
	Programs string // the programs that read the variable, separated by spaces
	Behind   bool   // the options follow the subcommand
}

// OptionsVarOf returns the row of the environment variable name, or nil if it does not hold options.
func OptionsVarOf(name string) *OptionsVar {
	if rows := rowsNamed(optionsVars[:], name); len(rows) > 0 {
		return &rows[0]
	}
	return nil
}

// AppliesTo reports whether program takes options from the variable.
func (f *OptionsVar) AppliesTo(program string) bool { return facts.InList(f.Programs, program) }
