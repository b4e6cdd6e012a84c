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
	searching sync.WaitGroup // texts that are being searched
	mu        sync.Mutex
	rules     []string
	ids       []string // ids in the markers of the secrets
}

// maxSecrets limits how many secrets of a result are remembered.
const maxSecrets = 1024

// addFrom adds the secrets in text, with the ids of their markers if key is not nil.
func (s *foundSecrets) addFrom(key *placeholder.Key, text string) {
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

// wait returns once all texts of the result have been searched.
func (s *foundSecrets) wait() {
	s.searching.Wait()
	slices.Sort(s.rules)
}

// hasMarker reports whether one of the secrets has an id that is in markers.
func (s *foundSecrets) hasMarker(markers []string) bool {
	return slices.ContainsFunc(s.ids, func(id string) bool { return slices.Contains(markers, id) })
}

// A secretScan searches texts for secrets in other goroutines while a transcript is read, since that
// is most of the work.
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
	longText = 64 << 10 // longer texts are searched immediately, so that they do not wait in memory
)

// startScan starts the goroutines of a scan. key computes the ids of markers and may be nil.
func startScan(key *placeholder.Key) secretScan {
	s := secretScan{key: key, texts: make(chan scanJob, maxTexts), done: new(sync.WaitGroup)}
	for range min(4, runtime.GOMAXPROCS(0)) {
		s.done.Go(func() {
			for t := range s.texts {
				t.into.addFrom(key, t.text)
				t.into.searching.Done()
			}
		})
	}
	return s
}

// search adds the secrets in text to into, now if text is long and otherwise by into.wait.
func (s *secretScan) search(into *foundSecrets, text string) {
	if len(text) > longText {
		into.addFrom(s.key, text)
		return
	}
	into.searching.Add(1)
	s.texts <- scanJob{into, text}
}

// stop waits until all texts have been searched, and ends the goroutines.
func (s *secretScan) stop() {
	close(s.texts)
	s.done.Wait()
}
