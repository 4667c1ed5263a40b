#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Before anything is loaded that an older Node cannot read.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 2)) {
  process.stderr.write(`sutler: Node ${process.versions.node} is too old: use Node 24.2 or later\n`)
  process.exit(2)
}

// Node compiles a file once, not at each start. Where it cannot write, it does without.
if (!module.getCompileCacheDir())
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/node'))

// A library asks for the home directory when it is loaded. A container may run a user who has none.
try {
  homedir()
} catch {
  process.env.HOME = '/nonexistent'
}

const { runCommand } = await import('./frame/run.ts')
const { commands } = await import('./commands.ts')
const code = await runCommand(commands, process.argv.slice(2))
// What a command leaves open, such as an idle connection, does not keep the process.
process.stdout.write('', () => process.exit(code))
