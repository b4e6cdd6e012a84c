package value

// Place is where a value was met, and what that says.
type Place uint32

const (
	// What the name says.
	OfPassword   Place = 1 << iota // a password
	OfCredential                   // credentials, which somebody may have chosen
	OfSecret                       // a secret or a secret key, which somebody may have chosen
	OfKey                          // a key for something that has keys
	OfDigest                       // a checksum
	OfCount                        // tokens, which may be counted
	NameLast                       // the name ends in the word that says so
	Bare                           // the name is only the word pass

	// What is between name and value.
	Equals
	Colon
	Blank
	Listed // a comma or a bracket: both are arguments
	Angle  // of a tag

	// What is around the value.
	Quoted    // by quotes
	Enclosed  // by quotes or something else
	Tight     // nothing is between name, operator and value
	Held      // tight or enclosed
	MayBeCode // not held, nor behind a colon: it may be code
	OwnLine   // the name starts its line
	Literal   // quoted, or tight and on a line of its own
	Last      // nothing more follows: it ends its line or sentence
	JSONText  // of JSON, not of code
	Among     // other settings are beside it
	InWords   // name and value are in brackets of a text
	UserNear  // a user is named before it
	PlainText // a word says that a password follows as it is
	Opened    // a bracket is before it
	Apart     // more than one blank is before it
	Led       // a word leads to name and value: with password v
)
