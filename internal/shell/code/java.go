package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// javaFiles are options of java that name a file which it writes, up to the name.
// Sorted.
var javaFiles = [...]string{
	"-XX:AOTCacheOutput=", "-XX:ArchiveClassesAtExit=", "-XX:ErrorFile=", "-XX:HeapDumpPath=", "-XX:LogFile=", "-XX:ReplayDataFile=", "-Xloggc:",
}

// javaValues are options of java that take the next word.
const javaValues = "-cp -classpath --class-path -p --module-path --add-modules --add-exports --add-opens --add-reads --limit-modules --upgrade-module-path --source --patch-module --describe-module -d"

// runJava reads the options by which java writes files, and a source that it runs.
func runJava(c *shell.Call) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o, lang: java}
	for i := range c.Env {
		if v := &c.Env[i]; v.Name == "JAVA_TOOL_OPTIONS" || v.Name == "JDK_JAVA_OPTIONS" || v.Name == "_JAVA_OPTIONS" {
			for w := range strings.FieldsSeq(v.Value.Text) {
				r.javaOption(w)
			}
		}
	}
	found := false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		switch {
		case facts.InList(javaValues, w):
			i++
		case w == "-jar" || w == "-m" || w == "--module":
			i = len(c.Args)
		case strings.HasPrefix(w, "-"):
			r.javaOption(w)
		default:
			if text, have, sure := scriptText(c, w); have && sure && strings.HasSuffix(w, ".java") {
				o.read(text, java, &job{args: c.Args[i+1:], env: c.Env, input: inputOf(c), files: c.Files}, false)
				found = true
			}
			i = len(c.Args)
		}
	}
	if !found && len(o.nested) == 0 && len(o.effects) == 0 {
		return nil, nil, false
	}
	return o.finish(c)
}

// javaOption takes the file that an option of java names.
func (r *reader) javaOption(w string) {
	for _, opt := range javaFiles {
		if path, ok := strings.CutPrefix(w, opt); ok {
			r.writes("> ", expandHome(known(path)), 0)
			return
		}
	}
	switch {
	case strings.HasPrefix(w, "-Xlog:"): // what:output:decorators:options
		parts := strings.SplitN(w, ":", 5)
		if len(parts) > 2 && parts[2] != "" && parts[2] != "stdout" && parts[2] != "stderr" {
			r.writes("> ", known(strings.Trim(strings.TrimPrefix(parts[2], "file="), `"`)), 0)
		}
	case strings.HasPrefix(w, "-XX:StartFlightRecording"):
		for opt := range strings.FieldsFuncSeq(w, func(c rune) bool { return c == ',' || c == ':' || c == '=' && !strings.Contains(w, "filename") }) {
			if _, path, ok := strings.Cut(opt, "filename="); ok {
				r.writes("> ", known(path), 0)
			}
		}
	}
}
