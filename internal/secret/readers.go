package secret

// A readerRow is how a reader looks at hits, and what its findings count.
type readerRow struct {
	// look looks at the anchor of the rule from start to end. What has no anchor
	// has no look: a probe finds it.
	look    func(f *Finder, rule, start, end int)
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
	ByShape:           {look: LookShape, rank: ofShape},
	ByAWSID:           {look: LookAWSID, rank: ofShape},
	ByName:            {look: LookNamed, rank: ofVendor},
	ByGeneric:         {look: LookKeyName, rank: ofName},
	ByPassword:        {look: LookPasswordName, rank: ofName, repeats: true},
	ByCall:            {look: LookCall, rank: ofContext, repeats: true},
	ByLiteral:         {look: LookLiteral, rank: ofContext},
	ByTyping:          {look: LookTyping, rank: ofContext, repeats: true},
	ByClient:          {look: LookClient, rank: ofContext},
	BySet:             {look: LookSet, rank: ofContext},
	ByCommand:         {look: LookCommand, rank: ofContext, repeats: true},
	ByLogin:           {look: LookLogin, rank: ofContext, repeats: true},
	ByTool:            {look: LookTool, rank: ofContext},
	ByGiven:           {look: LookGiven, rank: ofContext, repeats: true},
	BySecureString:    {look: LookSecureString, rank: ofContext, repeats: true},
	ByPiped:           {look: LookPiped, rank: ofContext, repeats: true},
	ByEchoed:          {look: LookEchoed, rank: ofContext, repeats: true},
	ByDecoded:         {look: LookDecoded, rank: ofContext},
	ByWritten:         {look: LookWritten, rank: ofContext},
	ByURL:             {look: LookURL, rank: ofContext, repeats: true},
	ByDSN:             {look: LookDSN, rank: ofContext, repeats: true},
	ByThin:            {look: LookThin, rank: ofContext},
	ByCookie:          {look: LookCookie, rank: ofContext},
	BySession:         {look: LookSession, rank: ofContext},
	ByCurl:            {look: LookCurl, rank: ofContext},
	ByUserAndPassword: {look: LookUserAndPassword, rank: ofContext},
	ByDockerAuth:      {look: LookDockerAuth, rank: ofContext},
	ByHeader:          {look: LookHeader, rank: ofContext},
	ByBasic:           {look: LookBasic, rank: ofContext},
	ByJWK:             {look: LookJWK, rank: ofContext},
	ByJWT:             {look: LookJWT, rank: ofShape},
	ByKube:            {look: LookKube, rank: ofContext},
	ByShown:           {look: LookShown, rank: ofContext},
	ByNetrc:           {look: LookNetrc, rank: ofContext, repeats: true},
	ByPgpass:          {look: LookPgpass, rank: ofContext, repeats: true},
	BySetUser:         {look: LookSetUser, rank: ofContext},
	ByUserSetting:     {look: LookUserSetting, rank: ofContext},
	ByRun:             {rank: ofShape},
	ByKeyed:           {look: LookKeyed, rank: ofContext},
	ByKeyBlock:        {look: LookKeyBlock, rank: ofShape},
	ByPutty:           {look: LookPutty, rank: ofContext},
	ByDialogue:        {look: LookDialogue, rank: ofContext},
	ByNewValue:        {look: LookNewValue, rank: ofContext},
	ByIdentified:      {look: LookIdentified, rank: ofContext, repeats: true},
	ByPair:            {look: LookPair, rank: ofContext, repeats: true},
	ByParted:          {look: LookParted, rank: ofContext},
	ByXprv:            {look: LookXprv, rank: ofShape},
	ByDigits:          {rank: ofPerson},
	ByEmail:           {look: LookEmail, rank: ofPerson},
	ByPhone:           {look: LookPhone, rank: ofPerson},
	ByIPv4:            {look: LookIPv4, rank: ofPlace},
	ByIPv6:            {look: LookIPv6, rank: ofPlace},
	ByHost:            {look: LookHost, rank: ofPlace},
	ByPath:            {look: LookPath, rank: ofPlace},
}
