package secret

// place is where a value was met, and what that says.
type place uint32

const (
	// What the name says.
	ofPassword   place = 1 << iota // a password
	ofCredential                   // credentials, which somebody may have chosen
	ofSecret                       // a secret or a secret key, which somebody may have chosen
	ofKey                          // a key for something that has keys
	ofDigest                       // a checksum
	nameLast                       // the name ends in the word that says so
	bare                           // the name is only the word pass

	// What is between name and value.
	equals
	colon
	blank
	listed // a comma or a bracket: both are arguments
	angle  // of a tag

	// What is around the value.
	quoted    // by quotes
	enclosed  // by quotes or something else
	tight     // nothing is between name, operator and value
	held      // tight or enclosed
	mayBeCode // not held, nor behind a colon: it may be code
	ownLine   // the name starts its line
	literal   // quoted, or tight and on a line of its own
	last      // nothing more follows: it ends its line or sentence
	jsonText  // of JSON, not of code
	among     // other settings are beside it
	inWords   // name and value are in brackets of a text
	userNear  // a user is named before it
	plainText // a word says that a password follows as it is
	opened    // a bracket is before it
	apart     // more than one blank is before it
	led       // a word leads to name and value: with password v
)
