package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds secrets without an anchor that are long runs of base64 characters. A
// probe finds the runs: it checks every 24th byte, and goes back only while it finds bytes
// of a run.

const minRun = 24

// runBytes holds the bytes of both base64 alphabets.
var runBytes = lex.Set{1<<'+' | 1<<'-' | 1<<'/' | 0x3ff<<'0', 0x3ffffff<<1 | 1<<('_'-64) | 0x3ffffff<<33}

// findLongRuns adds the secrets that are, or are encoded in, long runs.
func findLongRuns(f *search.Finder) {
	eachRun(f.Text, &runBytes, minRun, func(i, end int) {
		if end-i <= lex.LongReach {
			findInRun(f, i, end)
		}
	})
}

// eachRun calls fn with the span of each run in s of at least least bytes of the set in.
func eachRun(s string, in *lex.Set, least int, fn func(i, end int)) {
	for i := 0; i+least <= len(s); {
		p := i + least - 1
		for p >= i && in.Has(s[p]) {
			p--
		}
		if p >= i {
			i = p + 1
			continue
		}
		end := i + least
		for end < len(s) && in.Has(s[end]) {
			end++
		}
		fn(i, end)
		i = end + 1
	}
}

// findInRun adds the secret that the run f.Text[i:end] is or encodes.
func findInRun(f *search.Finder, i, end int) {
	s := f.Text[i:end]
	if !f.Inner && findHexSecret(f, i, end) || findVendorRun(f, i, end) || findWalletNumber(f, i, end) {
		return
	}
	n := value.CountBytes(s)
	if n.Uppers == 0 || n.Lowers == 0 || n.Digits == 0 && len(s) < 40 {
		return // cannot be in any of the following encodings
	}
	reader.FindWalletKeys(f, i, end)
	if !f.Inner {
		findBase64Secret(f, i, end)
	}
}

// findVendorRun adds the run f.Text[i:end] if it is a vendor's key without an anchor. It reports
// whether the run has the form of one.
func findVendorRun(f *search.Finder, i, end int) bool {
	s := f.Text[i:end]
	switch {
	case isTwilioID(s, "SK"):
		if value.Entropy(s) >= 3 && !value.IsFiller(s) {
			f.Add(rules.IndexOf("twilio-api-key"), i, end)
		}
	case len(s) <= 30 && (s[0] == 'M' || s[0] == 'N' || s[0] == 'O'):
		findDiscordToken(f, i, end)
	case isAirtableSecret(f, i, end):
		if lex.OpensWord(f.Text, i-airtableID) && lex.Skip(f.Text, i-airtableID+len("pat"), i-1, lex.IsAlnum) == i-1 {
			f.Add(rules.IndexOf("airtable-personnal-access-token"), i-airtableID, end)
		}
	default:
		return false
	}
	return true
}

// isTwilioID reports whether s is a Twilio id with the prefix kind.
func isTwilioID(s, kind string) bool { return len(s) == 34 && s[:2] == kind && value.IsHexText(s[2:]) }

const airtableID = len("pat") + 14 + len(".") // the length of the part of a token before its secret

// isAirtableSecret reports whether the run f.Text[i:end] is the second part of an Airtable token.
func isAirtableSecret(f *search.Finder, i, end int) bool {
	return end-i == 64 && i >= airtableID && strings.HasPrefix(f.Text[i-airtableID:], "pat") && f.Text[i-1] == '.' && value.IsHexText(f.Text[i:end])
}

// findWalletNumber adds the run f.Text[i:end] if it is the private key of a wallet, as a hexadecimal
// number. It reports whether the run has the form of one.
func findWalletNumber(f *search.Finder, i, end int) bool {
	s := f.Text[i:end]
	prefixed := len(s) == 66 && s[0] == '0' && s[1]|0x20 == 'x'
	if prefixed {
		s = s[2:]
	}
	if len(s) != 64 || !value.IsHexText(s) {
		return false
	}
	if whole := f.Text[i:end]; followsKeyWords(f, i, prefixed) && !value.IsFiller(whole) && value.Entropy(whole) >= 2.8 {
		f.Add(rules.IndexOf("ethereum-private-key"), i, end)
	}
	return true
}

// followsKeyWords reports whether the words before i mention the private key of a wallet. If prefixed
// is set, the number starts with 0x, and less specific words suffice.
func followsKeyWords(f *search.Finder, i int, prefixed bool) bool {
	words := f.Text[max(0, i-48):i]
	if inKeyList(f, i) {
		return true
	}
	if at := strings.LastIndexAny(words, "[]"); at >= 0 {
		words = words[at+1:]
	}
	if lex.ContainsAnyFold(words, "public hash digest sha tx block commit checksum signature topic root") {
		return false
	}
	if prefixed && lex.ContainsAnyFold(words, "secret key seed evm broadcast vm.addr vm.sign vm.rememberkey pk= pk:") {
		return true
	}
	return lex.ContainsAnyFold(words, "private privkey priv_key wallet signer deployer mnemonic _pk from_key fromkey "+
		"credentials.create privatekeytoaccount fromprivatekey")
}

// inKeyList reports whether the number at i is in a list that is called accounts or private keys.
func inKeyList(f *search.Finder, i int) bool {
	s := f.Text
	i = lex.SkipBack(s, i, max(0, i-lex.Window), func(c byte) bool {
		return lex.IsHex(c) || lex.IsSpace(c) || lex.IsQuote(c) || c == ',' || c|0x20 == 'x'
	})
	if i == 0 || s[i-1] != '[' {
		return false
	}
	i = lex.SkipBack(s, i-1, max(0, i-4), func(c byte) bool { return lex.IsBlank(c) || c == ':' || c == '=' || lex.IsQuote(c) })
	return lex.HasSuffixFold(s[max(0, i-12):i], "accounts") || lex.HasSuffixFold(s[max(0, i-12):i], "privatekeys") || lex.HasSuffixFold(s[max(0, i-12):i], "private_keys")
}

// findDiscordToken adds the token of a Discord bot whose first part is f.Text[i:end]. It has three
// parts: the id of the bot in base64, a timestamp and a signature.
func findDiscordToken(f *search.Finder, i, end int) {
	s := f.Text
	if end+35 > len(s) || s[end] != '.' || s[end+7] != '.' || !lex.OpensWord(s, i) {
		return
	}
	to := lex.Skip(s, end+8, min(len(s), end+60), lex.IsURLBase64)
	if to-end-8 < 27 || lex.Skip(s, end+1, end+7, lex.IsURLBase64) < end+7 {
		return
	}
	var buf [24]byte
	id := decode.Decode64(buf[:0], s[i:end])
	if len(id) < 16 || lex.Skip(string(id), 0, len(id), lex.IsDigit) < len(id) {
		return
	}
	f.Add(rules.IndexOf("discord-bot-token"), i, to)
}

// findBase64Secret adds the run f.Text[i:end] if it is base64 of text that contains a secret.
func findBase64Secret(f *search.Finder, i, end int) {
	s := f.Text[i:end]
	var head [24]byte
	if !decode.IsText(decode.Decode64(head[:0], s[:min(len(s), 32)&^3])) {
		return
	}
	text := decode.Decode64(make([]byte, 0, len(s)*3/4+3), s)
	in := f.NewInner(string(text), rules.Secrets)
	findAll(&in)
	if len(in.Found) == 0 {
		return
	}
	best := in.Found[0].Rule
	for _, n := range in.Found[1:] {
		if readers[rules.Table[n.Rule].By].rank > readers[rules.Table[best].By].rank {
			best = n.Rule
		}
	}
	if rules.Table[best].By == rules.ByJWT {
		best = rules.IndexOf("jwt-base64")
	}
	for n := 0; n < 2 && end < len(f.Text) && f.Text[end] == '='; n++ {
		end++
	}
	f.Add(best, i, end)
}
