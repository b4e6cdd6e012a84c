// Package proofs reads the certificates of proofs for the capability ledger, so that removing the
// ledger or restoring an older one does not hide what was proven.
package proofs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Folder is the directory of the certificates in the state directory.
const Folder = "proofs"

const timeForm = "20060102T150405Z"

// FileName returns the name of the certificate for a host's proof that began at this time.
func FileName(host string, began time.Time) string {
	return Folder + "/" + host + "-" + began.UTC().Format(timeForm) + ".json"
}

// maxSize limits the size of a certificate.
const maxSize = 4 << 20

// Certificates reads the certificates in a state directory. It implements [capability.Witness].
type Certificates struct {
	Dir state.Dir
	// Verify returns the proof in a certificate, or an error unless this machine signed it. If Verify
	// is nil, every certificate counts: a proof only restricts, and checking signatures is too slow for
	// a program that is started for every call.
	Verify func(file []byte) (json.RawMessage, error)
}

// proofTimes returns when the proofs of a host began according to the file names, newest first.
func (p Certificates) proofTimes(host string) []time.Time {
	names, err := p.Dir.Names(Folder)
	if err != nil {
		return nil
	}
	var out []time.Time
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, host+"-")
		rest, is := strings.CutSuffix(rest, ".json")
		if t, err := time.Parse(timeForm, rest); ok && is && err == nil {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b time.Time) int { return b.Compare(a) })
	return out
}

// LatestTime returns when the newest proof of a host began according to the file names, or zero if
// there is none.
func (p Certificates) LatestTime(host string) time.Time {
	if list := p.proofTimes(host); len(list) > 0 {
		return list[0]
	}
	return time.Time{}
}

// NewestAfter returns the newest proof of a host that began after t and counts, or nil if there is
// none. A proof in which the host did nothing does not count. The error lists newer certificates that
// could not be read.
func (p Certificates) NewestAfter(host string, t time.Time) (*capability.Build, error) {
	var wrong []error
	for _, at := range p.proofTimes(host) {
		if !at.After(t) {
			break
		}
		b, err := p.readProof(host, at)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: %w", p.Dir.Path(FileName(host, at)), err))
		case b.Proven.After(t) && b.Rows[capability.DenyShell] != capability.NotShown:
			return b, errors.Join(wrong...)
		}
	}
	return nil, errors.Join(wrong...)
}

// readProof reads the certificate of the host's proof that began at this time.
func (p Certificates) readProof(host string, at time.Time) (*capability.Build, error) {
	file, err := p.Dir.Read(FileName(host, at), maxSize)
	if err != nil {
		return nil, err
	}
	verify := p.Verify
	if verify == nil {
		verify = extractProof
	}
	text, err := verify(file)
	if err != nil {
		return nil, err
	}
	var proof struct {
		Host      string             `json:"host"`
		Version   string             `json:"version"`
		Program   capability.Program `json:"program"`
		Mode      string             `json:"mode"`
		Began     time.Time          `json:"began"`
		Checkrein string             `json:"checkrein"`
		Outcomes  []struct {
			Row    capability.Row    `json:"row"`
			Result capability.Result `json:"result"`
		} `json:"outcomes"`
	}
	if err := json.Unmarshal(text, &proof); err != nil {
		return nil, err
	}
	if proof.Host != host {
		return nil, fmt.Errorf("it is a proof of %q", proof.Host)
	}
	b := &capability.Build{Version: proof.Version, Program: proof.Program, Mode: proof.Mode, Proven: proof.Began, Checkrein: proof.Checkrein, Rows: map[capability.Row]capability.Result{}}
	for _, o := range proof.Outcomes {
		b.Rows[o.Row] = o.Result
	}
	return b, nil
}

// extractProof returns the proof in a certificate without checking the signature.
func extractProof(file []byte) (json.RawMessage, error) {
	if err := rawjson.CheckObject(file); err != nil {
		return nil, err
	}
	proof, _ := rawjson.Get(file, "proof")
	return proof, nil
}
