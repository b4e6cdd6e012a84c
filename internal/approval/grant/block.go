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

// A Block is a call that was denied or asked about.
type Block struct {
	Handle   string    `json:"handle"`
	Sum      string    `json:"sum"` // which the handle is a part of
	At       Moment    `json:"at"`  // when it was blocked last
	Times    int       `json:"times"`
	Event    string    `json:"event"`
	Host     string    `json:"host,omitempty"`
	Session  string    `json:"session,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Call     string    `json:"call,omitempty"` // the host's id of it
	Root     string    `json:"root,omitempty"`
	Dir      string    `json:"dir,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Shown    string    `json:"shown"`             // the call, for people, without its secrets
	Whole    string    `json:"whole,omitempty"`   // all of it, where that is more
	Decision string    `json:"decision"`          // deny or ask
	Unasked  string    `json:"unasked,omitempty"` // why an ask became a denial
	By       []Decider `json:"by"`
	Binding
	Denied string `json:"denied,omitempty"` // by which denial memory knows it
	Wrong  string `json:"wrong,omitempty"`  // a person called it a false alarm, and said this
	Seal   string `json:"seal,omitempty"`   // digest of all else under the ledger's key
}

// encode is a block as its file has it, sealed: written down once, since a call waits
// for it.
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

// seal is a digest of all that a person goes by.
func (b *Block) seal(key []byte) string {
	c := *b
	c.Wrong, c.Seal = "", ""
	data, err := json.Marshal(&c)
	if err != nil {
		return ""
	}
	return sealOf(data, key)
}

func sealOf(data, key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("block\x00"))
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Sealed reports whether a block is as it was kept: a file that somebody wrote could
// show one call and be about another.
func (b *Block) Sealed(key []byte) bool {
	return b.Seal != "" && hmac.Equal([]byte(b.Seal), []byte(b.seal(key)))
}

// handleLen is how long handles are, unless two would be the same.
const handleLen = 4

// sum names a block: the same one of a session has the same name.
func (b *Block) sum(key []byte) string {
	mac := hmac.New(sha256.New, key)
	for _, s := range append(deciders(b.By), b.Host, b.Session, b.Agent, b.Root, b.Text) {
		mac.Write([]byte(s))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

func deciders(list []Decider) []string {
	var out []string
	for i := range list {
		out = append(out, list[i].Hook, list[i].File, list[i].Rule)
	}
	return out
}

// candidates are the handles that a block may have, the best first. One without a
// letter would look like the number of a record.
func candidates(sum string) []string {
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

// IsHandle reports whether a word may be the handle of a block.
func IsHandle(word string) bool {
	return len(word) >= handleLen && len(word) <= 32 && strings.Trim(word, "0123456789abcdef") == "" && strings.ContainsAny(word, "abcdef")
}

// Liftable reports whether a grant could let the call pass.
func (b *Block) Liftable() bool {
	for i := range b.By {
		if b.By[i].Final != "" {
			return false
		}
	}
	return len(b.By) > 0
}

// Command is what a person types to let the call pass. A program must be named, and
// then so must all others.
func (b *Block) Command(scope string) string {
	text := "checkrein allow " + b.Handle
	if slices.ContainsFunc(b.By, func(d Decider) bool { return d.Program }) {
		for i := range b.By {
			name := b.By[i].Name()
			if len(b.By[i].Rules) > 1 {
				name = b.By[i].Hook // one rule of several would lift that one alone
			}
			text += " --rule " + suggest.Word(name)
		}
	}
	if scope != "" {
		text += " " + scope
	}
	return text
}
