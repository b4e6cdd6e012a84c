#!/usr/bin/env node
// The npm package only brings checkrein's programs to this machine. This script has them copied to where only root may
// change them, and then starts the one there: agents may write to node_modules, so they must not call programs in it.
'use strict'
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const systemDir = process.platform === 'darwin' ? '/opt/checkrein/bin' : '/usr/local/lib/checkrein'
const installed = path.join(systemDir, 'checkrein')
const refused = 4 // docs/reference/exit-codes.md

function fail (text) {
  console.error('checkrein: ' + text)
  process.exit(refused)
}

// packaged returns the directory of the programs for this system, which is a package of its own.
function packaged () {
  const name = `@checkrein/${process.platform}-${process.arch}`
  try {
    return path.join(path.dirname(require.resolve(name + '/package.json')), 'bin')
  } catch {
    return fail(`${name} is not installed. npm installs it as an optional dependency: install again without --omit=optional`)
  }
}

// isInstalled reports whether the programs in dir are in the system's directory.
function isInstalled (dir) {
  return fs.readdirSync(dir).every(name => {
    const there = path.join(systemDir, name)
    return fs.existsSync(there) && fs.readFileSync(there).equals(fs.readFileSync(path.join(dir, name)))
  })
}

function run (argv) {
  const done = spawnSync(argv[0], argv.slice(1), { stdio: 'inherit' })
  if (done.error) fail(`${argv[0]}: ${done.error.message}`)
  if (done.signal) process.kill(process.pid, done.signal)
  return done.status
}

const dir = packaged()
const args = process.argv.slice(2)
if (isInstalled(dir)) process.exit(run([installed, ...args]))
const install = [path.join(dir, 'checkrein'), 'install', '--system']
if (process.getuid() !== 0) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    fail(`the programs of this version are not in ${systemDir}, and only root may put them there. Run: sudo ${install.join(' ')}`)
  }
  console.error(`The programs go to ${systemDir}, where agents cannot replace them. For that, sudo may ask for your password.`)
  install.unshift('sudo')
}
const status = run(install)
if (status !== 0 || args.length > 0) process.exit(status || run([installed, ...args]))
console.log('To make your agents ask checkrein: checkrein install --all')
