package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A loading is an option by which a program runs code from a file that is none of
// its operands.
type loading struct {
	name string
	keys string // "-r+" also as -rVALUE
	pre  string // what the value begins with, in any case; it is cut off
	how  loads
	as   string // the words before a known file that make a command of it; "=" = it is read anyway, "" = it is not
}

// loads is what the value of an option names.
type loads uint8

const (
	aFile    loads = iota // a file that is loaded
	aPath                 // directories in which code is looked for
	aProgram              // a command that is run
	aSource               // a command of the program's own that reads a file
)

// loader is the name under which programs that load alike have their rows.
func loader(name string) string {
	switch name {
	case "cc", "g++", "c++", "clang", "clang++", "gfortran", "gccgo", "cpp", "c99", "c89", "g77", "gdc", "icc", "icx", "nvcc":
		return "gcc"
	case "gtar", "bsdtar":
		return "tar"
	case "mocha", "nyc", "c8", "nodemon":
		return "node"
	case "npx", "pnpm", "yarn":
		return "npm"
	case "gmake", "bmake":
		return "make"
	case "slogin", "autossh":
		return "ssh"
	case "sftp":
		return "scp"
	case "erb", "rspec", "rake", "minitest":
		return "ruby"
	case "prove", "plackup", "perldoc":
		return "perl"
	case "jdb", "javaw", "jrunscript":
		return "java"
	case "sqlite", "litecli":
		return "sqlite3"
	case "php-cgi", "php-fpm":
		return "php"
	case "gsort":
		return "sort"
	case "ginstall":
		return "install"
	case "ld.lld", "ld.gold", "ld.bfd", "lld", "mold", "nm", "ar", "ranlib", "objdump":
		return "ld"
	case "gdb-multiarch", "rust-gdb", "cgdb":
		return "gdb"
	case "rust-lldb":
		return "lldb"
	case "uvx", "virtualenv":
		return "uv"
	case "gradlew":
		return "gradle"
	case "tofu":
		return "terraform"
	}
	switch facts.TongueOf(name) {
	case facts.Node:
		return "node"
	case facts.Ruby:
		return "ruby"
	case facts.Groovy, facts.JShell:
		return "java"
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so" {
		return "ld-linux"
	}
	return family(name)
}

// loadings are sorted by name; a name may have several rows. Scripts that programs
// take as operands are not here: who writes `sh FILE` says what runs.
var loadings = [...]loading{
	{name: "ansible-playbook", keys: "-M+ --module-path", how: aPath},
	{name: "bash", keys: "--rcfile --init-file", as: "="},
	{name: "bat", keys: "--pager", how: aProgram},
	{name: "bison", keys: "-S --skeleton"},
	{name: "bun", keys: "-r+ --preload --require --import", as: "node"},
	{name: "cargo", keys: "--config"},
	{name: "cmake", keys: "-C+ -DCMAKE_TOOLCHAIN_FILE -DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER -DCMAKE_LINKER -DCMAKE_AR -DCMAKE_MAKE_PROGRAM -DCMAKE_PROJECT_INCLUDE -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES -DCMAKE_C_COMPILER_LAUNCHER -DCMAKE_CXX_COMPILER_LAUNCHER -DCMAKE_MODULE_PATH --toolchain"},
	{name: "ctags", keys: "--options"},
	{name: "curl", keys: "--engine"},
	{name: "deno", keys: "--preload --import --require", as: "node"},
	{name: "emacs", keys: "--init-directory"},
	{name: "emacs", keys: "-L+ --directory", how: aPath},
	{name: "gawk", keys: "-l --load"},
	{name: "gcc", keys: "-B+ -fplugin -fpass-plugin -specs --specs --ld-path -fuse-ld"},
	{name: "gcc", keys: "-wrapper --wrapper", how: aProgram},
	{name: "gdb", keys: "-x --command -command -ix --init-command --data-directory", as: "gdb -ex"},
	{name: "gdb", keys: "-ex --ex -eval-command --eval-command -iex --init-eval-command", how: aSource, as: "gdb -ex"},
	{name: "go", keys: "-toolexec --toolexec -vettool --vettool -exec --exec", how: aProgram},
	{name: "go", keys: "-overlay --overlay"},
	{name: "gpg", keys: "--options --agent-program --dirmngr-program --photo-viewer --load-extension"},
	{name: "gradle", keys: "-I --init-script"},
	{name: "gunicorn", keys: "--pythonpath", how: aPath},
	{name: "helm", keys: "--post-renderer", how: aProgram},
	{name: "hg", keys: "--config"},
	{name: "install", keys: "--strip-program", how: aProgram},
	{name: "java", keys: "-javaagent:+ -agentpath:+ -Xbootclasspath/a:+ -Xbootclasspath/p:+ -Xbootclasspath:+ --patch-module --startup"},
	{name: "java", keys: "-cp -classpath --class-path -p --module-path -Djava.library.path -Djava.ext.dirs -Djava.endorsed.dirs", how: aPath},
	{name: "javac", keys: "-processorpath --processor-path", how: aPath},
	{name: "julia", keys: "-J+ --sysimage -L+ --load"},
	{name: "ld", keys: "-plugin --plugin"},
	{name: "ld-linux", keys: "--preload --audit"},
	{name: "ld-linux", keys: "--library-path", how: aPath},
	{name: "lldb", keys: "-s --source -S --source-before-file -k --source-on-crash"},
	{name: "lldb", keys: "-o --one-line -O --one-line-before-file", how: aSource},
	{name: "make", keys: "-I+ --include-dir", how: aPath},
	{name: "man", keys: "-P --pager", how: aProgram},
	{name: "mypy", keys: "--python-executable", how: aProgram},
	{name: "mysql", keys: "--plugin-dir", how: aPath},
	{name: "node", keys: "-r+ --require --import --loader --experimental-loader --preload --openssl-config --experimental-config-file", as: "node"},
	{name: "npm", keys: "--userconfig --globalconfig"},
	{name: "npm", keys: "--script-shell --git --editor --viewer --browser", how: aProgram},
	{name: "openssl", keys: "-engine --engine"},
	{name: "openssl", keys: "-provider-path", how: aPath},
	{name: "perl", keys: "-I+", how: aPath},
	{name: "php", keys: "-c+ --php-ini -z+ --zend-extension"},
	{name: "php", keys: "-d+ --define", pre: "auto_append_file=", as: "php"},
	{name: "php", keys: "-d+ --define", pre: "auto_prepend_file=", as: "php"},
	{name: "php", keys: "-d+ --define", pre: "extension="},
	{name: "php", keys: "-d+ --define", pre: "extension_dir="},
	{name: "php", keys: "-d+ --define", pre: "include_path="},
	{name: "php", keys: "-d+ --define", pre: "opcache.preload=", as: "php"},
	{name: "php", keys: "-d+ --define", pre: "zend_extension="},
	{name: "prettier", keys: "--plugin"},
	{name: "protoc", keys: "--plugin"},
	{name: "psql", keys: "-P --pset", pre: "pager=", how: aProgram},
	{name: "pylint", keys: "--rcfile"},
	{name: "rpm", keys: "--rcfile --macros"},
	{name: "rsync", keys: "-e+ --rsh", how: aProgram},
	{name: "ruby", keys: "-r+ --require", as: "ruby"},
	{name: "ruby", keys: "-I+", how: aPath},
	{name: "rustc", keys: "-C+ --codegen", pre: "linker=", how: aProgram},
	{name: "scp", keys: "-F+", as: "ssh -F"},
	{name: "scp", keys: "-S+ -D+", how: aProgram},
	{name: "screen", keys: "-c+"},
	{name: "screen", keys: "-s+", how: aProgram},
	{name: "sort", keys: "--compress-program", how: aProgram},
	{name: "split", keys: "--filter", how: aProgram},
	{name: "sqlite3", keys: "-init --init", as: "="},
	{name: "sqlite3", keys: "*", how: aSource},
	{name: "ssh", keys: "-F+ -I+", as: "="},
	{name: "ssh", keys: "-o+", pre: "include"},
	{name: "ssh", keys: "-o+", pre: "pkcs11provider"},
	{name: "ssh", keys: "-o+", pre: "securitykeyprovider"},
	{name: "ssh", keys: "-o+", pre: "xauthlocation"},
	{name: "ssh-add", keys: "-s -S"},
	{name: "ssh-keygen", keys: "-D+ -w"},
	{name: "su", keys: "-s --shell", how: aProgram},
	{name: "svn", keys: "--config-dir"},
	{name: "svn", keys: "--diff-cmd --diff3-cmd --editor-cmd", how: aProgram},
	{name: "tar", keys: "--checkpoint-action", pre: "exec=", how: aProgram},
	{name: "tar", keys: "-I+ --use-compress-program --to-command --rsh-command --info-script --new-volume-script -F+ --rmt-command", how: aProgram},
	{name: "terraform", keys: "-plugin-dir --plugin-dir", how: aPath},
	{name: "tmux", keys: "-f+", as: "="},
	{name: "uv", keys: "-p --python", how: aProgram},
	{name: "vim", keys: "-c --cmd +", how: aSource, as: "vim -S"},
	{name: "vim", keys: "-u+ -U+ -S+", as: "="},
	{name: "wget", keys: "--use-askpass", how: aProgram},
	{name: "zip", keys: "-TT --unzip-command", how: aProgram},
	{name: "zsh", keys: "--rcfile", as: "="},
}

func loadingsOf(name string) []loading {
	name = loader(name)
	lo, hi := 0, len(loadings)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); loadings[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end := lo
	for end < len(loadings) && loadings[end].name == name {
		end++
	}
	return loadings[lo:end]
}
