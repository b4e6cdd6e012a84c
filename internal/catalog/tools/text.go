package tools

// A Text is what an argument's name says of it where it is text of a file.
type Text uint8

// The texts.
const (
	NoText Text = iota
	OldText
	NewText    // of an edit, or all of a file
	PatchText  // a patch
	MaybePatch // what tools that take patches take them in, too
)

// TextOf reads an argument's name.
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
