package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// pushRange returns what a push would send if it moved a ref from A to B, where words is A..B. If A is
// all zeros, the ref is new.
func pushRange(ctx context.Context, r *git.Repo, words string) (git.Push, error) {
	from, to, ok := strings.Cut(words, "..")
	if !ok || to == "" || strings.HasPrefix(to, ".") {
		return git.Push{}, fmt.Errorf("--push-range must have the form A..B, not %q; A may be all zeros", words)
	}
	u := git.Update{LocalRef: to, RemoteRef: "the remote's ref", RemoteID: strings.Repeat("0", 40)}
	id, _, ok, err := r.Resolve(ctx, to)
	if err != nil || !ok {
		return git.Push{}, errors.Join(fmt.Errorf("--push-range: object %q does not exist here", to), err)
	}
	u.LocalID = id
	if strings.Trim(from, "0") != "" {
		if u.RemoteID, _, ok, err = r.Resolve(ctx, from); err != nil || !ok {
			return git.Push{}, errors.Join(fmt.Errorf("--push-range: object %q does not exist here: fetch it, or write all zeros for a new ref", from), err)
		}
	}
	return r.ResolvePush(ctx, nil, u)
}

// saveBaseline writes the findings to the file of --write-baseline, and returns the exit code.
func (s *scanRun) saveBaseline() int {
	file := s.env.Path(s.flags.writeBaseline)
	if err := os.WriteFile(file, s.scan.Baseline.JSON(), 0o644); err != nil {
		return printError(s.env, console.Usage, "scan: writing the baseline: %v", err)
	}
	n := s.scan.Baseline.Len()
	return printError(s.env, console.Done, "scan: wrote %d finding%s to %s; review them, because later scans ignore them", n, pluralSuffix(n), s.flags.writeBaseline)
}

// unpacker returns a function that runs the companion to unpack an archive.
func unpacker(ctx context.Context, env console.Env) scan.Unpack {
	return func(archive io.Reader, yield func(string, io.Reader) error) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		child, err := process.OpenStream(ctx, process.Spec{Argv: []string{companionPath(env), "unpack"}, Dir: env.Dir, Env: env.Environ, Ticket: true})
		if err != nil {
			return fmt.Errorf("unpacking archives needs checkreind: %w", err)
		}
		sent := make(chan error, 1)
		go func() {
			_, err := io.Copy(child, archive)
			_ = child.CloseWrite()
			sent <- err
		}()
		err = scan.ReadFrames(child, yield)
		if err != nil {
			child.Stop()
		}
		_ = child.CloseWrite()
		<-sent // from here on nothing reads archive any more
		res, waitErr := child.Wait()
		if err == nil && waitErr == nil && res.Exit != 0 {
			waitErr = fmt.Errorf("checkreind unpack: exit code %d", res.Exit)
		}
		return errors.Join(err, waitErr)
	}
}

// A progress is a line on a terminal that shows how far a scan has got. If stderr is not a terminal,
// it prints nothing.
type progress struct {
	out      io.Writer
	now      func() time.Time
	next     time.Time  // when to write again
	shown    bool       // the line is on the screen
	expected func() int // estimated number of files; 0 = unknown
}

const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	barWidth      = 24
)

// newProgress returns a progress line for stderr. It prints nothing if stderr is not a terminal.
func newProgress(env console.Env) *progress {
	p := &progress{now: env.Now, expected: func() int { return 0 }}
	file, ok := env.Stderr.(*os.File)
	if !ok {
		return p
	}
	info, err := file.Stat()
	if term, _ := environ.Lookup(env.Environ, "TERM"); err == nil && info.Mode()&os.ModeCharDevice != 0 && term != "dumb" {
		p.out, p.next = file, env.Now().Add(progressAfter)
	}
	return p
}

// show updates the line if enough time has passed since the last update.
func (p *progress) show(t *scan.Totals) {
	if p.out == nil {
		return
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressEvery), true
	seen := t.Files + t.Binary + t.Compressed + t.Excluded
	bar := ""
	if all := p.expected(); all > 0 {
		full := min(barWidth, barWidth*seen/all)
		bar = "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + fmt.Sprintf("] %d%% ", min(100, 100*seen/all))
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s%d files, %d MB", bar, seen, t.Bytes>>20)
}

// clear removes the line from the screen.
func (p *progress) clear() {
	if p.shown {
		p.shown = false
		io.WriteString(p.out, "\r\x1b[K")
	}
}
