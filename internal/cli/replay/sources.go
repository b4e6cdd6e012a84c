package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// transcriptsWord names the transcripts on this machine as a source.
const transcriptsWord = "transcripts"

// findSources returns the sources that args name; the default is the user's own ledger.
func findSources(env *console.Env, args []string) ([]replay.Source, error) {
	if len(args) == 0 {
		dir, err := records.LedgerFlag("").BegunDir(env)
		return []replay.Source{{Ledger: dir}}, err
	}
	var out []replay.Source
	for _, arg := range args {
		list, err := findSource(env, arg)
		if err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: err}
		}
		out = append(out, list...)
	}
	return out, nil
}

// findSource returns the sources that arg names.
func findSource(env *console.Env, arg string) ([]replay.Source, error) {
	if of, ok := strings.CutPrefix(arg, transcriptsWord); ok && (of == "" || of[0] == ':') {
		return findTranscripts(env, strings.TrimPrefix(of, ":"))
	}
	path := env.Path(arg)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		for _, dir := range [...]string{path, filepath.Join(path, ledger.Folder)} {
			if segments, err := ledger.Segments(dir); err == nil && len(segments) > 0 {
				return []replay.Source{{Ledger: dir}}, nil
			}
		}
		return nil, fmt.Errorf("%s is not the directory of a ledger", arg)
	}
	if hasEvents(path) {
		return []replay.Source{{File: path, Dir: env.Dir}}, nil
	}
	for _, form := range setups.Transcripts() {
		file := transcript.File{Host: form.Host, Form: form, Path: path, Size: info.Size(), Time: info.ModTime()}
		if r, err := file.Read(transcript.Options{}, func(*transcript.Call) error { return nil }); err == nil && r.Calls > 0 {
			return []replay.Source{{Transcript: &file, Dir: env.Dir}}, nil
		}
	}
	return nil, fmt.Errorf("%s has no records, events or calls that checkrein can read: give a ledger, the output of checkrein audit export, events as agents send them, one per line, or a transcript", arg)
}

// hasEvents reports whether the first line of the file at path is a record or an event.
func hasEvents(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := r.ReadSlice('\n')
		line = bytes.TrimSpace(line)
		if len(line) == 0 && err == nil {
			continue
		}
		if len(line) == 0 || rawjson.CheckObject(line) != nil {
			return false
		}
		_, hasSeq := rawjson.Get(line, "seq")
		_, wrong := host.ReadAny(line, "")
		return hasSeq || wrong == nil
	}
}

// findTranscripts returns the transcripts on this machine, of one host or of all.
func findTranscripts(env *console.Env, of string) ([]replay.Source, error) {
	forms := setups.Transcripts()
	if of != "" && !slices.Contains(forms.Hosts(), of) {
		return nil, fmt.Errorf("%s: no transcripts of %q can be read, only those of %s", transcriptsWord, of, strings.Join(forms.Hosts(), ", "))
	}
	var out []replay.Source
	for _, file := range forms.Find(environ.Home(env.Environ), env.Environ) {
		if of == "" || file.Host == of {
			out = append(out, replay.Source{Transcript: &file, Dir: env.Dir})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there are no transcripts of %s", cmp.Or(of, "agents"))
	}
	return out, nil
}
