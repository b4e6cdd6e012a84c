package misses

import (
	"runtime"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// A foundSecrets holds the secrets that were found in the texts of a call's result.
type foundSecrets struct {
	under sync.WaitGroup // texts that are being searched
	mu    sync.Mutex
	rules []string
	ids   []string // ids in the markers of the secrets
}

// maxSecrets limits how many secrets of a result are tracked.
const maxSecrets = 1024

func (s *foundSecrets) findIn(key *placeholder.Key, text string) {
	for _, f := range secret.Find(nil, text, secret.Secrets) {
		if secret.ReliesOnName(f.Rule) {
			continue // likely, but not certain
		}
		s.mu.Lock()
		if !slices.Contains(s.rules, f.Rule) {
			s.rules = append(s.rules, f.Rule)
		}
		if key != nil && len(s.ids) < maxSecrets {
			s.ids = append(s.ids, key.ID(text[f.Start:f.End]))
		}
		s.mu.Unlock()
	}
}

// wait returns once all texts have been searched.
func (s *foundSecrets) wait() {
	s.under.Wait()
	slices.Sort(s.rules)
}

// hasMarked reports whether one of the secrets has one of the markers.
func (s *foundSecrets) hasMarked(markers []string) bool {
	return slices.ContainsFunc(s.ids, func(id string) bool { return slices.Contains(markers, id) })
}

// A secretScan searches for secrets while a transcript is read, since that is most of the work.
type secretScan struct {
	key   *placeholder.Key
	texts chan scanJob
	done  *sync.WaitGroup
}

type scanJob struct {
	into *foundSecrets
	text string
}

const (
	maxTexts = 32       // texts that wait
	longText = 64 << 10 // longer texts are searched at once, so that they do not wait in memory
)

func startScan(key *placeholder.Key) secretScan {
	s := secretScan{key: key, texts: make(chan scanJob, maxTexts), done: new(sync.WaitGroup)}
	for range min(4, runtime.GOMAXPROCS(0)) {
		s.done.Go(func() {
			for t := range s.texts {
				t.into.findIn(key, t.text)
				t.into.under.Done()
			}
		})
	}
	return s
}

// search records which secrets are in a text, now or soon.
func (s *secretScan) search(into *foundSecrets, text string) {
	if len(text) > longText {
		into.findIn(s.key, text)
		return
	}
	into.under.Add(1)
	s.texts <- scanJob{into, text}
}

func (s *secretScan) stop() {
	close(s.texts)
	s.done.Wait()
}
