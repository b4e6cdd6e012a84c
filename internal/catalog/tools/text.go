package tools

// A Text tells what part of an edit an argument holds, according to its name.
type Text uint8

// The kinds of text.
const (
	NoText Text = iota
	OldText
	NewText    // the new text of an edit, or of a whole file
	PatchText  // a patch
	MaybePatch // arguments in which some tools also take patches
)

// TextOf returns what part of an edit the argument key holds.
func TextOf(key string) Text {
	switch meaningOf([]byte(key)) {
	case isOld:
		return OldText
	case isContent, isNew:
		return NewText
	case isPatch:
		return PatchText
	case isCommand, isInput:
		return MaybePatch
	}
	return NoText
}
