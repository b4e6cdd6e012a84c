package misses

import (
	"runtime"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// secrets are what was found in the texts of a call's result.
type secrets struct {
	under sync.WaitGroup // texts that are being looked at
	mu    sync.Mutex
	rules []string
	ids   []string // by which markers name them
}

// maxSecrets bounds how many secrets of a result are told from each other.
const maxSecrets = 1024

func (s *secrets) find(key *placeholder.Key, text string) {
	for _, f := range secret.Find(nil, text, secret.Secrets) {
		if secret.Guesses(f.Rule) {
			continue // likely and not certain
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

// wait returns once all texts were looked at.
func (s *secrets) wait() {
	s.under.Wait()
	slices.Sort(s.rules)
}

// marked reports whether a secret was there that one of some markers stands for.
func (s *secrets) marked(markers []string) bool {
	return slices.ContainsFunc(s.ids, func(id string) bool { return slices.Contains(markers, id) })
}

// A scan looks for secrets beside the reading of a transcript: that is most of the work.
type scan struct {
	key   *placeholder.Key
	texts chan scanned
	done  *sync.WaitGroup
}

type scanned struct {
	into *secrets
	text string
}

const (
	maxTexts = 32       // that wait
	longText = 64 << 10 // is looked at on the spot, so that no long ones wait
)

func startScan(key *placeholder.Key) scan {
	s := scan{key: key, texts: make(chan scanned, maxTexts), done: new(sync.WaitGroup)}
	for range min(4, runtime.GOMAXPROCS(0)) {
		s.done.Go(func() {
			for t := range s.texts {
				t.into.find(key, t.text)
				t.into.under.Done()
			}
		})
	}
	return s
}

// look notes which secrets a text has in it, now or soon.
func (s *scan) look(into *secrets, text string) {
	if len(text) > longText {
		into.find(s.key, text)
		return
	}
	into.under.Add(1)
	s.texts <- scanned{into, text}
}

func (s *scan) stop() {
	close(s.texts)
	s.done.Wait()
}
