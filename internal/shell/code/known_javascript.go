package code

// javascriptModules are packages of javascript, as pythonModules are modules. Sorted.
var javascriptModules = [...]string{
	"@anthropic-ai/sdk", "@aws-sdk/client-s3", "@babel/core", "@babel/generator", "@babel/parser", "@babel/traverse", "@babel/types", "@octokit/rest",
	"@playwright/test", "@prisma/client", "@swc/core", "@types/node", "acorn", "adm-zip", "ajv", "archiver", "assert", "async", "async_hooks",
	"autoprefixer", "ava", "aws-sdk", "axios", "bcrypt", "bcryptjs", "better-sqlite3", "big.js", "bluebird", "bn.js", "boxen", "buffer", "bun",
	"bun:ffi", "bun:jsc", "bun:sqlite", "bun:test", "bunyan", "canvas", "chai", "chalk", "chart.js", "cheerio", "child-process-promise",
	"child_process", "classnames", "cli-table3", "cluster", "colors", "commander", "console", "constants", "core-js", "cross-spawn", "crypto",
	"cssnano", "csv-parse", "csv-parser", "d3", "date-fns", "dayjs", "debug", "decimal.js", "deep-equal", "deepmerge", "del", "dgram",
	"diagnostics_channel", "dns", "domain", "dotenv", "drizzle-orm", "ejs", "electron", "esbuild", "eslint", "espree", "esprima", "ethers", "events",
	"exceljs", "execa", "express", "fast-deep-equal", "fast-glob", "fast-xml-parser", "fastify", "figlet", "form-data", "fs", "fs-extra", "glob",
	"globby", "googleapis", "got", "graceful-fs", "handlebars", "highlight.js", "http", "http2", "https", "iconv-lite", "immer", "immutable", "ini",
	"inquirer", "inspector", "ioredis", "ip", "is-number", "jest", "jimp", "joi", "js-yaml", "jsdom", "jsonwebtoken", "jszip", "kleur", "knex", "koa",
	"ky", "less", "lodash", "lodash-es", "lru-cache", "luxon", "markdown-it", "marked", "mathjs", "meow", "micromatch", "mime", "mime-types",
	"minimatch", "minimist", "mkdirp", "mocha", "module", "moment", "moment-timezone", "mongodb", "mongoose", "ms", "mustache", "mysql", "mysql2",
	"nanoid", "net", "next", "nock", "node-fetch", "node-gyp-build", "node-pty", "node-ssh", "nodemailer", "openai", "ora", "os", "p-limit", "p-map",
	"p-queue", "papaparse", "path", "pdfkit", "perf_hooks", "pg", "picocolors", "picomatch", "pino", "playwright", "pm2", "postcss", "preact",
	"prettier", "prisma", "process", "prompts", "pug", "punycode", "puppeteer", "q", "qs", "querystring", "ramda", "react", "react-dom", "readline",
	"redis", "redux", "repl", "request", "rimraf", "rollup", "rxjs", "sass", "sea", "semver", "sequelize", "sharp", "shelljs", "shelljs/global",
	"simple-git", "simple-statistics", "sinon", "slugify", "socket.io", "socket.io-client", "source-map", "sqlite", "sqlite3", "ssh2",
	"ssh2-sftp-client", "stream", "string-width", "string_decoder", "strip-ansi", "stripe", "superagent", "supertest", "svelte", "sys",
	"systeminformation", "table", "tailwindcss", "tap", "tar", "terser", "test", "three", "timers", "tls", "toml", "trace_events", "trash", "ts-node",
	"tslib", "tsx", "tty", "typeorm", "typescript", "underscore", "undici", "unzipper", "url", "util", "uuid", "v8", "validator", "vite", "vitest",
	"vm", "vue", "wasi", "web3", "webpack", "winston", "worker_threads", "wrap-ansi", "ws", "xlsx", "xml2js", "yaml", "yargs", "yup", "zlib", "zod",
	"zx",
}

// javascriptClosed are things of which only the functions in javascriptReads are harmless. Sorted.
var javascriptClosed = [...]string{
	"Bun", "Deno", "child_process", "cluster", "fs", "inspector", "module", "process", "repl", "v8", "vm", "worker_threads",
}

// javascriptReads are functions and parts of closed things that only compute and read. Sorted.
var javascriptReads = [...]string{
	"Bun.CryptoHasher", "Bun.Glob", "Bun.TOML", "Bun.Transpiler", "Bun.argv", "Bun.color", "Bun.deepEquals", "Bun.deflateSync", "Bun.env",
	"Bun.escapeHTML", "Bun.file", "Bun.fileURLToPath", "Bun.gc", "Bun.gunzipSync", "Bun.gzipSync", "Bun.hash", "Bun.inflateSync", "Bun.inspect",
	"Bun.main", "Bun.memoryUsage", "Bun.nanoseconds", "Bun.password", "Bun.pathToFileURL", "Bun.peek", "Bun.randomUUIDv7", "Bun.readableStreamToJSON",
	"Bun.readableStreamToText", "Bun.resolve", "Bun.resolveSync", "Bun.revision", "Bun.semver", "Bun.serve", "Bun.sleep", "Bun.sleepSync", "Bun.stderr",
	"Bun.stdin", "Bun.stdout", "Bun.stringWidth", "Bun.version", "Bun.which", "Deno.addSignalListener", "Deno.args", "Deno.bench", "Deno.build",
	"Deno.consoleSize", "Deno.cwd", "Deno.env", "Deno.errors", "Deno.execPath", "Deno.exit", "Deno.gid", "Deno.hostname", "Deno.inspect", "Deno.isatty",
	"Deno.loadavg", "Deno.lstat", "Deno.lstatSync", "Deno.mainModule", "Deno.makeTempDir", "Deno.makeTempDirSync", "Deno.makeTempFile",
	"Deno.makeTempFileSync", "Deno.memoryUsage", "Deno.networkInterfaces", "Deno.noColor", "Deno.osRelease", "Deno.osUptime", "Deno.permissions",
	"Deno.pid", "Deno.ppid", "Deno.readLink", "Deno.readLinkSync", "Deno.realPath", "Deno.realPathSync", "Deno.removeSignalListener", "Deno.resolveDns",
	"Deno.stat", "Deno.statSync", "Deno.stderr", "Deno.stdin", "Deno.stdout", "Deno.systemMemoryInfo", "Deno.test", "Deno.uid", "Deno.version",
	"Deno.watchFs", "cluster.isMaster", "cluster.isPrimary", "cluster.on", "fs.Dirent", "fs.Stats", "fs.access", "fs.accessSync", "fs.close",
	"fs.closeSync", "fs.constants", "fs.exists", "fs.existsSync", "fs.fchmod", "fs.fchmodSync", "fs.fdatasync", "fs.fstat", "fs.fstatSync", "fs.fsync",
	"fs.fsyncSync", "fs.ftruncate", "fs.ftruncateSync", "fs.futimes", "fs.futimesSync", "fs.glob", "fs.globSync", "fs.lstat", "fs.lstatSync",
	"fs.mkdtemp", "fs.mkdtempSync", "fs.openAsBlob", "fs.opendir", "fs.opendirSync", "fs.pathExists", "fs.pathExistsSync", "fs.promises", "fs.read",
	"fs.readSync", "fs.readlink", "fs.readlinkSync", "fs.readv", "fs.readvSync", "fs.realpath", "fs.realpathSync", "fs.stat", "fs.statSync",
	"fs.statfs", "fs.statfsSync", "fs.unwatchFile", "fs.watch", "fs.watchFile", "fs.write", "fs.writeSync",
	"inspector.close", "inspector.console", "inspector.url", "module.builtinModules", "module.children", "module.exports", "module.findPackageJSON",
	"module.isBuiltin", "module.paths", "process.abort", "process.addListener", "process.allowedNodeEnvironmentFlags", "process.arch", "process.argv",
	"process.availableMemory", "process.config", "process.constrainedMemory", "process.cpuUsage", "process.disconnect", "process.emit",
	"process.emitWarning", "process.env", "process.execArgv", "process.exit", "process.exitCode", "process.features", "process.getActiveResourcesInfo",
	"process.getegid", "process.geteuid", "process.getgid", "process.getgroups", "process.getuid", "process.hasUncaughtExceptionCaptureCallback",
	"process.hrtime", "process.listenerCount", "process.listeners", "process.loadEnvFile", "process.memoryUsage", "process.nextTick", "process.off",
	"process.on", "process.once", "process.permission", "process.platform", "process.reallyExit", "process.release", "process.removeAllListeners",
	"process.removeListener", "process.report.getReport", "process.resourceUsage", "process.send", "process.setMaxListeners",
	"process.setUncaughtExceptionCaptureCallback", "process.sourceMapsEnabled", "process.stderr", "process.stdin", "process.stdout",
	"process.threadCpuUsage", "process.title", "process.umask", "process.uptime", "process.version", "process.versions", "repl.builtinModules",
	"v8.cachedDataVersionTag", "v8.getHeapCodeStatistics", "v8.getHeapSpaceStatistics", "v8.getHeapStatistics", "v8.serialize", "vm.createContext",
	"vm.isContext", "worker_threads.MessageChannel", "worker_threads.isMainThread", "worker_threads.parentPort", "worker_threads.receiveMessageOnPort",
	"worker_threads.threadId", "worker_threads.workerData",
}
