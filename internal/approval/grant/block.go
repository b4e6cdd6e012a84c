package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Block is a call that was denied or that needed confirmation.
type Block struct {
	Handle   string    `json:"handle"`
	Digest   string    `json:"sum"` // the handle is a part of it
	At       Moment    `json:"at"`  // when it was last blocked
	Times    int       `json:"times"`
	Event    string    `json:"event"`
	Host     string    `json:"host,omitempty"`
	Session  string    `json:"session,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Call     string    `json:"call,omitempty"` // the host's id of the call
	Root     string    `json:"root,omitempty"`
	Dir      string    `json:"dir,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Shown    string    `json:"shown"`             // the call for people, without its secrets
	Whole    string    `json:"whole,omitempty"`   // the full text, if Shown is shorter
	Stated   string    `json:"stated,omitempty"`  // the reason that the agent itself gave
	Decision string    `json:"decision"`          // deny or ask
	Unasked  string    `json:"unasked,omitempty"` // why an ask became a denial
	By       []Decider `json:"by"`
	Binding
	Opens  *Opening `json:"opens,omitempty"`  // set if walls stopped something: the programs, and what to open next
	Denied string   `json:"denied,omitempty"` // its key in the denial memory
	Wrong  string   `json:"wrong,omitempty"`  // the comment of a person who called it a false alarm
	Seal   string   `json:"seal,omitempty"`   // digest of all other fields under the ledger's key

	Refused *Answer `json:"-"` // a person's denial, which is stored apart
}

// encode sets the seal of b and returns b as JSON. It marshals the block only once, since a call is
// waiting.
func (b *Block) encode(key []byte) ([]byte, error) {
	c := *b
	c.Wrong, c.Seal = "", ""
	data, err := json.Marshal(&c)
	if err != nil {
		return nil, err
	}
	b.Seal = sealOf(data, key)
	if b.Wrong != "" {
		return json.Marshal(b)
	}
	data = append(data[:len(data)-1], `,"seal":"`...)
	return append(append(data, b.Seal...), `"}`...), nil
}

// computeSeal returns the keyed digest of all fields that a person relies on.
func (b *Block) computeSeal(key []byte) string {
	c := *b
	c.Wrong, c.Seal = "", ""
	data, err := json.Marshal(&c)
	if err != nil {
		return ""
	}
	return sealOf(data, key)
}

// sealOf returns the seal of data, an encoded block.
func sealOf(data, key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("block\x00"))
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// HasValidSeal reports whether b is as it was stored. A forged file could show one call and apply to
// another.
func (b *Block) HasValidSeal(key []byte) bool {
	return b.Seal != "" && hmac.Equal([]byte(b.Seal), []byte(b.computeSeal(key)))
}

// handleLen is the length of handles, unless two would be equal.
const handleLen = 4

// computeDigest returns a keyed digest that identifies b. The same call, blocked again in a session,
// has the same digest.
func (b *Block) computeDigest(key []byte) string {
	mac := hmac.New(sha256.New, key)
	for _, s := range append(deciderKeys(b.By), b.Host, b.Session, b.Agent, b.Root, b.Text) {
		mac.Write([]byte(s))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// deciderKeys returns the texts that identify the deciders in list.
func deciderKeys(list []Decider) []string {
	var out []string
	for i := range list {
		out = append(out, list[i].Hook, list[i].File, list[i].Rule)
	}
	return out
}

// handleCandidates returns the handles that a block with the digest sum may have, best first. Each
// contains a letter, so that it does not look like the number of a record.
func handleCandidates(sum string) []string {
	var out []string
	for n := handleLen; n <= len(sum); n++ {
		for i := 0; i+n <= len(sum) && i < len(sum)/2; i++ {
			if h := sum[i : i+n]; strings.ContainsAny(h, "abcdef") && strings.ContainsAny(h, "0123456789") {
				out = append(out, h)
			}
		}
	}
	return out
}

// IsHandle reports whether word may be the handle of a block.
func IsHandle(word string) bool {
	return len(word) >= handleLen && len(word) <= 32 && strings.Trim(word, "0123456789abcdef") == "" && strings.ContainsAny(word, "abcdef")
}

// IsLiftable reports whether a grant could allow the call.
func (b *Block) IsLiftable() bool {
	for i := range b.By {
		if b.By[i].Final != "" {
			return false
		}
	}
	return len(b.By) > 0
}

// AllowCommand returns the command line with which a person allows the call, with scope, which may be
// "". If a program was among the deciders, the command must name all of them.
func (b *Block) AllowCommand(scope string) string {
	text := "checkrein allow " + b.Handle
	if slices.ContainsFunc(b.By, func(d Decider) bool { return d.Program }) {
		for i := range b.By {
			name := b.By[i].Name()
			if len(b.By[i].Rules) > 1 {
				name = b.By[i].Hook // naming one of several rules would lift only that one
			}
			text += " --rule " + suggest.QuoteWord(name)
		}
	}
	if scope != "" {
		text += " " + scope
	}
	return text
}
