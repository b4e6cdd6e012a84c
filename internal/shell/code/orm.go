package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// rows judges calls by which libraries delete rows and objects. Many of their
// names are also those of harmless methods of lists and maps, so what is passed
// to them decides.
func (r *reader) rows(e *entry, v value, args []value, from int) {
	words := r.snippet(from)
	first := positional(args, 0, "")
	gone := false
	switch e.op {
	case opDestroy:
		gone = true
	case opDestroyArg: // Model::destroy(1); a session's has no argument
		gone = len(args) > 0
	case opTruncateRows: // a table's; that of a text takes a length
		gone = len(args) == 0 && (v.recv == nil || v.recv.form != text) || first.form == text && !first.num
	case opRepoDelete: // a text's has an argument too
		gone = len(args) == 0 || strings.Contains(v.text, "Repo.")
	case opDeleteBare:
		gone = len(args) == 0 || r.modelCall(v) || hasKey(first, "where")
		if v.recv != nil && v.recv.class == "file" { // Bun.file('x').delete()
			p := known(v.recv.text)
			r.runs("rm -- " + quote(&p))
			return
		}
	case opDeleteWhere:
		gone = hasKey(first, "where truncate") || first.form == list && len(first.items) == 0 && len(args) > 0
	case opTableDrop:
		gone = len(args) == 0 || strings.Contains(words, "__table__")
	case opUpdateAll:
		if strings.HasSuffix(e.name, "update_all") || strings.Contains(words, ".objects.update(") || strings.Contains(words, ".all().update(") {
			r.note(shell.Effect{Label: shell.Destructive, Kind: "update", Category: shell.SQLUpdate, Radius: shell.RadiusMedium, Words: words,
				Reason: "changes every row of a table"})
		}
		return
	case opPrune:
		if strings.Contains(words, "containers") || strings.Contains(words, "volumes") || strings.Contains(words, "images") || strings.Contains(words, "networks") {
			r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DKPrune, Radius: shell.RadiusHigh, Words: words,
				Reason: "deletes containers, images or volumes that are not in use"})
		}
		return
	case opQueueClear:
		if strings.Contains(words, "Sidekiq") || strings.Contains(words, "Resque") {
			r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.MsgDelete, Radius: shell.RadiusHigh, Words: words, Reason: "empties a queue"})
		}
		return
	case opArtisan:
		if first.form == text {
			r.runs("php artisan " + first.text)
		}
		return
	}
	if gone {
		r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Radius: shell.RadiusMedium, Words: words,
			Reason: "deletes rows or objects of the application"})
	}
}

// modelCall reports whether a method belongs to a class whose rows it deletes:
// User.delete(5).
func (r *reader) modelCall(v value) bool {
	if r.lang != ruby || v.recv != nil {
		return false
	}
	head, _, _ := strings.Cut(v.text, ".")
	switch head {
	case "ENV", "Hash", "Array", "Set", "Rails", "Thread", "ObjectSpace", "Map", "List", "Keyword", "MapSet", "String", "Enum", "Process", "Registry":
		return false
	}
	return head != "" && head[0] >= 'A' && head[0] <= 'Z' && strings.ToUpper(head) != head && !strings.Contains(strings.ToLower(v.text), "cache")
}

// hasKey reports whether an object is given under one of the names.
func hasKey(v value, names string) bool {
	if v.key != "" && hasWord(names, v.key) {
		return true
	}
	if v.form != list {
		return false
	}
	for i := range v.items {
		if v.items[i].key != "" && hasWord(names, v.items[i].key) {
			return true
		}
	}
	return false
}
