package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// projectZone returns the zone of rel, a path relative to the project's directory.
func projectZone(rel string) zone {
	for rest := rel; rest != ""; {
		part := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		if mayMatch(part, ".git") {
			if strings.HasSuffix(rel, ".lock") {
				return inGenerated // a lock file of a git process that died
			}
			return inHistory
		}
		if isGeneratedName(part) || isGeneratedBelow(part, rest) {
			return inGenerated
		}
	}
	if isGeneratedWhole(rel) {
		return inGenerated
	}
	return inProject
}

// isGeneratedBelow reports whether the element part of a path is generated because of the first
// element of rest, the path after it: vendor/bundle, cypress/videos.
func isGeneratedBelow(part, rest string) bool {
	switch next := firstElement(rest); part {
	case "vendor":
		return next == "bundle"
	case "cypress":
		return next == "videos" || next == "screenshots"
	case ".yarn":
		return next == "cache" || next == "unplugged" || next == "install-state.gz"
	case ".vercel":
		return next == "output"
	}
	return false
}

// isGeneratedWhole reports whether rel is a directory that counts as generated only as a whole, and at
// the top of a project or by a pattern: bin may be built, but src/bin and bin/x.sh may not.
func isGeneratedWhole(rel string) bool {
	dir, last := "", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dir, last = rel[:i], rel[i+1:]
	}
	switch last {
	case "logs":
		return true
	case "bin", "Bin", "Debug", "Release":
		return dir == "" || strings.Contains(dir, "*") || strings.HasSuffix(dir, "bin")
	case "log", "deps":
		return dir == ""
	}
	return false
}

// isLitter reports whether p is a file that running programs leave behind: a log, a temporary or
// backup copy, a crash dump. If tree is true, p is deleted with everything below it, so that only
// names that directories never have count. A backup of data never counts.
func isLitter(p string, tree bool) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	for _, part := range [...]string{".db", ".sql", "dump", "backup", "audit", "prod"} {
		if strings.Contains(name, part) {
			return false
		}
	}
	switch {
	case name == "nohup.out", strings.HasPrefix(name, "hs_err_pid"), strings.HasPrefix(name, "screenlog."):
		return true
	case strings.HasPrefix(name, ".#"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true
	case name == "core", strings.HasPrefix(name, "core.") && strings.Trim(name[5:], "0123456789*?") == "":
		return !tree
	}
	name = strings.TrimRight(name, "*?0123456789")
	if strings.HasSuffix(name, ".log.") || strings.HasSuffix(name, ".log.*.gz") || strings.HasSuffix(name, ".log.gz") {
		return true
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "log", "tmp", "temp", "swp", "swo", "swn", "rej", "pid", "stackdump", "out":
		return strings.IndexByte(name, '.') >= 0
	case "bak", "orig":
		return strings.IndexByte(name, '.') >= 0 && (!tree || isGlob(p))
	}
	return strings.HasSuffix(name, "~") && len(p) > 1
}

// isInLogs reports whether p is in a directory named logs.
func isInLogs(p string) bool {
	return strings.HasPrefix(p, "logs/") || strings.Contains(p, "/logs/")
}

// isLog reports whether p is a log file, so that truncating it loses nothing important.
func isLog(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	return isLitter(p, false) && (strings.Contains(name, ".log") || strings.HasSuffix(name, ".out"))
}

// isScratchFile reports whether p has a name that people use to try something out, such as that of a
// disk image or a block of bytes.
func isScratchFile(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return strings.HasPrefix(name, "test") || strings.HasPrefix(name, "swap") || strings.HasPrefix(name, "random")
	}
	switch name[dot+1:] {
	case "img", "bin", "raw", "dat", "iso", "blob", "swap", "qcow2", "tmp", "temp":
		return true
	}
	return false
}

// isGeneratedName reports whether base, an element of a path, is a name that builds, tests and
// installations generate.
func isGeneratedName(base string) bool {
	switch base {
	case "build", "dist", "out", "target", "node_modules", "bower_components", "jspm_packages", "obj",
		"venv", ".venv", "__pycache__", "__pypackages__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".pytype", ".pyre",
		".tox", ".nox", ".eggs", ".hypothesis", ".ipynb_checkpoints", "htmlcov", ".coverage", "coverage", "coverage.*", "coverage.xml", "coverage.out", "coverage.html", "coverage.json", "coverage.txt", "coverage.info", "coverage.cov",
		".nyc_output", "lib-cov", "test-results", "playwright-report", "blob-report", "allure-results", "allure-report", "TestResults", "test-output", "test_output", "test-report", "test-reports", ".jest-cache", ".vitest",
		".next", ".nuxt", ".output", ".nitro", ".turbo", ".svelte-kit", ".angular", ".astro", ".docusaurus", ".vite",
		".webpack", ".parcel-cache", ".rpt2_cache", ".rollup.cache", ".expo", ".sass-cache", ".eslintcache", ".stylelintcache", ".prettiercache",
		".pnpm-store", ".npm", ".yarn-cache", ".swc", ".wrangler", ".netlify", ".vinxi", ".contentlayer", "storybook-static", "out-tsc", "elm-stuff", ".nx", ".wireit", ".vscode-test",
		".cache", ".tmp", ".temp", "tmp", "temp",
		".gradle", ".kotlin", ".cxx", ".externalNativeBuild", ".metals", ".bloop", ".bsp", ".scala-build",
		".terraform", ".terragrunt-cache", ".serverless", ".aws-sam", "cdk.out",
		"CMakeFiles", "CMakeCache.txt", "_build", "__snapshots__", "tfplan", "dist-newstyle", ".stack-work", "zig-cache", ".zig-cache", "zig-out",
		".build", "DerivedData", "Pods", ".dart_tool", ".elixir_ls", "_site", ".jekyll-cache",
		".phpunit.cache", ".phpunit.result.cache", ".php-cs-fixer.cache", "a.out", ".DS_Store", "Thumbs.db",
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "Cargo.lock", "poetry.lock", "uv.lock", "Pipfile.lock",
		"composer.lock", "Gemfile.lock", "Podfile.lock", "go.sum", "mix.lock", "pubspec.lock", ".terraform.lock.hcl":
		return true
	}
	return isGeneratedVariant(base)
}

// isGeneratedVariant reports whether name is a generated name with a variable part, such as *.o or
// cmake-build-debug.
func isGeneratedVariant(name string) bool {
	if len(name) > 2 && (name[0] == '*' || name[0] == '.') && len(name) < 32 && isGeneratedGlob(name) {
		return true
	}
	for _, start := range [...]string{"cmake-build-", "bazel-", "tmp-", "tmp_", "temp-", "temp_", ".tmp", ".temp"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	if strings.Contains(name, ".so.") || strings.HasSuffix(name, ".so*") || strings.HasSuffix(name, "s.map") || strings.HasSuffix(name, "s.map*") {
		return true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return false
	}
	switch name[dot:] {
	case ".pyc", ".pyo", ".pyd", ".o", ".so", ".a", ".dylib", ".dll", ".lib", ".obj", ".lo", ".la", ".gch", ".pch", ".ko", ".rlib", ".rmeta", ".beam", ".elc", ".class", ".whl", ".exe",
		".egg-info", ".tsbuildinfo", ".gcda", ".gcno", ".profraw", ".profdata", ".prof", ".pprof", ".coverprofile", ".lcov", ".dSYM", ".pdb", ".ilk":
		return true
	case ".py[co]", ".py[cod]":
		return true
	}
	return false
}

// isGeneratedGlob reports whether name is a common pattern for generated names, such as *_cache.
func isGeneratedGlob(name string) bool {
	switch name {
	case "*_cache", ".*_cache", "*.egg-info*", ".pytest_cache*", ".coverage.*", "*.py[co]", "*.py[cod]", "*node_modules", "*__pycache__*", "*node_modules*", "*__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".coverage.")
}

// isHomeCache reports whether rest, a path relative to a home directory, is in a download cache.
func isHomeCache(rest string) bool {
	for _, dir := range [...]string{
		".cache", ".npm", ".gradle/caches", ".m2/repository", ".cargo/registry", ".pnpm-store", ".bun/install/cache",
		".yarn/cache", ".yarn/berry/cache", ".nuget/packages", ".ivy2/cache", "Library/Caches", "go/pkg/mod", ".local/share/pnpm/store",
		"Library/Developer/Xcode/DerivedData", ".cocoapods/repos",
		"AppData/Local/npm-cache", "AppData/Local/pip/Cache", "AppData/Local/Yarn/Cache", "AppData/Local/Temp", "AppData/Local/uv/cache", "AppData/Local/go-build",
	} {
		if isBelow(rest, dir) || rest == dir && strings.IndexByte(dir, '/') > 0 {
			return true
		}
	}
	return false
}

// isTempRoot reports whether abs is itself a directory for temporary files, such as /tmp.
func isTempRoot(abs string) bool {
	return abs != "" && facts.TempDirOf(abs) == abs
}

// tempZone returns the zone of abs if it is in a directory for temporary files, and false otherwise.
func tempZone(abs string) (zone, bool) {
	if isTempRoot(abs) {
		return inTempRoot, true
	}
	switch dir := facts.TempDirOf(abs); {
	case dir == "":
	case strings.HasSuffix(dir, "/folders"):
		// The levels that macOS creates (xx/yyyy/T) count as the root.
		if strings.Count(abs[len(dir):], "/") >= 4 {
			return inTemp, true
		}
		return inTempRoot, true
	case isGlob(abs[len(dir)+1:]) && matchesEverything(firstElement(abs[len(dir)+1:])):
		return inTempRoot, true
	default:
		return inTemp, true
	}
	return 0, false
}

// A systemKind is how much the system depends on a directory.
type systemKind uint8

const (
	notSystem systemKind = iota
	// hardSystem is the system itself.
	hardSystem
	softSystem  // installed software, logs, services
	cacheSystem // a package manager's downloads
)

// systemKindOf returns the kind of system directory that the absolute path abs is in, or notSystem.
func systemKindOf(abs string) systemKind {
	top := firstElement(abs[1:])
	switch top {
	case "etc", "bin", "sbin", "boot", "sys", "proc", "run", "efi", "nix", "snap", "System", "Library", "cores", "lost+found":
		return hardSystem
	case "opt", "srv", "Applications":
		return softSystem
	case "usr":
		if abs == "/usr/local" || isBelow(abs, "/usr/local") || isBelow(abs, "/usr/share") || isBelow(abs, "/usr/src") {
			return softSystem
		}
		return hardSystem
	case "var":
		return varSystemKind(abs)
	case "private":
		if isBelow(abs, "/private/etc") || abs == "/private/etc" || abs == "/private" {
			return hardSystem
		}
		if abs == "/private/var" || isBelow(abs, "/private/var") {
			return varSystemKind(abs[len("/private"):])
		}
		return notSystem
	}
	if strings.HasPrefix(top, "lib") && len(top) <= 6 || isGlob(top) || strings.Contains(top, placeholder) {
		// A pattern or unknown name directly below the root may match any of them.
		return hardSystem
	}
	return notSystem
}

// varSystemKind returns the kind of abs, a path in /var.
func varSystemKind(abs string) systemKind {
	for _, dir := range [...]string{"/var/lib/apt/lists", "/var/cache/apt", "/var/cache/apk", "/var/cache/yum", "/var/cache/dnf", "/var/cache/pacman/pkg"} {
		if abs == dir || isBelow(abs, dir) {
			return cacheSystem
		}
	}
	if abs == "/var" || isBelow(abs, "/var/spool") || isBelow(abs, "/var/db") || isBelow(abs, "/var/run") {
		return hardSystem
	}
	return softSystem
}

// deviceZone returns the zone of abs, a path in /dev: inSink for devices that keep nothing, and
// otherwise inDevice.
func deviceZone(abs string) zone {
	if abs == "/dev" {
		return inDevice
	}
	switch name := abs[len("/dev/"):]; firstElement(name) {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "tty", "pts", "ptmx":
		return inSink
	}
	return inDevice
}

// mayBeStorageDevice reports whether abs is a device that may keep data, such as a disk, a partition
// or memory. Unknown devices count.
func mayBeStorageDevice(abs string) bool {
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
