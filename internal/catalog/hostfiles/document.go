package hostfiles

import (
	"bytes"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// parse parses text, the text of the file, in the file's format. An empty text is an empty object.
func (f *File) parse(text []byte) (rawjson.Value, error) {
	doc := []byte("{}")
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case f.Form == hosts.TOML:
		tables, err := tomldoc.Parse(text)
		if err != nil {
			return rawjson.Value{}, err
		}
		doc = tables.JSON()
	case f.Form == hosts.YAML:
		root, _, err := yamldoc.Parse(text)
		if err != nil {
			return rawjson.Value{}, err
		}
		if !root.IsNull() {
			doc = root.JSON()
		}
	default:
		doc = rawjson.Uncomment(text)
	}
	return rawjson.ParseValue(doc)
}
