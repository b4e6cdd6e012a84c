package files

import "strings"

// inside is the zone of a path below the project's directory.
func inside(rel string) Zone {
	for rest := rel; rest != ""; {
		part := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		if could(part, ".git") {
			if strings.HasSuffix(rel, ".lock") {
				return Generated // left behind by a git that died
			}
			return History
		}
		if generated(part) {
			return Generated
		}
	}
	return Project
}

// generated reports whether a name is one that builds, tests and installations
// make again.
func generated(name string) bool {
	switch name {
	case "build", "dist", "out", "target", "node_modules", "bower_components", "jspm_packages", "obj",
		"venv", ".venv", "__pycache__", "__pypackages__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".pytype", ".pyre",
		".tox", ".nox", ".eggs", ".hypothesis", ".ipynb_checkpoints", "htmlcov", ".coverage", "coverage", "coverage.xml", "coverage.out",
		".nyc_output", "lib-cov", "test-results", "playwright-report", "blob-report", ".jest-cache", ".vitest",
		".next", ".nuxt", ".output", ".nitro", ".turbo", ".svelte-kit", ".angular", ".astro", ".docusaurus", ".vite",
		".webpack", ".parcel-cache", ".rpt2_cache", ".rollup.cache", ".expo", ".sass-cache", ".eslintcache", ".stylelintcache", ".prettiercache",
		".pnpm-store", ".npm", ".yarn-cache", ".swc", ".wrangler", ".netlify", ".vinxi", ".contentlayer", "storybook-static", "out-tsc",
		".cache", ".tmp", ".temp", "tmp", "temp",
		".gradle", ".kotlin", ".cxx", ".externalNativeBuild", ".metals", ".bloop", ".bsp", ".scala-build",
		".terraform", ".terragrunt-cache", ".serverless", ".aws-sam", "cdk.out",
		"CMakeFiles", "CMakeCache.txt", "_build", "dist-newstyle", ".stack-work", "zig-cache", ".zig-cache", "zig-out",
		".build", "DerivedData", "Pods", ".dart_tool", ".elixir_ls", "_site", ".jekyll-cache",
		".phpunit.cache", ".phpunit.result.cache", ".php-cs-fixer.cache", "a.out", ".DS_Store", "Thumbs.db",
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "Cargo.lock", "poetry.lock", "uv.lock", "Pipfile.lock",
		"composer.lock", "Gemfile.lock", "Podfile.lock", "go.sum", "mix.lock", "pubspec.lock", ".terraform.lock.hcl":
		return true
	}
	return generatedEnd(name)
}

// generatedEnd is generated for names with a free part.
func generatedEnd(name string) bool {
	if len(name) > 2 && (name[0] == '*' || name[0] == '.') && len(name) < 32 && generatedStar(name) {
		return true
	}
	if strings.HasPrefix(name, "cmake-build-") || strings.HasPrefix(name, "bazel-") {
		return true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return false
	}
	switch name[dot:] {
	case ".pyc", ".pyo", ".o", ".class", ".egg-info", ".tsbuildinfo", ".gcda", ".gcno", ".profraw", ".dSYM":
		return true
	case ".py[co]", ".py[cod]":
		return true
	}
	return false
}

// generatedStar knows the patterns that people write for generated names.
func generatedStar(name string) bool {
	switch name {
	case "*_cache", ".*_cache", "*.egg-info*", ".pytest_cache*", ".coverage.*", "*.py[co]", "*.py[cod]", "*node_modules", "*__pycache__*", "*node_modules*", "*__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".coverage.")
}

// homeCache reports whether a path in a home directory is a download cache.
func homeCache(rest string) bool {
	for _, dir := range [...]string{
		".cache", ".npm", ".gradle/caches", ".m2/repository", ".cargo/registry", ".pnpm-store", ".bun/install/cache",
		".yarn/cache", ".yarn/berry/cache", ".nuget/packages", ".ivy2/cache", "Library/Caches", "go/pkg/mod", ".local/share/pnpm/store",
		"Library/Developer/Xcode/DerivedData", ".cocoapods/repos",
	} {
		if within(rest, dir) {
			return true
		}
	}
	return false
}

// tempRoot reports whether a directory is one that temporary files lie in.
func tempRoot(abs string) bool {
	switch abs {
	case "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders", "/private/var/folders", "/usr/tmp":
		return true
	}
	return false
}

func tempZone(abs string) (Zone, bool) {
	if tempRoot(abs) {
		return TempRoot, true
	}
	for _, dir := range [...]string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/usr/tmp"} {
		if within(abs, dir) {
			if globbed(abs[len(dir)+1:]) && everything(first(abs[len(dir)+1:])) {
				return TempRoot, true
			}
			return Temp, true
		}
	}
	for _, dir := range [...]string{"/var/folders", "/private/var/folders"} {
		// The system's own levels (xx/yyyy/T) count as the root.
		if within(abs, dir) {
			if strings.Count(abs[len(dir):], "/") >= 4 {
				return Temp, true
			}
			return TempRoot, true
		}
	}
	return 0, false
}

// A systemKind says how much the system needs a directory.
type systemKind uint8

const (
	notSystem systemKind = iota
	hardSystem
	softSystem  // installed software, logs, services
	cacheSystem // a package manager's downloads
)

// systemDir says which part of the system a path is.
func systemDir(abs string) systemKind {
	top := first(abs[1:])
	switch top {
	case "etc", "bin", "sbin", "boot", "sys", "proc", "run", "efi", "nix", "snap", "System", "Library", "cores", "lost+found":
		return hardSystem
	case "opt", "srv", "Applications":
		return softSystem
	case "usr":
		if abs == "/usr/local" || within(abs, "/usr/local") || within(abs, "/usr/share") || within(abs, "/usr/src") {
			return softSystem
		}
		return hardSystem
	case "var":
		return varDir(abs)
	case "private":
		if within(abs, "/private/etc") || abs == "/private/etc" || abs == "/private" {
			return hardSystem
		}
		if abs == "/private/var" || within(abs, "/private/var") {
			return varDir(abs[len("/private"):])
		}
		return notSystem
	}
	if strings.HasPrefix(top, "lib") && len(top) <= 6 || globbed(top) || strings.Contains(top, holeText) {
		// A pattern right below the root may fit any of them.
		return hardSystem
	}
	return notSystem
}

func varDir(abs string) systemKind {
	for _, dir := range [...]string{"/var/lib/apt/lists", "/var/cache/apt", "/var/cache/apk", "/var/cache/yum", "/var/cache/dnf", "/var/cache/pacman/pkg"} {
		if abs == dir || within(abs, dir) {
			return cacheSystem
		}
	}
	if abs == "/var" || within(abs, "/var/spool") || within(abs, "/var/db") || within(abs, "/var/run") {
		return hardSystem
	}
	return softSystem
}

// deviceZone is the zone of a path in /dev.
func deviceZone(abs string) Zone {
	if abs == "/dev" {
		return Device
	}
	switch name := abs[len("/dev/"):]; first(name) {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "tty", "pts", "ptmx":
		return Sink
	}
	return Device
}

// disk reports whether a device keeps data: a disk, a partition, memory.
func disk(abs string) bool {
	name, ok := strings.CutPrefix(abs, "/dev/")
	if !ok {
		return false
	}
	for _, other := range [...]string{
		"tty", "console", "kmsg", "log", "dsp", "audio", "snd", "input", "video", "usb", "net", "bus", "lp", "ptp", "hidraw",
		"cu.", "char", "dri", "kvm", "fuse", "vcs", "tcp/", "udp/", "serial", "rfcomm", "hwrng", "initctl", "ptmx", "i2c", "spidev", "gpio",
	} {
		if strings.HasPrefix(name, other) {
			return false
		}
	}
	return true
}
