// Makes the npm packages in dist/npm from the programs that goreleaser built: node packaging/npm/pack.js dist
'use strict'
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const dist = path.resolve(process.argv[2])
const root = path.resolve(__dirname, '../..')
const read = name => JSON.parse(fs.readFileSync(path.join(dist, name), 'utf8'))
const version = read('metadata.json').version
const out = path.join(dist, 'npm')
const programs = ['checkrein', 'checkreind', 'checkrein-shell']
const nodeNames = { amd64: 'x64', arm64: 'arm64' }
const common = {
  version,
  license: 'Apache-2.0',
  homepage: 'https://github.com/checkrein/checkrein',
  repository: { type: 'git', url: 'git+https://github.com/checkrein/checkrein.git' }
}

// pack makes the package of a manifest and files, which are lists of [name, source, mode].
function pack (manifest, files) {
  const dir = path.join(out, 'stage', manifest.name)
  for (const [name, source, mode] of [...files, ['LICENSE', path.join(root, 'LICENSE'), 0o644]]) {
    const to = path.join(dir, name)
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.copyFileSync(source, to)
    fs.chmodSync(to, mode) // copyFile applies the umask
  }
  const file = path.join(dir, 'package.json')
  fs.writeFileSync(file, JSON.stringify({ ...manifest, ...common }, null, 2) + '\n')
  fs.chmodSync(file, 0o644)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] })
}

fs.rmSync(out, { recursive: true, force: true })
fs.mkdirSync(out)
const built = read('artifacts.json').filter(a => a.type === 'Binary' && programs.includes(a.name) && a.goos !== 'windows')
const platforms = {}
for (const a of built) {
  const name = `@checkrein/${a.goos}-${nodeNames[a.goarch]}`
  platforms[name] ??= { os: a.goos, cpu: nodeNames[a.goarch], files: [] }
  platforms[name].files.push([`bin/${a.name}`, path.join(root, a.path), 0o755])
}
for (const [name, { os, cpu, files }] of Object.entries(platforms).sort()) {
  const notices = ['NOTICES.txt', path.join(root, 'bin/share/NOTICES.txt'), 0o644]
  pack({ name, description: `Programs of checkrein for ${os} on ${cpu}`, os: [os], cpu: [cpu], preferUnplugged: true }, [...files.sort(), notices])
}
pack({
  name: 'checkrein',
  description: 'Hooks engine and guard for AI agents',
  bin: { checkrein: 'checkrein.js' },
  os: ['linux', 'darwin'],
  engines: { node: '>=18' },
  optionalDependencies: Object.fromEntries(Object.keys(platforms).sort().map(name => [name, version]))
}, [['checkrein.js', path.join(__dirname, 'checkrein.js'), 0o755], ['README.md', path.join(__dirname, 'README.md'), 0o644]])
fs.rmSync(path.join(out, 'stage'), { recursive: true })
