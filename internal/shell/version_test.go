package shell

import "testing"

// TestTrimVersion checks [TrimVersion].
func TestTrimVersion(t *testing.T) {
	for name, want := range map[string]string{
		"python3.11": "python3", "python3": "python3", "python2.7": "python2", "python": "python", "pypy3.9": "pypy3", "pip3.11": "pip3", "php8.2": "php", "php-8.2": "php", "perl5.36.0": "perl", "lua5.4": "lua",
		"tclsh8.6": "tclsh", "gcc-12": "gcc", "clang++-15": "clang++", "g++-12": "g++", "vim.basic": "vim", "vim.tiny": "vim", "emacs-nox": "emacs", "emacs-28.2": "emacs", "guile-3.0": "guile", "go1.21.5": "go", "kubectl-v1.28": "kubectl",
		"bash5": "bash", "bash-5.2": "bash", "node18": "node", "ruby3.1": "ruby", "gawk-5.1.0": "gawk", "terraform1.5": "terraform", "helm3": "helm", "sqlite3": "sqlite3", "awk": "awk",
		"mkfs.ext4": "mkfs.ext4", "sha256sum": "sha256sum", "base64": "base64", "md5": "md5", "bzip2": "bzip2", "e2fsck": "e2fsck", "m4": "m4", "s3": "s3", "x2": "x2", "7": "7", "": "", "a.b": "a.b", "vim.x": "vim.x",
	} {
		if got := TrimVersion(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
