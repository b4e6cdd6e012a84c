package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A sizeLimit is the largest expected size of a folder in the state directory.
type sizeLimit struct {
	folder string
	bytes  int64 // 0 = no limit
	files  int   // 0 = no limit
}

// sizeLimits lists the limits of the folders in the state directory, except for the ledger's.
var sizeLimits = []sizeLimit{
	{folder: "log", bytes: 128 << 20, files: 64}, // each log has a predecessor; both have up to 10 MiB
	{folder: "sessions", bytes: 1 << 30, files: 50_000},
	{folder: "builtins", bytes: 1 << 30, files: 50_000},
	{folder: "changed", bytes: 256 << 20, files: 50_000},
	{folder: "cache", bytes: 256 << 20, files: 10_000},
}

// leftoverAge is the age above which a temporary file counts as left behind.
const leftoverAge = time.Hour

// AddState adds findings about the state directory: its permissions, locks that are held too long,
// files that killed processes left behind, and its size. keep is the configured size of the ledger in
// bytes.
func (r *Report) AddState(dir state.Dir, now time.Time, keep int64) {
	root := dir.Path()
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // it is created when first needed
	case err != nil:
		r.Add("state-unsafe", Finding{Message: message.FromError(err)})
		return
	}
	// Reading any file checks all parent directories.
	if _, err := dir.Read("trust.json", 16<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Add("state-unsafe", Finding{Message: message.FromError(err)})
		return
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && os.PathSeparator == '/' {
		r.Add("state-open", Finding{Message: message.New(fmt.Sprintf("other users can read %s (mode %04o)", root, perm), message.Run("chmod 700 "+root, ""))})
	}
	for _, name := range []string{"trust.json", state.LogFile} {
		r.checkLock(dir, name)
	}
	r.addLeftovers(root, now)
	for _, b := range append(sizeLimits, sizeLimit{folder: "ledger", bytes: keep + keep/4}) {
		r.checkSize(root, b)
	}
}

// checkLock adds a finding if the lock name of the state directory exists and cannot be taken.
func (r *Report) checkLock(dir state.Dir, name string) {
	path := dir.Path(filepath.FromSlash(name)) + ".lock"
	if _, err := os.Stat(path); err != nil {
		return
	}
	unlock, err := dir.Lock(name)
	if err != nil {
		r.Add("state-locked", Finding{Message: message.FromError(err)})
		return
	}
	unlock()
}

// addLeftovers adds a finding about old temporary files below root.
func (r *Report) addLeftovers(root string, now time.Time) {
	var list []string
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(e.Name(), ".checkrein-") || !strings.HasSuffix(e.Name(), ".tmp") {
			return nil
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > leftoverAge {
			list = append(list, path)
		}
		return nil
	})
	if len(list) > 0 {
		r.Add("state-leftover", Finding{Message: message.New(fmt.Sprintf("%s left behind by killed processes, such as %s", term.FormatCount(len(list), "file"), list[0]), message.Do("remove them: they are not in use"))})
	}
}

// checkSize adds a finding if a folder of the state directory exceeds its limit.
func (r *Report) checkSize(root string, b sizeLimit) {
	var bytes int64
	files := 0
	dir := filepath.Join(root, b.folder)
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		files++
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if b.bytes > 0 && bytes > b.bytes || b.files > 0 && files > b.files {
		remedy := message.Do("check its contents: files older than a week can be removed")
		if b.folder == "ledger" {
			remedy = message.Run("checkrein audit prune", "")
		}
		r.Add("state-large", Finding{Message: message.New(fmt.Sprintf("%s contains %s with %d MiB in total", dir, term.FormatCount(files, "file"), bytes>>20), remedy)})
	}
}

// AddLedger adds findings about the end of the ledger in dir: whether it is writable, and whether the
// records of its newest segment form a chain up to its head. audit verify checks all of the ledger.
func (r *Report) AddLedger(dir string) {
	lost := ledger.CheckCurrent(dir)
	if lost != nil {
		r.Add("ledger-damaged", Finding{Message: message.FromError(lost)})
	}
	segments, err := ledger.Segments(dir)
	switch {
	case lost != nil && (err != nil || len(segments) == 0):
		r.addUnrecordedCalls(dir, nil)
		return
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0:
		r.Add("ledger-empty", Finding{})
		return
	case err != nil:
		r.Add("ledger-damaged", Finding{Message: message.FromError(err)})
		return
	}
	if err := checkWritable(dir); err != nil && lost == nil {
		r.Add("ledger-not-writable", Finding{Message: message.New("nothing can be recorded: " + err.Error())})
	}
	end, err := r.checkTail(dir, segments[len(segments)-1].Number)
	switch {
	case err != nil && lost == nil:
		r.Add("ledger-damaged", Finding{Message: message.FromError(err)})
		return
	case lost == nil:
		r.checkHead(dir, end)
	}
	for _, why := range end.lost {
		r.Add("ledger-damaged", Finding{Message: message.New("records were lost: " + why)})
	}
	r.addUnrecordedCalls(dir, end.missed)
}

// addUnrecordedCalls adds findings about calls that could not be recorded: those in gapReasons, which
// gap records of the newest segment name, and those that no record names yet.
func (r *Report) addUnrecordedCalls(dir string, gapReasons []string) {
	for _, why := range gapReasons {
		r.Add("ledger-missed", Finding{Message: message.New(why)})
	}
	key, err := seal.ReadKey(dir)
	if err != nil {
		return // reported by checkHead
	}
	m, err := ledger.ReadMissed(dir, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.Add("ledger-damaged", Finding{Message: message.New("the number of unrecorded calls cannot be read: " + err.Error())})
	case m.Forged || len(m.Damaged) > 0 || m.IsLowered(0):
		r.Add("ledger-damaged", Finding{Message: message.New("the stored number of unrecorded calls was changed or damaged")})
	default:
		if loss := m.LossSince(0); loss.Count > 0 {
			r.Add("ledger-missed", Finding{Message: message.New(loss.String() + "; the next record will note it")})
		}
	}
}

// checkWritable returns an error if the ledger's files in dir cannot be written, or no file can be
// created there.
func checkWritable(dir string) error {
	if _, err := state.NewDir(dir).Read(ledger.HeadFile, 1<<20); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // for example because others can write to the directory
	}
	for _, name := range []string{ledger.HeadFile, ledger.CurrentFile, ledger.MissedFile} {
		f, err := state.NewDir(dir).OpenExisting(name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return err
		}
		f.Close()
	}
	f, err := os.CreateTemp(dir, ".checkrein-doctor-*.tmp") // upkeep removes files of this form if the process dies
	if err != nil {
		return err
	}
	_, err = f.WriteString("checkrein doctor\n")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// checkTail checks that the records of a segment form a chain. It returns the last record, with the
// gaps that the segment names.
func (r *Report) checkTail(dir string, segment int) (segmentEnd, error) {
	in := ledger.NewReader(dir, ledger.Position{Segment: segment})
	defer in.Close()
	var last segmentEnd
	for {
		e, err := in.Next()
		switch {
		case err == io.EOF:
			if len(in.UnfinishedLine()) > 0 {
				r.Add("ledger-torn", Finding{})
			}
			return last, nil
		case err != nil:
			return last, err
		case e.Forged:
			return last, fmt.Errorf("segment %d, offset %d: record %d was not written by a genuine writer of this ledger", e.At.Segment, e.At.Offset, e.Line.Seq)
		case e.Damaged:
			return last, fmt.Errorf("segment %d, offset %d: this line is not a record, or was changed", e.At.Segment, e.At.Offset)
		case last.Seq > 0 && (e.Line.Seq != last.Seq+1 || e.Line.Prev != last.Hash):
			return last, fmt.Errorf("segment %d, offset %d: record %d does not follow record %d", e.At.Segment, e.At.Offset, e.Line.Seq, last.Seq)
		}
		last.Seq, last.Hash = e.Line.Seq, e.Line.Hash
		if e.Line.Kind == ledger.KindGap {
			if _, ok := e.Line.MissedTotal(); ok {
				last.missed = append(last.missed, e.Line.Text("why"))
			} else {
				last.lost = append(last.lost, e.Line.Text("why"))
			}
		}
	}
}

// checkHead compares the last record with the sealed head, and adds a finding if records are missing
// or replaced.
func (r *Report) checkHead(dir string, end segmentEnd) {
	key, err := seal.ReadKey(dir)
	var data []byte
	if err == nil {
		data, err = state.ReadHead(filepath.Join(dir, ledger.HeadFile), 4<<10)
	}
	var head ledger.Head
	if err == nil {
		head, err = ledger.ParseHead(data, key)
	}
	switch {
	case err != nil:
		r.Add("ledger-damaged", Finding{Message: message.New("the ledger's head: " + err.Error())})
	case head.Seq > end.Seq:
		r.Add("ledger-damaged", Finding{Message: message.New(fmt.Sprintf("record %d was written, but the ledger now ends with record %d", head.Seq, end.Seq))})
	case head.Seq == end.Seq && head.Hash != end.Hash:
		r.Add("ledger-damaged", Finding{Message: message.New(fmt.Sprintf("record %d was replaced: it differs from the one that was written", end.Seq))})
	}
}

// A segmentEnd is the last record of a segment, with what the segment's gap records name.
type segmentEnd struct {
	Seq  uint64
	Hash ledger.Hash

	missed []string // texts of gap records about calls that could not be recorded
	lost   []string // texts of gap records about lost records
}

// AddGit adds findings about the git hooks of the repository that dir lies in, if any. They are the
// last gate before something leaves the machine, and git silently skips those that it cannot run.
func (r *Report) AddGit(ctx context.Context, dir string, environ []string) {
	l, err := githook.ReadLayer(ctx, dir, environ)
	if err != nil {
		return // dir is not in a repository, or git is not installed
	}
	if l.Setting != "" && len(l.Warnings) > 0 {
		r.Add("hookspath-missing", Finding{Message: message.New(l.Warnings[0])})
		return
	}
	for i := range l.Hooks {
		r.checkGitHook(&l.Hooks[i])
	}
	if !slices.ContainsFunc(l.Hooks, func(h githook.Hook) bool { return h.Ours }) {
		r.Add("git-not-scanned", Finding{Message: message.New("git's own hooks do not run checkrein here, so commits and pushes are not scanned for secrets")})
	}
	if l.Setting != "" {
		return
	}
	if n := len(l.Hooks); n > 0 {
		r.Add("git-hooks-untracked", Finding{Message: message.New(fmt.Sprintf("%s in %s: other clones do not have them", term.FormatCount(n, "git hook"), l.Path))})
	}
	for _, name := range []string{"hooks", ".githooks", ".husky", "git-hooks"} {
		if n := countGitHooks(filepath.Join(l.Top, name)); n > 0 && l.Path != filepath.Join(l.Top, name) {
			r.Add("git-hooks-inactive", Finding{Message: message.New(fmt.Sprintf("%s in the repository's %s directory, but git does not use that directory here", term.FormatCount(n, "git hook"), name), message.Do("review them"), message.Run("git config core.hooksPath "+name, message.Then))})
		}
	}
}

// checkGitHook adds a finding if git cannot run the hook h, or if a git setting determines which
// program h runs.
func (r *Report) checkGitHook(h *githook.Hook) {
	text, err := os.ReadFile(h.Path)
	switch {
	case err != nil:
		r.Add("git-hook-program", Finding{Message: message.New(h.Path+" "+h.Health, message.Do("remove it, or create the file it points to"))})
	case !h.Executable:
		r.Add("git-hook-not-executable", Finding{Message: message.New(h.Path+" is not executable, so git skips it", message.Run("chmod +x "+h.Path, ""))})
	case githook.UsesConfiguredProgram(text):
		r.Add("git-hook-led", Finding{Message: message.New(h.Path + " was written by an older checkrein and runs the program named in the git setting checkrein.program")})
	default:
		if program := shebangProgram(text); program != "" && !isFile(program) {
			r.Add("git-hook-program", Finding{Message: message.New(fmt.Sprintf("%s needs %s, which is missing", h.Path, program))})
		}
	}
}

// countGitHooks returns the number of git hooks in dir that can stop git.
func countGitHooks(dir string) int {
	n := 0
	for _, name := range []string{"pre-commit", "pre-push", "commit-msg", "prepare-commit-msg", "pre-merge-commit", "pre-rebase"} {
		if isFile(filepath.Join(dir, name)) {
			n++
		}
	}
	return n
}

// shebangProgram returns the program that the first line of script names after #!, or "" if there is
// none.
func shebangProgram(script []byte) string {
	line, _, _ := strings.Cut(string(script), "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return ""
	}
	return words[0]
}
