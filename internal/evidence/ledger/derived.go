package ledger

import "github.com/checkrein/checkrein/internal/text/rawjson"

// AppendDerived records that store, which is derived from other files, discarded an entry that was
// tampered with or damaged. what describes the entry. The store itself no longer shows that.
func (l *Ledger) AppendDerived(store, what string) error {
	b := rawjson.Object{'{'}
	b.Text("store", store)
	b.Text("what", what)
	_, err := l.Append(KindDerived, b[1:], false)
	return err
}
