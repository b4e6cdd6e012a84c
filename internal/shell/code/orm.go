package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// rows judges calls by which libraries delete rows and objects. Many of their
// names are also those of harmless methods of lists and maps, so what is passed
// to them decides.
func (r *reader) rows(e *entry, v value, args []value, from int) {
	words := r.snippet(from)
	first := positional(args, 0, "")
	switch {
	case e.op == opUpdateAll:
		if strings.HasSuffix(e.name, "update_all") || hasAny(words, ".objects.update(", ".all().update(") {
			r.does(&updatesAll, words)
		}
	case e.op == opPrune:
		if hasAny(words, "containers", "volumes", "images", "networks") {
			r.does(&prunes, words)
		}
	case e.op == opQueueClear:
		if hasAny(words, "Sidekiq", "Resque") {
			r.does(&emptiesQueue, words)
		}
	case e.op == opArtisan:
		if first.form == text {
			r.runs("php artisan " + first.text)
		}
	case e.op == opDeleteBare && v.recv != nil && v.recv.class == "file": // Bun.file('x').delete()
		p := known(v.recv.text)
		r.runs("rm -- " + quote(&p))
	case r.deletesRows(e.op, v, args, words):
		r.does(&deletesObjects, words)
	}
}

// deletesRows reports whether a call deletes rows, by what is passed to it.
func (r *reader) deletesRows(o op, v value, args []value, words string) bool {
	first, none := positional(args, 0, ""), len(args) == 0
	switch o {
	case opDestroy:
		return true
	case opDestroyArg: // Model::destroy(1); a session's has no argument
		return !none
	case opTruncateRows: // a table's; that of a text takes a length
		return none && (v.recv == nil || v.recv.form != text) || first.form == text && !first.num
	case opRepoDelete: // a text's has an argument too
		return none || strings.Contains(v.text, "Repo.")
	case opDeleteBare:
		return none || r.modelCall(v) || hasKey(first, "where")
	case opDeleteWhere:
		return hasKey(first, "where truncate") || first.form == list && len(first.items) == 0 && !none
	case opTableDrop:
		return none || strings.Contains(words, "__table__")
	}
	return false
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
	if v.key != "" && facts.InList(names, v.key) {
		return true
	}
	if v.form != list {
		return false
	}
	for i := range v.items {
		if v.items[i].key != "" && facts.InList(names, v.items[i].key) {
			return true
		}
	}
	return false
}
