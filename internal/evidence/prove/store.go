package prove

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/capability/proofs"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// The directory of proofs in the state directory has one certificate per proof, and each piece of evidence
// under its digest.
const (
	folder         = proofs.Folder
	evidenceFolder = folder + "/seen"
)

const (
	// maxProofs is how many proofs of a host are stored.
	maxProofs = 3
	// maxSeen limits the size of one piece of evidence. Longer ones are truncated.
	maxSeen = 32 << 20
)

// A Store stores proofs in the state directory.
type Store struct{ Dir state.Dir }

// A StoredProof is a proof in the store.
type StoredProof struct {
	Proof
	File string // the path of its certificate
}

// Save signs p with the machine's key and stores it with its evidence. It returns the path of the
// certificate.
func (s Store) Save(p *Proof) (string, error) {
	key, err := OpenKey(s.Dir)
	if err != nil {
		return "", err
	}
	for i := range p.Evidence {
		e := &p.Evidence[i]
		if err := s.Dir.Write(evidenceFolder+"/"+e.Digest, e.Content); err != nil {
			return "", fmt.Errorf("saving the evidence: %w", err)
		}
	}
	file, err := key.Sign(p)
	if err != nil {
		return "", err
	}
	name := proofs.FileName(p.Host, p.Began)
	if err := s.Dir.Write(name, file); err != nil {
		return "", fmt.Errorf("saving the proof: %w", err)
	}
	return s.Dir.Path(name), s.pruneProofs()
}

// Witness returns the stored proofs as a witness of capabilities. Only proofs that this machine signed
// count.
func (s Store) Witness() capability.Witness {
	return proofs.Certificates{Dir: s.Dir, Verify: func(file []byte) (json.RawMessage, error) {
		if !s.Dir.Has(KeyFile) {
			return nil, errors.New("the machine's key is missing, so the certificate cannot be verified")
		}
		key, err := OpenKey(s.Dir)
		if err != nil {
			return nil, err
		}
		return VerifyCertificate(file, key.Public())
	}}
}

// All returns the stored proofs sorted by host, newest first. The error lists files that this machine
// did not sign, or that were changed; the other proofs are returned nevertheless.
func (s Store) All() ([]StoredProof, error) {
	names, err := s.certificateNames()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	key, err := OpenKey(s.Dir)
	if err != nil {
		return nil, err
	}
	var out []StoredProof
	var wrong []error
	for _, name := range names {
		k := StoredProof{File: s.Dir.Path(folder, name)}
		file, err := s.Dir.Read(folder+"/"+name, MaxCertificate)
		if err == nil {
			var text []byte
			if text, err = VerifyCertificate(file, key.Public()); err == nil {
				err = json.Unmarshal(text, &k.Proof)
			}
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s is not shown: %w", k.File, err))
			continue
		}
		out = append(out, k)
	}
	slices.SortStableFunc(out, func(a, b StoredProof) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), b.Began.Compare(a.Began))
	})
	return out, errors.Join(wrong...)
}

// certificateNames returns the file names of the stored certificates.
func (s Store) certificateNames() ([]string, error) {
	names, err := s.Dir.Names(folder)
	if state.IsMissing(err) {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".json") }), err
}

// MinDigestLen is how many digits of a digest are needed to identify a piece of evidence.
const MinDigestLen = 8

// IsDigest reports whether s may be a digest, or a long enough beginning of one.
func IsDigest(s string) bool {
	return len(s) >= MinDigestLen && len(s) <= 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// IsShortDigest reports whether s may be the beginning of a digest, but is too short to identify one.
func IsShortDigest(s string) bool {
	return s != "" && len(s) < MinDigestLen && strings.Trim(s, "0123456789abcdef") == ""
}

// ReadEvidence returns the evidence whose digest begins with digest. It returns an error if there is
// not exactly one, or if its contents no longer match the digest.
func (s Store) ReadEvidence(digest string) ([]byte, error) {
	names, err := s.Dir.Names(evidenceFolder)
	if err != nil && !state.IsMissing(err) {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, digest) })
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("no evidence begins with %s: checkrein prove --show AGENT lists what is kept", digest)
	case len(names) > 1:
		return nil, fmt.Errorf("%d pieces of evidence begin with %s: enter more of the digest", len(names), digest)
	}
	b, err := s.Dir.Read(evidenceFolder+"/"+names[0], maxSeen)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != names[0] {
		return nil, fmt.Errorf("%s was changed after it was kept: run checkrein prove again", s.Dir.Path(evidenceFolder, names[0]))
	}
	return b, nil
}

// pruneProofs removes all but the newest maxProofs proofs of each host, and evidence that no proof
// refers to.
func (s Store) pruneProofs() error {
	names, err := s.certificateNames()
	if err != nil {
		return err
	}
	slices.Sort(names) // names contain the time
	count, used := map[string]int{}, map[string]bool{}
	for _, name := range slices.Backward(names) {
		of := name[:max(0, strings.LastIndexByte(name, '-'))]
		if count[of]++; count[of] > maxProofs {
			if err := s.Dir.Remove(folder + "/" + name); err != nil {
				return err
			}
			continue
		}
		file, err := s.Dir.Read(folder+"/"+name, MaxCertificate)
		if err != nil {
			return err
		}
		var c struct {
			Proof struct {
				Evidence []Evidence `json:"evidence"`
			} `json:"proof"`
		}
		if json.Unmarshal(file, &c) != nil {
			continue // reported when proofs are listed
		}
		for _, e := range c.Proof.Evidence {
			used[e.Digest] = true
		}
	}
	kept, err := s.Dir.Names(evidenceFolder)
	if err != nil {
		return err
	}
	for _, digest := range kept {
		if !used[digest] {
			if err := s.Dir.Remove(evidenceFolder + "/" + digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// HasResults reports whether the run came far enough to judge the host, which is when the row
// DenyShell has a result.
func (p *Proof) HasResults() bool { return p.Rows()[capability.DenyShell] != capability.NotShown }

// optionalRows lists the rows that cannot be tested with some hosts.
var optionalRows = []capability.Row{capability.DenyMCP, capability.DenySubagent, capability.DenyEditor, capability.AskEditor}

// IsComplete reports whether every row has a known result, where only optional rows may be NotShown.
func (p *Proof) IsComplete() bool {
	got := p.Rows()
	for _, row := range proofRows {
		switch got[row.id] {
		case capability.Honoured, capability.NotHonoured, capability.Differs, capability.Cannot:
		case capability.NotShown:
			if !slices.Contains(optionalRows, row.id) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
