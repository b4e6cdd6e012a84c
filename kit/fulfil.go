package kit

import "encoding/json"

// fulfil makes of an outcome what its host is sent: a block gets a handle and a text, and
// a call that may run its secrets. It returns the arguments as only the host may have
// them; nil = they are those of the outcome.
func (k *Kit) fulfil(t *turn) json.RawMessage {
	if b := k.offerGrant(t); b != nil {
		t.out.Told = blockText(&t.event, &t.out, b)
	}
	k.countCall(&t.event, &t.out)
	return k.restoreSecrets(&t.out)
}
