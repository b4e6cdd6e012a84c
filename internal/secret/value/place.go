package value

// A Place describes where a value was found, and what that suggests.
type Place uint32

const (
	// What the name suggests.
	OfPassword   Place = 1 << iota // a password
	OfCredential                   // credentials, which a person may have chosen
	OfSecret                       // a secret or a secret key, which a person may have chosen
	OfKey                          // a key of something that has keys
	OfDigest                       // a checksum
	OfCount                        // tokens, which may be counted
	NameLast                       // the name ends in the telling word
	Bare                           // the name is only the word pass

	// What is between name and value.
	Equals
	Colon
	Blank
	Listed // a comma or a bracket: both are arguments
	Angle  // the end of a tag

	// What is around the value.
	Quoted    // by quotes
	Enclosed  // by quotes or something else
	Tight     // nothing is between name, operator and value
	Held      // tight or enclosed
	MayBeCode // neither held nor after a colon: it may be code
	OwnLine   // the name starts its line
	Literal   // quoted, or tight and on a line of its own
	Last      // nothing more follows: it ends its line or sentence
	JSONText  // from JSON, not code
	Among     // beside other settings
	InWords   // name and value are in brackets within a text
	UserNear  // a user is named before it
	PlainText // a word says that an unencrypted password follows
	Opened    // after a bracket
	Apart     // after more than one space
	Led       // a word leads to name and value: with password v
)
