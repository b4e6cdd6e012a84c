package facts

import "strings"

// Means is how a variable makes a program run code that is not its own.
type Means uint8

// The means.
const (
	NoMeans    Means = iota
	ByFile           // it names files that are loaded
	BySearch         // it names directories in which code is looked for
	ByOptions        // it holds options of a program, which may load files
	BySettings       // it names a directory of settings that run commands
)

// A Hijack is a variable that makes programs run code that is not their own.
type Hijack struct {
	Name  string
	Means Means
	Of    string // the program whose options it holds
	As    string // the words before a known file that make a command of it; "=" = it is read anyway, "" = it is not
	Only  string // the programs that it concerns, separated by spaces; "" = all
	Any   bool   // it bends whatever is called, so that no program is what it seems
}

// hijacks are sorted by name. What names a command to run (EDITOR, CC) is a value
// that runs, and a cache (CARGO_HOME, GOCACHE) is neither.
var hijacks = [...]Hijack{
	{Name: "ACLOCAL_PATH", Means: BySearch, Only: autotools},
	{Name: "ALSA_CONFIG_PATH", Means: ByFile},
	{Name: "ANSIBLE_ACTION_PLUGINS", Means: BySearch},
	{Name: "ANSIBLE_CALLBACK_PLUGINS", Means: BySearch},
	{Name: "ANSIBLE_CONFIG", Means: ByFile, Only: "ansible ansible-playbook ansible-galaxy ansible-inventory ansible-doc ansible-console"},
	{Name: "ANSIBLE_FILTER_PLUGINS", Means: BySearch},
	{Name: "ANSIBLE_LIBRARY", Means: BySearch},
	{Name: "ANT_OPTS", Means: ByOptions, Of: "java"},
	{Name: "AWKLIBPATH", Means: BySearch, Only: "awk gawk"},
	{Name: "AWKPATH", Means: BySearch, Only: "awk gawk"},
	{Name: "BASH_ENV", Means: ByFile, As: "=", Any: true},
	{Name: "BUNDLE_GEMFILE", Means: ByFile, As: "ruby"},
	{Name: "BUN_OPTIONS", Means: ByOptions, Of: "bun"},
	{Name: "CAML_LD_LIBRARY_PATH", Means: BySearch},
	{Name: "CATALINA_OPTS", Means: ByOptions, Of: "java"},
	{Name: "CCACHE_COMPILER", Means: ByFile},
	{Name: "CCACHE_CONFIGPATH", Means: ByFile},
	{Name: "CCACHE_PATH", Means: BySearch},
	{Name: "CFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "CGO_CFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "CGO_CXXFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "CGO_LDFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "CLASSPATH", Means: BySearch},
	{Name: "CMAKE_PROJECT_TOP_LEVEL_INCLUDES", Means: ByFile},
	{Name: "CMAKE_TOOLCHAIN_FILE", Means: ByFile},
	{Name: "COMPILER_PATH", Means: BySearch},
	{Name: "CPPFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "CXXFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "EMACSLOADPATH", Means: BySearch, Only: "emacs emacsclient"},
	{Name: "ENV", Means: ByFile, As: "=", Only: "sh dash ash ksh mksh bash busybox", Any: true},
	{Name: "ERL_LIBS", Means: BySearch},
	{Name: "FACTERLIB", Means: BySearch, Only: "facter puppet"},
	{Name: "FREI0R_PATH", Means: BySearch},
	{Name: "GCC_EXEC_PREFIX", Means: BySearch},
	{Name: "GCONV_PATH", Means: BySearch},
	{Name: "GEM_HOME", Means: BySearch, Only: rubies},
	{Name: "GEM_PATH", Means: BySearch, Only: rubies},
	{Name: "GIO_EXTRA_MODULES", Means: BySearch},
	{Name: "GIT_CONFIG", Means: ByFile, As: "=", Only: "git"},
	{Name: "GIT_CONFIG_GLOBAL", Means: ByFile, As: "=", Only: gits},
	{Name: "GIT_CONFIG_SYSTEM", Means: ByFile, As: "=", Only: gits},
	{Name: "GIT_EXEC_PATH", Means: BySearch, Only: gits},
	{Name: "GIT_TEMPLATE_DIR", Means: ByFile, Only: gits},
	{Name: "GOENV", Means: ByFile, Only: "go"},
	{Name: "GOFLAGS", Means: ByOptions, Of: "go"},
	{Name: "GOROOT", Means: BySearch},
	{Name: "GOTOOLDIR", Means: BySearch},
	{Name: "GRADLE_OPTS", Means: ByOptions, Of: "java"},
	{Name: "GST_PLUGIN_PATH", Means: BySearch},
	{Name: "GS_LIB", Means: BySearch},
	{Name: "GTK_MODULES", Means: ByFile},
	{Name: "GTK_PATH", Means: BySearch},
	{Name: "GUILE_LOAD_COMPILED_PATH", Means: BySearch},
	{Name: "GUILE_LOAD_PATH", Means: BySearch},
	{Name: "HELM_PLUGINS", Means: BySearch, Only: "helm"},
	{Name: "HGRCPATH", Means: ByFile, Only: "hg"},
	{Name: "HOME", Means: BySettings, Only: "bash zsh fish ksh git tig vim vi nvim emacs tmux screen gdb ssh scp sftp hg"},
	{Name: "JAVA_HOME", Means: BySearch},
	{Name: "JAVA_OPTS", Means: ByOptions, Of: "java"},
	{Name: "JAVA_TOOL_OPTIONS", Means: ByOptions, Of: "java"},
	{Name: "JDK_JAVA_OPTIONS", Means: ByOptions, Of: "java"},
	{Name: "JULIA_LOAD_PATH", Means: BySearch},
	{Name: "LADSPA_PATH", Means: BySearch},
	{Name: "LDFLAGS", Means: ByOptions, Of: "gcc"},
	{Name: "LD_AUDIT", Means: ByFile, Any: true},
	{Name: "LD_LIBRARY_PATH", Means: BySearch, Any: true},
	{Name: "LD_PRELOAD", Means: ByFile, Any: true},
	{Name: "LIBGL_DRIVERS_PATH", Means: BySearch},
	{Name: "LUA_CPATH", Means: BySearch},
	{Name: "LUA_INIT", Means: ByFile, As: "lua"},
	{Name: "LUA_PATH", Means: BySearch},
	{Name: "M4PATH", Means: BySearch},
	{Name: "MAGICK_CODER_MODULE_PATH", Means: BySearch},
	{Name: "MAGICK_CONFIGURE_PATH", Means: BySearch},
	{Name: "MAKEFILES", Means: ByFile, As: "make -f", Only: "make gmake"},
	{Name: "MAKEFLAGS", Means: ByOptions, Of: "make"},
	{Name: "MAVEN_OPTS", Means: ByOptions, Of: "java"},
	{Name: "NODE_OPTIONS", Means: ByOptions, Of: "node"},
	{Name: "NODE_PATH", Means: BySearch},
	{Name: "NODE_REPL_EXTERNAL_MODULE", Means: ByFile, As: "node"},
	{Name: "OCL_ICD_VENDORS", Means: BySearch},
	{Name: "OPENSSL_CONF", Means: ByFile},
	{Name: "OPENSSL_ENGINES", Means: BySearch},
	{Name: "OPENSSL_MODULES", Means: BySearch},
	{Name: "PERL5DB", Means: ByOptions, Of: "perl", Any: true},
	{Name: "PERL5LIB", Means: BySearch, Any: true},
	{Name: "PERL5OPT", Means: ByOptions, Of: "perl", Any: true},
	{Name: "PERLLIB", Means: BySearch},
	{Name: "PHPRC", Means: ByFile},
	{Name: "PHP_INI_SCAN_DIR", Means: BySearch},
	{Name: "PIP_CONFIG_FILE", Means: ByFile},
	{Name: "PSQLRC", Means: ByFile, As: "psql -f", Only: "psql"},
	{Name: "PYLINTRC", Means: ByFile, Only: "pylint"},
	{Name: "PYTHONHOME", Means: BySearch},
	{Name: "PYTHONPATH", Means: BySearch},
	{Name: "PYTHONSTARTUP", Means: ByFile, As: "python3", Any: true},
	{Name: "PYTHONUSERBASE", Means: BySearch, Only: pythons},
	{Name: "QT_PLUGIN_PATH", Means: BySearch},
	{Name: "QT_QPA_PLATFORM_PLUGIN_PATH", Means: BySearch},
	{Name: "RUBYLIB", Means: BySearch},
	{Name: "RUBYOPT", Means: ByOptions, Of: "ruby", Any: true},
	{Name: "RUSTFLAGS", Means: ByOptions, Of: "rustc"},
	{Name: "R_ENVIRON_USER", Means: ByFile},
	{Name: "R_HOME", Means: BySearch},
	{Name: "R_LIBS", Means: BySearch},
	{Name: "R_PROFILE", Means: ByFile, As: "rscript"},
	{Name: "R_PROFILE_USER", Means: ByFile, As: "rscript"},
	{Name: "SBT_OPTS", Means: ByOptions, Of: "java"},
	{Name: "SSH_SK_PROVIDER", Means: ByFile},
	{Name: "TAR_OPTIONS", Means: ByOptions, Of: "tar"},
	{Name: "TCLLIBPATH", Means: BySearch},
	{Name: "TCL_LIBRARY", Means: BySearch},
	{Name: "TF_CLI_CONFIG_FILE", Means: ByFile, Only: "terraform tofu"},
	{Name: "VIMRUNTIME", Means: BySearch, Only: vims},
	{Name: "VK_ICD_FILENAMES", Means: ByFile},
	{Name: "VK_LAYER_PATH", Means: BySearch},
	{Name: "XDG_CONFIG_HOME", Means: BySettings, Only: "git tig vim nvim fish bat tmux jj emacs hg"},
	{Name: "YARN_YARN_PATH", Means: ByFile},
	{Name: "ZDOTDIR", Means: BySettings, Only: "zsh"},
	{Name: "_JAVA_OPTIONS", Means: ByOptions, Of: "java"},
	{Name: "npm_config_globalconfig", Means: ByFile},
	{Name: "npm_config_init_module", Means: ByFile},
	{Name: "npm_config_node_options", Means: ByOptions, Of: "node"},
	{Name: "npm_config_userconfig", Means: ByFile},
}

const (
	autotools = "aclocal autoconf autoreconf automake"
	gits      = "git tig gh hub git-lfs lazygit"
	pythons   = "python python3 pip pip3 pytest ipython"
	rubies    = "ruby irb rake rspec rails bundle erb pry"
	vims      = "vim vi nvim view ex gvim vimdiff"
)

// HijackOf is the row of a variable that makes programs run other code; nil = it is
// no such variable.
func HijackOf(name string) *Hijack {
	switch {
	case len(name) < 3:
		return nil
	case name[0] == 'D' && strings.HasPrefix(name, "DYLD_"):
		return &dyld
	case (name[0]|0x20) == 'n' && len(name) > len("npm_config_") && strings.EqualFold(name[:len("npm_config_")], "npm_config_"):
		name = strings.ToLower(name) // npm takes them in any case
	case strings.HasPrefix(name, "LUA_") && strings.Contains(name, "_5_"):
		name = name[:strings.Index(name, "_5_")]
	}
	return Lookup(hijacks[:], name, func(r *Hijack) string { return r.Name })
}

// dyld stands for all variables of the loader of macOS.
var dyld = Hijack{Name: "DYLD_", Means: ByFile, Any: true}

// Bends reports whether a variable makes any program another one.
func Bends(name string) bool {
	h := HijackOf(name)
	return h != nil && h.Any
}

// Concerns reports whether a variable counts for a program.
func (h *Hijack) Concerns(program string) bool {
	return h.Only == "" || strings.Contains(" "+h.Only+" ", " "+program+" ")
}
