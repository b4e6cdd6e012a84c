package secret

// A readerRow is how a reader looks at hits, and what its findings count.
type readerRow struct {
	// look looks at the anchor of the rule from start to end. What has no anchor
	// has no look: a probe finds it.
	look    func(f *finder, rule, start, end int)
	rank    rank
	repeats bool // what it finds are passwords, which are looked for near by once more
}

// rank orders rules that see the same thing: the larger knows better.
type rank int8

const (
	ofPlace   rank = iota // a private place
	ofPerson              // personal data
	ofName                // the value has a name that says something, and no shape
	ofContext             // the place says that it is a secret
	ofVendor              // the name is a vendor's, and the value has its shape
	ofShape               // the secret is known by itself
)

// readers has a row for each reader of rules.
var readers = [...]readerRow{
	byShape:           {look: (*finder).lookShape, rank: ofShape},
	byAWSID:           {look: (*finder).lookAWSID, rank: ofShape},
	byName:            {look: (*finder).lookNamed, rank: ofVendor},
	byGeneric:         {look: (*finder).lookKeyName, rank: ofName},
	byPassword:        {look: (*finder).lookPasswordName, rank: ofName, repeats: true},
	byCall:            {look: (*finder).lookCall, rank: ofContext, repeats: true},
	byLiteral:         {look: (*finder).lookLiteral, rank: ofContext},
	byTyping:          {look: (*finder).lookTyping, rank: ofContext, repeats: true},
	byClient:          {look: (*finder).lookClient, rank: ofContext},
	bySet:             {look: (*finder).lookSet, rank: ofContext},
	byCommand:         {look: (*finder).lookCommand, rank: ofContext, repeats: true},
	byLogin:           {look: (*finder).lookLogin, rank: ofContext, repeats: true},
	byTool:            {look: (*finder).lookTool, rank: ofContext},
	byGiven:           {look: (*finder).lookGiven, rank: ofContext, repeats: true},
	bySecureString:    {look: (*finder).lookSecureString, rank: ofContext, repeats: true},
	byPiped:           {look: (*finder).lookPiped, rank: ofContext, repeats: true},
	byEchoed:          {look: (*finder).lookEchoed, rank: ofContext, repeats: true},
	byDecoded:         {look: (*finder).lookDecoded, rank: ofContext},
	byWritten:         {look: (*finder).lookWritten, rank: ofContext},
	byURL:             {look: (*finder).lookURL, rank: ofContext, repeats: true},
	byDSN:             {look: (*finder).lookDSN, rank: ofContext, repeats: true},
	byThin:            {look: (*finder).lookThin, rank: ofContext},
	byCookie:          {look: (*finder).lookCookie, rank: ofContext},
	bySession:         {look: (*finder).lookSession, rank: ofContext},
	byCurl:            {look: (*finder).lookCurl, rank: ofContext},
	byUserAndPassword: {look: (*finder).lookUserAndPassword, rank: ofContext},
	byDockerAuth:      {look: (*finder).lookDockerAuth, rank: ofContext},
	byHeader:          {look: (*finder).lookHeader, rank: ofContext},
	byBasic:           {look: (*finder).lookBasic, rank: ofContext},
	byJWK:             {look: (*finder).lookJWK, rank: ofContext},
	byJWT:             {look: (*finder).lookJWT, rank: ofShape},
	byKube:            {look: (*finder).lookKube, rank: ofContext},
	byShown:           {look: (*finder).lookShown, rank: ofContext},
	byNetrc:           {look: (*finder).lookNetrc, rank: ofContext, repeats: true},
	byPgpass:          {look: (*finder).lookPgpass, rank: ofContext, repeats: true},
	bySetUser:         {look: (*finder).lookSetUser, rank: ofContext},
	byUserSetting:     {look: (*finder).lookUserSetting, rank: ofContext},
	byRun:             {rank: ofShape},
	byKeyed:           {look: (*finder).lookKeyed, rank: ofContext},
	byKeyBlock:        {look: (*finder).lookKeyBlock, rank: ofShape},
	byPutty:           {look: (*finder).lookPutty, rank: ofContext},
	byDialogue:        {look: (*finder).lookDialogue, rank: ofContext},
	byNewValue:        {look: (*finder).lookNewValue, rank: ofContext},
	byIdentified:      {look: (*finder).lookIdentified, rank: ofContext, repeats: true},
	byPair:            {look: (*finder).lookPair, rank: ofContext, repeats: true},
	byParted:          {look: (*finder).lookParted, rank: ofContext},
	byXprv:            {look: (*finder).lookXprv, rank: ofShape},
	byDigits:          {rank: ofPerson},
	byEmail:           {look: (*finder).lookEmail, rank: ofPerson},
	byPhone:           {look: (*finder).lookPhone, rank: ofPerson},
	byIPv4:            {look: (*finder).lookIPv4, rank: ofPlace},
	byIPv6:            {look: (*finder).lookIPv6, rank: ofPlace},
	byHost:            {look: (*finder).lookHost, rank: ofPlace},
	byPath:            {look: (*finder).lookPath, rank: ofPlace},
}
