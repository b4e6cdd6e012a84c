package ledger

import "github.com/checkrein/checkrein/internal/text/rawjson"

// AppendDerived records that something in a store was not as it was written and was
// thrown away: the store itself cannot tell that any more.
func (l *Ledger) AppendDerived(store, what string) error {
	b := rawjson.Object{'{'}
	b.Text("store", store)
	b.Text("what", what)
	_, err := l.Append(KindDerived, b[1:], false)
	return err
}
