package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Each write of a sealed file of the state directory is recorded, together with the generations of all
// sealed files. The head contains these too, so that readers need not search for them, and so does the
// first record of each segment, since old segments are pruned.

// SealedDir returns dir with the ledger in it as the sealer of its files.
func SealedDir(dir state.Dir) state.Dir {
	return dir.WithSealer(Open(Options{Dir: dir}).Sealer())
}

// Sealer returns the sealer of the state directory's sealed files.
func (l *Ledger) Sealer() state.Sealer { return &sealer{Ledger: l} }

// A sealer caches the secret, and for a moment the generations, since one event needs them more than
// once.
type sealer struct {
	*Ledger
	secret atomic.Pointer[state.Secret]
	last   atomic.Pointer[generations]
}

type generations struct {
	all state.Generations
	at  time.Time
}

// generationsTTL is how long generations are cached. A file with an older generation than the cached
// one is not valid either.
const generationsTTL = 5 * time.Millisecond

func (s *sealer) Secret(create bool) (*state.Secret, error) {
	if secret := s.secret.Load(); secret != nil {
		return secret, nil
	}
	secret, err := s.SecretFunc(LabelStores)(create)
	if err == nil {
		s.secret.Store(secret)
	}
	return secret, err
}

func (s *sealer) Generations(fresh bool) (state.Generations, error) {
	if last := s.last.Load(); !fresh && last != nil && time.Since(last.at) < generationsTTL {
		return last.all, nil
	}
	now := time.Now()
	all, err := s.Ledger.Generations()
	if err == nil {
		all = s.applyChanges(all)
		s.last.Store(&generations{all, now})
	}
	return all, err
}

func (s *sealer) SetGeneration(name string, g state.Generation) error {
	defer s.last.Store(nil)
	return s.Ledger.SetGeneration(name, g)
}

// SetGeneration records g as the generation of the sealed file name. A generation that means "not
// written yet" is stored only in the head. If the ledger is opened for an event, the event's record
// carries the change, unless another writer has recorded a newer generation by then.
func (l *Ledger) SetGeneration(name string, g state.Generation) error {
	change := func(all state.Generations) state.Generations {
		if last, _ := all.Lookup(name); last.N > g.N {
			return all
		}
		return all.With(name, g)
	}
	switch {
	case l.opts.Event:
		l.mu.Lock()
		l.changes = append(l.changes, change)
		l.mu.Unlock()
		return nil
	case g == state.Generation{Gone: true}:
		_, err := l.appendWithRepair("", nil, appendOptions{stores: change})
		return err
	}
	return l.recordGenerations(name, change)
}

// applyChanges returns all with the changes applied that wait for the next record.
func (l *Ledger) applyChanges(all state.Generations) state.Generations {
	l.mu.Lock()
	defer l.mu.Unlock()
	if all == "" && len(l.changes) > 0 {
		all = l.opts.Dir.UnsealedGenerations() // as the next record will contain them
	}
	for _, change := range l.changes {
		all = change(all)
	}
	return all
}

// AcceptGenerations records that a person checked the sealed files, so that none of them counts as
// lost any more.
func (l *Ledger) AcceptGenerations() error {
	return l.recordGenerations("", state.Generations.MarkComplete)
}

// recordGenerations records that change applies to the generations, because the sealed file name was
// written. The record is synced to disk.
func (l *Ledger) recordGenerations(name string, change func(state.Generations) state.Generations) error {
	members := append([]byte(`"store":`), rawjson.Quote(name)...)
	_, err := l.appendWithRepair(KindSealed, members, appendOptions{sync: true, stores: change})
	return err
}

// maxHeadReads is how many times a reader reads a head that writers may be changing.
const maxHeadReads = 5

// Generations returns the generations of the sealed files. It takes no lock and writes nothing. It
// reads only the head, unless that does not match the current segment.
func (l *Ledger) Generations() (state.Generations, error) {
	var head Head
	var headErr error
	wait := 200 * time.Microsecond
	for try := range maxHeadReads {
		if try == 1 { // the writers of this process wait from now on
			files := &queueOf(l.opts.Dir.Path(Folder)).files
			files.Lock()
			defer files.Unlock()
		}
		time.Sleep(time.Duration(try) * wait)
		data, err := l.opts.disk.Peek(HeadFile, maxHead) // the head has its own seal
		if err != nil && !state.IsMissing(err) {
			return "", err
		}
		if len(data) == 0 && l.isNew() {
			return state.NoGenerations, nil
		}
		if !l.keyed.Load() && !l.hasKey() {
			return state.LostGenerations, nil
		}
		key, err := l.Key()
		if err != nil {
			return "", err
		}
		if head, headErr = l.parseHeadCached(data, key); headErr == nil && head.Size == l.opts.disk.Size(CurrentFile) {
			return head.Stores, nil
		}
		if errors.Is(headErr, ErrNoHead) { // or the first writer has not written it yet
			wait = 2 * time.Millisecond
		}
	}
	return l.searchGenerations(&head, headErr)
}

// isNew reports whether the ledger has no segment.
func (l *Ledger) isNew() bool {
	if l.opts.disk.Size(CurrentFile) >= 0 {
		return false
	}
	w := writer{Ledger: l}
	last, err := w.lastSegment()
	return err == nil && last == 0
}

func (l *Ledger) hasKey() bool { return l.opts.disk.Size(KeyFile) >= 0 }

// searchGenerations returns the generations according to the newest segment, was, the head on disk,
// and headErr, the error of parsing it.
func (l *Ledger) searchGenerations(was *Head, headErr error) (state.Generations, error) {
	key, err := l.Key()
	if err != nil {
		return "", err
	}
	w := writer{Ledger: l, key: key, seals: key.Seals()}
	found, err := w.surveySegment(CurrentFile, was)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if found.records == 0 {
		last, err := w.lastSegment()
		if err != nil {
			return "", err
		}
		if last > 0 {
			if found, err = w.surveySegment(SegmentFile(last), was); err != nil {
				return "", err
			}
		}
	}
	return w.latestStores(&found, was, headErr), nil
}

// latestStores returns the generations according to found, a segment, and was, the head that was on
// disk. It marks them as lost if there is no valid head, or if the record that the head names is
// missing, since newer ones may be missing as well. A missing record after a reboot does not count,
// because records about sealed files are synced to disk.
func (w *writer) latestStores(found *segmentSurvey, was *Head, headErr error) state.Generations {
	if headErr != nil {
		return found.end.Stores.MarkLost()
	}
	latest := found.end.Stores.MergeLatest(was.Stores)
	if boot, _ := w.opts.Clock(); found.hasHead || was.Boot != boot {
		return latest
	}
	if last, err := w.lastSegment(); err != nil || !w.containsHead(was, last) {
		return latest.MarkLost()
	}
	return latest
}

// StoresOf returns the generations in the record line. It reports false if there are none, or if the
// record is not sealed.
func StoresOf(line *Line) (state.Generations, bool) {
	if !line.Sealed || !bytes.Contains(line.Raw, []byte(storesKey)) {
		return "", false
	}
	return state.ParseGenerations(line.Text("stores"))
}

// StoresAfter returns the generations after the record line, given those before it. A record that was
// inserted a second time does not make any of them older.
func StoresAfter(before state.Generations, line *Line) state.Generations {
	g, ok := StoresOf(line)
	switch {
	case !ok:
		return before
	case !g.IsBehind(before):
		return g
	case g.AreLost():
		return before.MergeLatest(g)
	}
	return before.MergeLatest(g).MarkComplete()
}
