package code

// perlModules are modules of perl, as pythonModules are modules. Sorted.
var perlModules = [...]string{
	"B", "B::Deparse", "Benchmark", "CPAN::Meta", "Capture::Tiny", "Carp", "Config", "Cpanel::JSON::XS", "Cwd", "DBD::SQLite", "DBI", "Data::Dumper",
	"DateTime", "Devel::Peek", "Digest", "Digest::MD5", "Digest::SHA", "Encode", "English", "Env", "Errno", "Exporter", "ExtUtils::MakeMaker", "Fcntl",
	"File::Basename", "File::Compare", "File::Copy", "File::Find", "File::Glob", "File::HomeDir", "File::Path", "File::Remove", "File::Slurp",
	"File::Slurper", "File::Spec", "File::Spec::Functions", "File::Temp", "File::stat", "FindBin", "Getopt::Long", "Getopt::Std", "HTML::Entities",
	"HTML::Parser", "HTML::TreeBuilder", "HTTP::Daemon", "HTTP::Request", "HTTP::Request::Common", "HTTP::Tiny", "Hash::Util", "I18N::Langinfo", "IO",
	"IO::File", "IO::Handle", "IO::Select", "IO::Socket", "IO::Socket::INET", "IO::Socket::IP", "IO::Socket::SSL", "IO::Socket::UNIX", "IPC::Cmd",
	"IPC::Open2", "IPC::Open3", "IPC::Run", "IPC::Run3", "IPC::System::Simple", "JSON", "JSON::PP", "JSON::XS", "LWP", "LWP::Simple", "LWP::UserAgent",
	"List::MoreUtils", "List::Util", "MIME::Base64", "MIME::QuotedPrint", "Math::BigFloat", "Math::BigInt", "Math::Trig", "Memoize", "Module::CoreList",
	"Module::Load", "Mojo", "Moo", "Moose", "Net::FTP", "Net::Ping", "Net::SCP", "Net::SFTP", "Net::SFTP::Foreign", "Net::SMTP", "Net::SSH",
	"Net::Telnet", "O", "POSIX", "Path::Tiny", "PerlIO", "Pod::Usage", "Proc::ProcessTable", "Safe", "Scalar::Util", "SelectSaver", "Socket",
	"Storable", "Sub::Util", "Symbol", "Sys::Hostname", "Term::ANSIColor", "Test", "Test::More", "Test::Simple", "Text::Abbrev", "Text::Balanced",
	"Text::CSV", "Text::CSV_XS", "Text::ParseWords", "Text::Tabs", "Text::Wrap", "Tie::File", "Tie::Hash", "Time::HiRes", "Time::Local", "Time::Piece",
	"Time::Seconds", "Try::Tiny", "UNIVERSAL", "URI", "URI::Escape", "Unicode::Normalize", "Unicode::UCD", "User::pwent", "XML::LibXML", "XML::Simple",
	"XML::Twig", "YAML", "YAML::Tiny", "YAML::XS", "attributes", "autodie", "autouse", "base", "bigint", "bignum", "bigrat", "bytes", "charnames",
	"constant", "deprecate", "diagnostics", "encoding", "experimental", "feature", "fields", "filetest", "if", "integer", "less", "lib", "locale",
	"mro", "open", "overload", "parent", "re", "sigtrap", "sort", "strict", "subs", "threads", "threads::shared", "utf8", "v5", "vars", "version",
	"vmsish", "warnings",
}

// rubyLibraries are libraries of ruby, as pythonModules are modules. Sorted.
var rubyLibraries = [...]string{
	"English", "abbrev", "active_record", "active_support", "active_support/all", "active_support/core_ext", "awesome_print", "aws-sdk", "aws-sdk-s3",
	"base64", "benchmark", "bigdecimal", "bigdecimal/util", "bundler", "bundler/setup", "byebug", "cgi", "cgi/util", "colorize", "complex",
	"continuation", "coverage", "csv", "date", "debug", "delegate", "did_you_mean", "digest", "digest/md5", "digest/sha1", "digest/sha2", "dotenv",
	"dotenv/load", "drb", "english", "erb", "error_highlight", "etc", "excon", "faraday", "ffi", "fiber", "fiddle", "fileutils", "find", "forwardable",
	"getoptlong", "git", "httparty", "io/console", "io/wait", "ipaddr", "irb", "json", "jwt", "kconv", "logger", "mail", "matrix", "minitest",
	"minitest/autorun", "mkmf", "mongo", "monitor", "msgpack", "multi_json", "mysql2", "net/ftp", "net/http", "net/https", "net/protocol", "net/scp",
	"net/sftp", "net/smtp", "net/ssh", "nkf", "nokogiri", "objspace", "observer", "octokit", "oj", "open-uri", "open3", "open4", "openssl", "optparse",
	"ostruct", "pathname", "pg", "pp", "prettyprint", "prime", "pry", "pstore", "psych", "pty", "racc", "rails", "rainbow", "rake", "random/formatter",
	"rational", "rbconfig", "readline", "redis", "reline", "resolv", "rest-client", "rexml", "rexml/document", "ripper", "rspec", "rubygems",
	"securerandom", "sequel", "set", "shell", "shellwords", "sinatra", "singleton", "slop", "socket", "sqlite3", "stringio", "strscan", "syslog",
	"tempfile", "test/unit", "thor", "time", "timeout", "tmpdir", "toml", "tomlrb", "tsort", "tty-prompt", "typhoeus", "un", "unicode_normalize", "uri",
	"weakref", "webrick", "win32ole", "xmlrpc/client", "yaml", "zlib",
}
