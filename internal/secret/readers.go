package secret

import (
	"github.com/checkrein/checkrein/internal/secret/pii"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A readerRow is how a reader looks at hits, and what its findings count.
type readerRow struct {
	// look looks at the anchor of the rule from start to end. What has no anchor
	// has no look: a probe finds it.
	look    func(f *search.Finder, rule, start, end int)
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
	rules.ByShape:           {look: reader.LookShape, rank: ofShape},
	rules.ByAWSID:           {look: reader.LookAWSID, rank: ofShape},
	rules.ByName:            {look: reader.LookNamed, rank: ofVendor},
	rules.ByGeneric:         {look: reader.LookKeyName, rank: ofName},
	rules.ByPassword:        {look: reader.LookPasswordName, rank: ofName, repeats: true},
	rules.ByCall:            {look: reader.LookCall, rank: ofContext, repeats: true},
	rules.ByTyping:          {look: reader.LookTyping, rank: ofContext, repeats: true},
	rules.ByClient:          {look: reader.LookClient, rank: ofContext},
	rules.ByCommand:         {look: reader.LookCommand, rank: ofContext, repeats: true},
	rules.ByLogin:           {look: reader.LookLogin, rank: ofContext, repeats: true},
	rules.ByTool:            {look: reader.LookTool, rank: ofContext},
	rules.ByGiven:           {look: reader.LookGiven, rank: ofContext, repeats: true},
	rules.BySecureString:    {look: reader.LookSecureString, rank: ofContext, repeats: true},
	rules.ByPiped:           {look: reader.LookPiped, rank: ofContext, repeats: true},
	rules.ByURL:             {look: reader.LookURL, rank: ofContext, repeats: true},
	rules.ByDSN:             {look: reader.LookDSN, rank: ofContext, repeats: true},
	rules.ByThin:            {look: reader.LookThin, rank: ofContext},
	rules.ByCookie:          {look: reader.LookCookie, rank: ofContext},
	rules.ByCurl:            {look: reader.LookCurl, rank: ofContext},
	rules.ByUserAndPassword: {look: reader.LookUserAndPassword, rank: ofContext},
	rules.ByDockerAuth:      {look: reader.LookDockerAuth, rank: ofContext},
	rules.ByHeader:          {look: reader.LookHeader, rank: ofContext},
	rules.ByBasic:           {look: reader.LookBasic, rank: ofContext},
	rules.ByJWK:             {look: reader.LookJWK, rank: ofContext},
	rules.ByJWT:             {look: reader.LookJWT, rank: ofShape},
	rules.ByKube:            {look: reader.LookKube, rank: ofContext},
	rules.ByNetrc:           {look: reader.LookNetrc, rank: ofContext, repeats: true},
	rules.ByPgpass:          {look: reader.LookPgpass, rank: ofContext, repeats: true},
	rules.ByRun:             {rank: ofShape},
	rules.ByKeyed:           {look: reader.LookKeyed, rank: ofContext},
	rules.ByKeyBlock:        {look: reader.LookKeyBlock, rank: ofShape},
	rules.ByPutty:           {look: reader.LookPutty, rank: ofContext},
	rules.ByIdentified:      {look: reader.LookIdentified, rank: ofContext, repeats: true},
	rules.ByPair:            {look: reader.LookPair, rank: ofContext, repeats: true},
	rules.ByParted:          {look: reader.LookParted, rank: ofContext},
	rules.ByXprv:            {look: reader.LookXprv, rank: ofShape},
	rules.ByDigits:          {rank: ofPerson},
	rules.ByEmail:           {look: pii.LookEmail, rank: ofPerson},
	rules.ByPhone:           {look: pii.LookPhone, rank: ofPerson},
	rules.ByIPv4:            {look: pii.LookIPv4, rank: ofPlace},
	rules.ByIPv6:            {look: pii.LookIPv6, rank: ofPlace},
	rules.ByHost:            {look: pii.LookHost, rank: ofPlace},
	rules.ByPath:            {look: pii.LookPath, rank: ofPlace},
}
