package packs

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputs takes in the files that a call writes because an option or a word of
// it names them. Each becomes a redirection of its own, so that the ones who know
// files judge it. A file of the project is what such tools are for; only those
// elsewhere are taken in.
func (n *nest) outputs() {
	c := n.r.Call
	n.dir = c.Dir
	if n.r.Name == "git" {
		for i := range n.r.Flags {
			if f := &n.r.Flags[i]; f.Early && f.Name == "C" {
				n.dir = f.Value
			}
		}
	}
	for i := range n.r.Flags {
		f := &n.r.Flags[i]
		value := f.Value
		if !f.Set {
			if value = f.Next; f.Short && len(f.Raw) > 2 && f.Raw[1] == f.Name[0] {
				value = f.Raw[2:] // the rest of the word: -o/etc/passwd
			}
		}
		if n.isElsewhere(value) && writesTo(n.r, f) {
			n.write(value)
		}
	}
	if at := outputWord(n.r); at >= 0 && at < len(n.r.Words) {
		if t := n.r.Words[at].Text; n.isElsewhere(t) {
			switch {
			case c.Name == "split":
				n.write(t + "aa")
			case c.Name == "ffmpeg" && n.r.Has("-y") == yes:
				n.put(": > ", t) // it is told not to ask before it overwrites
			default:
				n.write(t)
			}
		}
	}
	if rewrites(n.r) {
		for i := range n.r.Words {
			if t := n.r.Words[i].Text; n.isElsewhere(t) {
				n.write(t)
			}
		}
	}
}

// write takes in a file that is written.
func (n *nest) write(path string) { n.put("echo x > ", path) }

// unpack takes in a directory that an archive is unpacked in.
func (n *nest) unpack(dir string) {
	if n.isElsewhere(dir) {
		var b strings.Builder
		b.WriteString("tar -xf archive -C ")
		quote(&b, dir, false)
		n.add(b.String())
	}
}

// put takes in a command that writes a file.
func (n *nest) put(command, path string) {
	var b strings.Builder
	b.WriteString(command)
	if n.dir != "" && path[0] != '/' && path[0] != '~' {
		path = n.dir + "/" + path
	}
	if strings.HasSuffix(path, "/") {
		path += "out"
	}
	quote(&b, path, false)
	n.add(b.String())
}

// hasElsewhere is the quick look whether a call names anything that is not below
// the directory that it runs in.
func hasElsewhere(c *shell.Call) bool {
	if c.Dir != "" || c.Name == "git" && len(c.Args) > 1 && c.Args[0].Text == "-C" {
		return true
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if len(t) == 0 {
			continue
		}
		if t[0] == '/' || t[0] == '~' || strings.HasPrefix(t, "../") {
			return true
		}
		if t[0] == '-' && (strings.Contains(t, "=/") || strings.Contains(t, "=~") || strings.Contains(t, "=../") || len(t) > 2 && (t[2] == '/' || t[2] == '~')) {
			return true
		}
	}
	return false
}

// isElsewhere reports whether a path may lie outside the project, as far as its
// text and the directory that the call runs in tell.
func (n *nest) isElsewhere(path string) bool {
	if path == "" || path == "-" || strings.Contains(path, "://") {
		return false
	}
	return path[0] == '/' || path[0] == '~' || strings.HasPrefix(path, "../") || n.dir != "" && path[0] != '-' && !strings.Contains(n.dir, hole)
}

// writesTo reports whether the value of a flag is a file that is written.
func writesTo(r *reading, f *program.Flag) bool {
	if !f.Short {
		switch f.Name {
		case "output", "output-file", "outfile", "out-file", "out", "outputFile", "outFile", "log-file", "LOG-FILE", "logfile", "Logfile", "result-file", "junitxml", "junit-xml", "save-to", "dump-to", "o", "oN", "oX", "oG", "oA":
			return !readsOut(r.Call.Name)
		case "outDir", "out-dir", "outdir", "output-dir", "output-directory", "target-dir", "pack-destination", "dist-dir", "destination", "output-path":
			return !readsOut(r.Call.Name)
		case "prefix":
			return r.Call.Name == "csplit"
		}
		return strings.HasSuffix(f.Name, "_out") && r.Call.Name == "protoc"
	}
	switch f.Name {
	case "o":
		return outputsO(r)
	case "O":
		return r.Call.Name == "less"
	case "f":
		return r.Call.Name == "csplit"
	case "d":
		return r.Call.Name == "javac" || r.Call.Name == "kotlinc" || r.Call.Name == "gh-pages"
	}
	return false
}

// readsOut reports whether --output and its like are no files for a program, or
// are judged where files are.
func readsOut(name string) bool {
	switch name {
	case "kubectl", "oc", "az", "aws", "gcloud", "helm", "ps", "lsblk", "findmnt", "df", "jj", "systemctl", "journalctl", "busctl", "curl", "wget", "sort", "tar", "cp", "rsync", "tree", "gpg", "gpg2", "openssl":
		return true
	}
	return false
}

// outputsO reports whether -o names the file that a program writes.
func outputsO(r *reading) bool {
	switch r.Call.Name {
	case "dot", "neato", "circo", "fdp", "twopi", "sfdp", "osage", "iconv", "xsltproc", "eslint", "stylelint", "asciidoctor", "bison", "flex", "yacc", "byacc", "re2c", "ld", "ld.lld", "lld", "gold", "mold", "as", "nasm", "yasm",
		"strip", "msgfmt", "msgmerge", "xgettext", "shuf", "less", "yt-dlp", "youtube-dl", "plutil", "terser", "svgo", "uglifyjs", "minify", "html-minifier", "lightningcss", "tailwindcss", "postcss", "esbuild", "rollup", "ncc", "pkg", "nexe",
		"strace", "ltrace", "perf", "valgrind", "scc", "tokei", "syft", "trivy", "grype", "semgrep", "bandit", "nuclei", "ffuf", "gobuster", "k6", "vegeta", "hey", "mmdc", "plantuml", "typst", "groff", "ditaa", "inkscape", "rsvg-convert",
		"cwebp", "dwebp", "gifsicle", "sox", "img2pdf", "jsonnet", "cue", "ytt", "kompose", "pigz", "sqlcmd", "swagger", "redocly", "openapi-generator", "buf", "protoc", "swig", "cython", "nuitka", "pip-compile", "bundle", "wasm-opt", "wat2wasm", "wasm2wat":
		return true
	case "git":
		return len(r.Words) > 0 && (r.Words[0].Text == "archive" || r.Words[0].Text == "format-patch")
	case "docker", "podman", "nerdctl":
		return len(r.Words) > 0 && (r.Words[0].Text == "save" || r.Words[0].Text == "export" || r.Words[0].Text == "image")
	}
	return false
}

// outputWord is the place of the word that names the file that a program writes;
// -1 = it has none.
func outputWord(r *reading) int {
	last := len(r.Words) - 1
	switch r.Call.Name {
	case "uniq", "xxd", "pdftotext", "sass", "objcopy", "split", "ps2pdf", "pdftops", "lessc", "rsvg-convert", "qpdf", "wkhtmltopdf", "wkhtmltoimage", "csvformat", "gifsicle", "esptool", "iconvert":
		if last >= 1 {
			return last
		}
	case "convert", "magick", "gm", "montage", "composite", "ffmpeg", "sox", "pdfunite", "img2pdf":
		if last >= 0 {
			return last
		}
	case "script":
		if last >= 0 {
			return 0
		}
	case "docker", "podman", "kubectl", "oc", "nerdctl":
		if last == 2 && r.Words[0].Text == "cp" && strings.Contains(r.Words[1].Text, ":") {
			return last
		}
	case "aws":
		if last >= 3 && r.Words[0].Text == "s3" && (r.Words[1].Text == "cp" || r.Words[1].Text == "mv" || r.Words[1].Text == "sync") && strings.HasPrefix(r.Words[2].Text, "s3://") {
			return 3
		}
		if last >= 2 && r.Words[0].Text == "s3api" && r.Words[1].Text == "get-object" {
			return 2
		}
	case "gsutil":
		if last >= 2 && (r.Words[0].Text == "cp" || r.Words[0].Text == "rsync") && strings.HasPrefix(r.Words[1].Text, "gs://") {
			return last
		}
	case "gcloud":
		if last >= 3 && r.Words[0].Text == "storage" && r.Words[1].Text == "cp" && strings.HasPrefix(r.Words[2].Text, "gs://") {
			return last
		}
	case "scp":
		if last >= 1 && strings.Contains(r.Words[0].Text, ":") {
			return last
		}
	}
	return -1
}

// rewrites reports whether a program changes the files that it is given.
func rewrites(r *reading) bool {
	switch r.Call.Name {
	case "strip", "optipng", "jpegoptim", "pngquant", "mogrify", "oxipng", "gofmt", "goimports":
		return r.Call.Name != "gofmt" && r.Call.Name != "goimports" || r.Has("-w") == yes
	case "yq", "dasel":
		return r.Has("-i") == yes || r.Has("--inplace") == yes || r.Has("--in-place") == yes
	case "exiftool":
		for i := range r.Flags {
			if r.Flags[i].Set {
				return true
			}
		}
	}
	return false
}

// clientFile takes in the file that a database client is told to write: \o f,
// \copy t to 'f', .output f.
func (n *nest) clientFile(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case ".output", ".once", ".backup", ".save", ".clone", ".log", ".trace", "tee", `\o`, `\out`, `\w`, `\write`, `\t`:
		if word == `\t` {
			return
		}
		rest = strings.TrimSpace(rest)
		if i := strings.LastIndexByte(rest, ' '); i >= 0 {
			rest = rest[i+1:]
		}
	case ".archive", ".ar":
		if _, dir, ok := cutWord(rest, "-C"); ok && strings.Contains(rest, "x") {
			n.unpack(strings.Trim(dir, `'"; `))
		}
		return
	case `\copy`:
		_, behind, ok := cutWord(rest, "to")
		if !ok {
			return
		}
		if rest, _ = nextWord(behind); strings.EqualFold(rest, "stdout") || strings.EqualFold(rest, "program") {
			return
		}
	default:
		return
	}
	if rest = strings.Trim(rest, `'"; `); n.isElsewhere(rest) {
		n.write(rest)
	}
}
