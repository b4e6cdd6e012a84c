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

// Folder is the folder of the certificates in the state directory.
const Folder = "proofs"

const timeForm = "20060102T150405Z"

// FileName returns the name of the certificate of a host's proof.
func FileName(host string, began time.Time) string {
	return Folder + "/" + host + "-" + began.UTC().Format(timeForm) + ".json"
}

// maxSize limits the size of a certificate.
const maxSize = 4 << 20

// Certificates reads the certificates in a state directory. It is a [capability.Witness].
type Certificates struct {
	Dir state.Dir
	// Verify returns the proof of a certificate that this machine signed. Without it every certificate
	// counts: a proof only restricts, and checking signatures is too much for a program that starts
	// with every call.
	Verify func(file []byte) (json.RawMessage, error)
}

// proofTimes returns when proofs of a host began according to file names, newest first.
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

// Latest returns when the newest proof of a host began according to file names; zero = there is none.
func (p Certificates) Latest(host string) time.Time {
	if list := p.proofTimes(host); len(list) > 0 {
		return list[0]
	}
	return time.Time{}
}

// After returns the newest proof of a host that began after a time and counts; nil = there is none. A
// proof in which the host did nothing does not count.
func (p Certificates) After(host string, t time.Time) (*capability.Build, error) {
	var wrong []error
	for _, at := range p.proofTimes(host) {
		if !at.After(t) {
			break
		}
		b, err := p.read(host, at)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: %w", p.Dir.Path(FileName(host, at)), err))
		case b.Proven.After(t) && b.Rows[capability.DenyShell] != capability.NotShown:
			return b, errors.Join(wrong...)
		}
	}
	return nil, errors.Join(wrong...)
}

func (p Certificates) read(host string, at time.Time) (*capability.Build, error) {
	file, err := p.Dir.Read(FileName(host, at), maxSize)
	if err != nil {
		return nil, err
	}
	verify := p.Verify
	if verify == nil {
		verify = proofUnverified
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

// proofUnverified returns the proof of a certificate without checking its signature.
func proofUnverified(file []byte) (json.RawMessage, error) {
	if err := rawjson.CheckObject(file); err != nil {
		return nil, err
	}
	proof, _ := rawjson.Get(file, "proof")
	return proof, nil
}
