package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Code that the text wrote in a language that is not read can do anything once it
// is compiled and run. Where it has none of the words by which programs touch
// files, other programs or the network, it only computes.

// A builder is a program that makes programs of sources, or runs them.
type builder struct {
	name  string
	runs  string // the subcommands that run what they make; "*" = it always does
	every bool   // it takes the sources that lie in the directory
}

// acting are the words by which code in the languages that isSource knows touches files,
// programs, the network or memory as it likes. It is sorted.
var acting = [...]string{
	"Assembly", "Child", "Command", "DatagramSocket", "Directory", "DllImport", "File", "FileChannel", "FileManager", "FileOutputStream", "FileStream", "FileWriter", "Files",
	"HttpClient", "HttpURLConnection", "OpenOptions", "PrintWriter", "Process", "ProcessBuilder", "RandomAccessFile", "Runtime", "ScriptEngine", "ServerSocket", "Socket",
	"StreamWriter", "TcpClient", "TcpListener", "TcpStream", "URI", "URL", "UdpClient", "UdpSocket", "Unsafe", "WebClient", "__asm", "__asm__", "__attribute__", "asm",
	"connect", "creat", "deleteRecursively", "dlopen", "dlsym", "filesystem", "fopen", "forName", "fork", "freopen", "fs", "fstream", "ftruncate", "include_bytes", "invoke", "ioctl", "libc",
	"load", "loadLibrary", "mmap", "mprotect", "native", "nix", "ofstream", "open", "openat", "popen", "ptrace", "reflect", "rename", "rmdir", "sendto", "socket", "symlink", "syscall",
	"system", "truncate", "unlink", "unlinkat", "unsafe", "vfork", "writeText",
}

// isSource reports whether a file is a source, and whether its words say what it
// can do.
func isSource(path string) (source, words bool) {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return false, false
	}
	switch path[dot+1:] {
	case "c", "h", "cc", "cpp", "cxx", "hpp", "java", "kt", "rs", "cs":
		return true, true
	case "m", "mm", "d", "zig", "nim", "v", "s", "S", "asm", "f90", "f", "pas", "adb", "scala", "kts", "cr", "cu", "gradle", "csproj", "fs", "vb", "swift":
		return true, false
	}
	return false, false
}

// isActing reports whether a source has words by which it can do more than compute.
func isActing(text string) bool {
	if strings.Contains(text, hole) || strings.Contains(text, "##") || strings.Contains(text, `\u`) || strings.Contains(text, "??") {
		return true
	}
	for i := 0; i < len(text); {
		if !startsName(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && (startsName(text[i]) || text[i] >= '0' && text[i] <= '9') {
			i++
		}
		word := text[from:i]
		if _, found := slices.BinarySearch(acting[:], word); found || strings.HasPrefix(word, "exec") || strings.HasPrefix(word, "posix_spawn") || strings.HasPrefix(word, "remove_") || word == "remove" && strings.Contains(text, "#include") {
			return true
		}
	}
	return false
}

// builds follows a program that compiles or runs sources of the text.
func (w projects) builds(call *shell.Call, c *command) {
	rows := rowsOf(builders[:], call.Name)
	if len(rows) == 0 {
		return
	}
	b := &rows[0]
	src := w.actingSource(call, c, b)
	if src == "" {
		return
	}
	if b.runsNow(call.Args) || call.Name == "cargo" && strings.HasSuffix(src, "build.rs") {
		w.opaque(show(c.words), "runs "+brief(src)+", which this command writes and checkrein cannot read")
		return
	}
	w.compiled = src
}

// runsNow reports whether the program runs what it makes.
func (b *builder) runsNow(args []shell.Word) bool {
	if b.runs == "*" {
		return true
	}
	return b.runs != "" && slices.ContainsFunc(args, func(a shell.Word) bool { return facts.InList(b.runs, a.Text) })
}

// actingSource is a source of the text that a program takes and that does more
// than compute.
func (w projects) actingSource(call *shell.Call, c *command, b *builder) string {
	takes := func(f *file) bool {
		source, words := isSource(f.base)
		return source && f.seq > 0 && !f.dir && w.pay(len(f.text)) && (!words || !f.sure || isActing(f.text))
	}
	for _, a := range call.Args {
		if a.Text == "-" && call.In != nil && call.In.Sure && isActing(call.In.Text) {
			return "its input"
		}
		if f := w.fileAt(a.Text, &c.context); f != nil && takes(f) {
			return f.path
		}
	}
	if b.every {
		for i := range w.files {
			if takes(&w.files[i]) {
				return w.files[i].path
			}
		}
	}
	return ""
}

// made notes when a program runs that was compiled of text that is not read.
func (w projects) made(c *command, path string) {
	if f := w.fileAt(path, &c.context); f != nil && f.seq > 0 && f.sure {
		return
	}
	if dir, _, ok := cutLast(path); ok && hasPrograms(dir) {
		return
	}
	w.opaque(show(c.words), "runs a program built from "+brief(w.compiled)+", which checkrein cannot read")
}
