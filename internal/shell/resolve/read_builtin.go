package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A readArgs holds the parsed arguments of read or mapfile.
type readArgs struct {
	names    []string
	array    bool
	raw      bool   // backslashes are literal
	delim    string // the delimiter at which a read stops
	partial  bool   // options limit how much is read
	callback bool   // mapfile -C runs a command
}

// readOptions lists the options of read and of mapfile that take a value.
const (
	readOptions    = "adinNptu"
	mapfileOptions = "dnOsuCc"
)

// parseReadArgs returns the parsed arguments of from, which is a read or mapfile command. For -u it
// changes the input of from.
func (w *walker) parseReadArgs(from *command, mapfile bool) readArgs {
	r := readArgs{array: mapfile, raw: mapfile, delim: "\n"}
	takes := readOptions
	if mapfile {
		takes = mapfileOptions
	}
	args := from.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if len(a) < 2 || a[0] != '-' {
			r.names = append(r.names, a)
			continue
		}
		for j := 1; j < len(a); j++ {
			if strings.IndexByte(takes, a[j]) < 0 {
				r.raw = r.raw || a[j] == 'r'
				continue
			}
			val := a[j+1:]
			if val == "" && i+1 < len(args) {
				i++
				val = args[i].Text
			}
			if a[j] == 'u' {
				w.setInputFd(from, val)
			}
			r.setOption(a[j], val)
			break
		}
	}
	if len(r.names) == 0 {
		r.names = []string{"REPLY"}
		if mapfile {
			r.names[0] = "MAPFILE"
		}
	}
	return r
}

// setOption applies the option letter with the value val.
func (r *readArgs) setOption(letter byte, val string) {
	switch letter {
	case 'a':
		r.array = true
		r.names = append([]string{val}, r.names...)
	case 'd':
		r.delim = (val + "\x00")[:1]
		r.partial = r.partial || strings.Contains(val, placeholder)
	case 'n', 'N', 's', 'O':
		r.partial = true
	case 'C':
		r.callback = true
	}
}

// cutInput returns what one read takes from text, and how many bytes of text it consumes.
func (r *readArgs) cutInput(text string) (val string, used int) {
	val, rest, found := strings.Cut(text, r.delim)
	if !r.raw && strings.Contains(val, `\`) {
		r.partial = true
	}
	if !found {
		return val, len(text)
	}
	return val, len(text) - len(rest)
}

// walkRead walks read, or mapfile if mapfile is true. Both set variables to their input.
func (w *walker) walkRead(c *command, mapfile bool) {
	from := *c
	r := w.parseReadArgs(&from, mapfile)
	cut := r.cutInput
	if mapfile {
		cut = nil
	}
	text, by, sure := w.takeInput(&from, cut)
	if r.callback {
		w.reportOpaque(displayWords(c.words), "runs a command for the lines that it reads")
	}
	if sure = sure && !r.partial; !sure && len(by) == 0 {
		by = []*shell.Call{expand.OpaqueSource}
	}
	switch {
	case r.array:
		w.assignReadArray(&r, text, by, sure, !mapfile)
	case !sure:
		for _, n := range r.names {
			w.assignNamed(n, shell.Word{Text: placeholder, From: by})
		}
	default:
		w.assignFields(r.names, text, by)
	}
}

// assignReadArray sets the array that r names to the words of text, or to its lines if words is false.
// If sure is false, the elements are unknown.
func (w *walker) assignReadArray(r *readArgs, text string, from []*shell.Call, sure, words bool) {
	v := expand.Variable{Name: r.names[0], Array: true}
	switch {
	case !sure:
		v.List, v.More = []shell.Word{{Text: placeholder, From: from}}, true
	case words:
		v.List = w.SplitFields(shell.Word{Text: text, From: from})
	default:
		for line := range strings.SplitSeq(strings.TrimSuffix(text, r.delim), r.delim) {
			if len(v.List) >= maxWords {
				w.reportLimit()
				break
			}
			v.List = append(v.List, shell.Word{Text: line, From: from})
		}
	}
	w.setVariable(v)
}

// assignFields sets the variables names to the fields of text, as read does. The last variable gets
// the rest.
func (w *walker) assignFields(names []string, text string, from []*shell.Call) {
	ifs := w.IFS()
	for i, n := range names {
		val := text
		if ifs == " \t\n" {
			val = strings.TrimSpace(text)
		}
		if i < len(names)-1 {
			at := strings.IndexAny(val, ifs)
			if at < 0 {
				at = len(val)
			}
			val, text = val[:at], val[min(at+1, len(val)):]
		}
		w.assignNamed(n, shell.Word{Text: val, From: from})
	}
}
