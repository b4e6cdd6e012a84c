package ledger

import "github.com/checkrein/checkrein/internal/text/rawjson"

// AppendDerived records that an entry of a store was tampered with or damaged and was discarded. The
// store itself no longer shows that.
func (l *Ledger) AppendDerived(store, what string) error {
	b := rawjson.Object{'{'}
	b.Text("store", store)
	b.Text("what", what)
	_, err := l.Append(KindDerived, b[1:], false)
	return err
}
