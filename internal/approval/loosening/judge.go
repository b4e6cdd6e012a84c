package loosening

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// judgeItem is the start of an item that says which model may pass over questions, and
// what it may spend, as JSON.
const judgeItem = "judge="

// A judge is what of such a setting widens or narrows it.
type judge struct {
	Model   string             `json:"model"`
	Prompt  string             `json:"prompt,omitempty"` // a digest
	Calls   int                `json:"calls"`
	Money   int                `json:"money"`
	OnSpent checkrein.Decision `json:"on_spent,omitempty"`
}

func ofJudge(s *setting.Judge) string {
	j := judge{Model: s.Model, Calls: s.Calls, Money: s.Money, OnSpent: s.OnSpent}
	if s.Prompt != "" {
		sum := sha256.Sum256([]byte(s.Prompt))
		j.Prompt = hex.EncodeToString(sum[:8])
	}
	b, err := json.Marshal(&j)
	if err != nil { // so that no other covers it
		b = []byte(s.From.String())
	}
	return judgeItem + string(b)
}

// judgeOf reads what ofJudge wrote.
func judgeOf(item string) (judge, bool) {
	var j judge
	text, ok := strings.CutPrefix(item, judgeItem)
	return j, ok && json.Unmarshal([]byte(text), &j) == nil
}

// covers reports whether a judge is the same as another one, and may spend as much.
func (j *judge) covers(o *judge) bool {
	return j.Model == o.Model && j.Prompt == o.Prompt && o.Calls <= j.Calls && o.Money <= j.Money && o.OnSpent >= j.OnSpent
}
