package loosening

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// judgeItem is the prefix of an item that holds, as JSON, which model may answer questions in place of
// a person, and what it may spend.
const judgeItem = "judge="

// A judgeScope holds the fields of a judge that widen or narrow it.
type judgeScope struct {
	Model   string             `json:"model"`
	Prompt  string             `json:"prompt,omitempty"` // a digest
	Calls   int                `json:"calls"`
	Money   int                `json:"money"`
	OnSpent checkrein.Decision `json:"on_spent,omitempty"`
}

// encodeJudge returns the item for s.
func encodeJudge(s *setting.Judge) string {
	j := judgeScope{Model: s.Model, Calls: s.Calls, Money: s.Money, OnSpent: s.OnSpent}
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

// decodeJudge decodes item, which encodeJudge returned. It reports false for other items.
func decodeJudge(item string) (judgeScope, bool) {
	var j judgeScope
	text, ok := strings.CutPrefix(item, judgeItem)
	return j, ok && json.Unmarshal([]byte(text), &j) == nil
}

// includes reports whether o is the same judge as j and may spend no more.
func (j *judgeScope) includes(o *judgeScope) bool {
	return j.Model == o.Model && j.Prompt == o.Prompt && o.Calls <= j.Calls && o.Money <= j.Money && o.OnSpent >= j.OnSpent
}
