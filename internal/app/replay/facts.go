package replay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Limits of what records list; see package record.
const (
	maxRead  = 16
	maxRepos = 8
	maxFile  = 1 << 20 // bytes of a file that is compared with its record
)

// A reading holds what a decision read from the disk.
type reading struct {
	files []record.Read
	repos []record.Repo
	same  []byte // the facts of the last record with which it agreed
}

// newReading returns what the decision about ev read. The digests are those of records under key; a nil
// key means that only sizes are known.
func newReading(ev *checkrein.Event, key *[32]byte) *reading {
	repos, files := seen.ForEvent(ev).Records()
	if len(repos)+len(files) == 0 {
		return &reading{}
	}
	out := &reading{}
	for _, f := range files {
		out.files = append(out.files, record.Read{Path: f.Path, Bytes: len(f.Text), Digest: digest(key, f.Text, sha256.Size)})
	}
	for i := range repos {
		r := &repos[i]
		one := record.Repo{Dir: r.Dir, None: r.None, Head: r.Head}
		for _, d := range r.Defaults {
			one.Defaults = append(one.Defaults, record.Default{Remote: d.Remote, Ref: d.Ref})
		}
		if r.Settings != nil {
			one.Settings = digest(key, r.Settings(), 16)
		}
		out.repos = append(out.repos, one)
	}
	return out
}

// digest returns the first n bytes of the digest of text under key in hex, or "" without a key.
func digest(key *[32]byte, text string, n int) string {
	if key == nil {
		return ""
	}
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:n])
}

// differs returns a file or directory that is not as it was when the facts in raw were recorded, or "".
func (r *reading) differs(raw []byte, key *[32]byte) string {
	if len(raw) == 0 && len(r.files)+len(r.repos) == 0 || len(raw) > 0 && string(raw) == string(r.same) {
		return ""
	}
	var was record.Facts
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &was); err != nil {
			return "the record's facts"
		}
	}
	if what := r.differentFile(was.Files, key); what != "" {
		return what
	}
	for i := range r.repos {
		now := &r.repos[i]
		j := slices.IndexFunc(was.Git, func(one record.Repo) bool { return one.Dir == now.Dir })
		if j < 0 && len(was.Git) < maxRepos || j >= 0 && !sameRepo(&was.Git[j], now) {
			return now.Dir
		}
	}
	r.same = raw
	return ""
}

// differentFile returns a file that is not as it was when list was recorded, or "".
func (r *reading) differentFile(list []record.Read, key *[32]byte) string {
	for i := range list {
		f := &list[i]
		if !slices.ContainsFunc(r.files, func(now record.Read) bool { return sameFile(f, &now) }) && !isOnDisk(f, key) {
			return f.Path
		}
	}
	for i := range r.files {
		now := &r.files[i]
		if len(list) < maxRead && !slices.ContainsFunc(list, func(f record.Read) bool { return sameFile(&f, now) }) {
			return now.Path
		}
	}
	return ""
}

// sameFile reports whether a and b are the same file with the same text. If a digest is unknown, the size
// decides.
func sameFile(a, b *record.Read) bool {
	return a.Path == b.Path && a.Bytes == b.Bytes && (a.Digest == b.Digest || a.Digest == "" || b.Digest == "")
}

// isOnDisk reports whether a file is as it was when f was recorded.
func isOnDisk(f *record.Read, key *[32]byte) bool {
	text, err := state.ReadRegular(f.Path, maxFile)
	return err == nil && sameFile(f, &record.Read{Path: f.Path, Bytes: len(text), Digest: digest(key, string(text), sha256.Size)})
}

// sameRepo reports whether a and b have the same state.
func sameRepo(a, b *record.Repo) bool {
	return a.None == b.None && a.Head == b.Head && slices.Equal(a.Defaults, b.Defaults[:min(len(a.Defaults), len(b.Defaults))]) &&
		(a.Settings == b.Settings || a.Settings == "" || b.Settings == "")
}
