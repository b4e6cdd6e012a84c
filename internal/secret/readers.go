package secret

import (
	"github.com/checkrein/checkrein/internal/secret/pii"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A readerRow holds a reader and the rank of its findings.
type readerRow struct {
	// find adds the findings around the anchor of the rule, which extends from start to end.
	// It is nil for rules without an anchor, whose findings come from a probe.
	find    func(f *search.Finder, rule, start, end int)
	rank    rank
	repeats bool // it finds passwords, whose repetitions nearby are searched for
}

// A rank orders rules that find the same thing. The rule with the higher rank describes it better.
type rank int8

const (
	ofPlace   rank = iota // a private place
	ofPerson              // personal data
	ofName                // a value that only its name marks as a secret
	ofContext             // a value that its context marks as a secret
	ofVendor              // a value with the name and the form of a vendor's keys
	ofShape               // a value that is recognisable by itself
)

// readers holds the row of each reader in package rules.
var readers = [...]readerRow{
	rules.ByShape:           {find: reader.FindToken, rank: ofShape},
	rules.ByAWSID:           {find: reader.FindAWSKeyID, rank: ofShape},
	rules.ByName:            {find: reader.FindVendorValue, rank: ofVendor},
	rules.ByGeneric:         {find: reader.FindNamedKey, rank: ofName},
	rules.ByPassword:        {find: reader.FindNamedPassword, rank: ofName, repeats: true},
	rules.ByCall:            {find: reader.FindCallPassword, rank: ofContext, repeats: true},
	rules.ByTyping:          {find: reader.FindTypedPassword, rank: ofContext, repeats: true},
	rules.ByClient:          {find: reader.FindClientKey, rank: ofContext},
	rules.ByCommand:         {find: reader.FindCommandPassword, rank: ofContext, repeats: true},
	rules.ByLogin:           {find: reader.FindLoginPassword, rank: ofContext, repeats: true},
	rules.ByTool:            {find: reader.FindToolKey, rank: ofContext},
	rules.ByGiven:           {find: reader.FindFlagSecret, rank: ofContext, repeats: true},
	rules.BySecureString:    {find: reader.FindSecureString, rank: ofContext, repeats: true},
	rules.ByPiped:           {find: reader.FindPipedPassword, rank: ofContext, repeats: true},
	rules.ByURL:             {find: reader.FindURLPassword, rank: ofContext, repeats: true},
	rules.ByDSN:             {find: reader.FindDSNPassword, rank: ofContext, repeats: true},
	rules.ByThin:            {find: reader.FindOraclePassword, rank: ofContext},
	rules.ByCookie:          {find: reader.FindSessionCookies, rank: ofContext},
	rules.ByCurl:            {find: reader.FindCurlPassword, rank: ofContext},
	rules.ByUserAndPassword: {find: reader.FindUserPassword, rank: ofContext},
	rules.ByDockerAuth:      {find: reader.FindDockerAuth, rank: ofContext},
	rules.ByHeader:          {find: reader.FindHeaderCredential, rank: ofContext},
	rules.ByBasic:           {find: reader.FindBasicCredential, rank: ofContext},
	rules.ByJWK:             {find: reader.FindJWK, rank: ofContext},
	rules.ByJWT:             {find: reader.FindJWT, rank: ofShape},
	rules.ByKube:            {find: reader.FindKubernetesSecret, rank: ofContext},
	rules.ByNetrc:           {find: reader.FindNetrcPassword, rank: ofContext, repeats: true},
	rules.ByPgpass:          {find: reader.FindPgpassPassword, rank: ofContext, repeats: true},
	rules.ByRun:             {rank: ofShape},
	rules.ByKeyed:           {find: reader.FindDevicePassword, rank: ofContext},
	rules.ByKeyBlock:        {find: reader.FindPrivateKey, rank: ofShape},
	rules.ByPutty:           {find: reader.FindPuTTYKey, rank: ofContext},
	rules.ByIdentified:      {find: reader.FindSQLPassword, rank: ofContext, repeats: true},
	rules.ByPair:            {find: reader.FindPairPassword, rank: ofContext, repeats: true},
	rules.ByParted:          {find: reader.FindSlashPassword, rank: ofContext},
	rules.ByXprv:            {find: reader.FindExtendedKey, rank: ofShape},
	rules.ByDigits:          {rank: ofPerson},
	rules.ByEmail:           {find: pii.FindEmail, rank: ofPerson},
	rules.ByPhone:           {find: pii.FindPhone, rank: ofPerson},
	rules.ByIPv4:            {find: pii.FindPrivateIPv4, rank: ofPlace},
	rules.ByIPv6:            {find: pii.FindPrivateIPv6, rank: ofPlace},
	rules.ByHost:            {find: pii.FindInternalHost, rank: ofPlace},
	rules.ByPath:            {find: pii.FindHomePath, rank: ofPlace},
}
