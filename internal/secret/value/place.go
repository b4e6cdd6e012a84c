package value

// A Place describes where a value was found, and what that suggests.
type Place uint32

const (
	// What the name suggests about the value.
	OfPassword   Place = 1 << iota // a password
	OfCredential                   // credentials, which a user may have chosen
	OfSecret                       // a secret or a secret key, which a user may have chosen
	OfKey                          // some kind of key
	OfDigest                       // a checksum
	OfCount                        // a number of tokens
	NameLast                       // the name ends in the word that suggests a secret
	Bare                           // the name is just pass, which has other meanings

	// What is between name and value.
	Equals
	Colon
	Blank
	Listed // a comma or an opening bracket, so that the name or both are arguments
	Angle  // the > that closes a tag

	// What is around the value.
	Quoted    // quotes enclose it
	Enclosed  // quotes, tags, braces or other delimiters enclose it
	Tight     // no space is between name, operator and value
	Held      // Tight or Enclosed
	MayBeCode // neither Held nor after a colon, so it may be an identifier in code
	OwnLine   // the name starts its line
	Literal   // Quoted, or Tight and OwnLine
	Last      // it is the last word of its line or sentence
	JSONText  // it is from JSON, not from code
	Among     // the adjacent lines are settings
	InWords   // name and value are in brackets within prose
	UserNear  // a user name precedes it
	PlainText // the word before it announces an unencrypted password
	Opened    // it follows an opening bracket
	Apart     // more than one space precedes it
	Led       // a word introduces name and value: with password v
)
