// Runs Sutler from a fresh clone with any Node >= 20 that has npm: installs what is missing, then hands over
// to the pinned Node 24, which runs the TypeScript source as it is. Plain JavaScript, as it runs before that.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from '../console/build/stamp.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
/** The pinned Node has a lock file of its own: the package of Sutler does not contain it. */
const nodeFolder = join(root, 'scripts/node')

const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings']
const tsc = ['node_modules/typescript/bin/tsc']
const tscOfConsole = [...tsc, '--project', 'console']
const buildConsole = ['console/build/build.ts']
const vitest = ['node_modules/vitest/vitest.mjs', 'run']

/** What each script runs, one after the other, each only if the one before succeeded. */
const scripts = {
  // Everything that an operator does.
  sutler: (args) => [...consoleFor(args), ['command/sutler.ts', ...args]],
  check: (args) => [[...biome, ...args], tsc, tscOfConsole],
  // With arguments someone is at work on one area or test, and waits for that one only.
  test: (args) => {
    // Tests that are named are not left to representatives: see tests/contract/classes.ts.
    if (args.includes('-t')) process.env.SUTLER_TESTS ??= 'named'
    // One checker: several would each work out the types that their files share.
    return args.length > 0
      ? [...consoleOfTests(args), [...vitest, ...args.map(areaOf)]]
      : [biome, [...tsc, '--checkers', '1'], tscOfConsole, ...consoleOfTests(['console']), vitest]
  },
  'test:long': (args) => {
    process.env.SUTLER_TESTS = 'long'
    return scripts.test(args)
  },
  bench: (args) => [['bench/acts.ts', ...args]],
  build: () => {
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    return [[...tsc, '--project', 'tsconfig.build.json'], ...consoleIfNew(), ['scripts/build.ts']]
  },
  packaging: (args) => [['scripts/packaging.ts', ...args]],
  docs: () => [['scripts/generate-docs.ts']],
  table: (args) => [['scripts/table.ts', ...args]],
  baseline: (args) => [['scripts/baseline.ts', ...args]],
}

// Node compiles a file once, not at each start. Where it cannot write, it does without.
process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'node')

const [name = '', ...args] = process.argv.slice(2)
if (!Object.hasOwn(scripts, name)) fail(`usage: node scripts/run.mjs ${Object.keys(scripts).join('|')} [...]`)

if (!isInstalled(nodeFolder) || !isInstalled(root)) await alone(install)
const node =
  pinnedNode() ?? fail('The install has no Node 24 for this platform: run this command with Node 24.')
for (const script of scripts[name](args)) {
  const code = await run(node, script, process.env)
  if (code !== 0) process.exit(code)
}

/** A server needs the console as its source is now. An install without the development packages goes without it. */
function consoleFor([command]) {
  const serves = command === 'start' || command === 'dev'
  const canBuild = existsSync(join(modules, '@vitejs/plugin-react'))
  return serves && canBuild ? consoleIfNew() : []
}

/** Tests of the console use it as its source is now. */
function consoleOfTests(args) {
  return args.some((arg) => arg.includes('console')) ? consoleIfNew() : []
}

/** A build that is of this source stays: a server or a test may be using it. */
function consoleIfNew() {
  return isBuilt() ? [] : [buildConsole]
}

/** The folder of an area that is given by its name: what else has that name in its path is not run. */
function areaOf(arg) {
  const folder = `tests/${arg}/`
  return existsSync(join(root, folder)) ? folder : arg
}

function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

/**
 * Whether the node_modules of a folder is what its package-lock.json asks for. npm keeps its own record of what it
 * installed and writes it last, so an interrupted install counts as none, and one made by hand as good. A server runs
 * without the development packages.
 */
function isInstalled(folder) {
  const record = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(record)) return false
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  const actual = JSON.parse(readFileSync(record, 'utf8')).packages
  return Object.entries(locked).every(([path, { version, integrity, optional, dev }]) => {
    if (path === '') return true
    const have = actual[path]
    if (!have) return optional || (dev && name === 'sutler')
    return have.version === version && have.integrity === integrity
  })
}

/** One install at a time: a second one waits, and then finds it done. */
async function alone(work) {
  const lock = join(root, '.install.lock')
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`Cannot install here: ${error.message}`)
    }
    if (abandoned(lock)) rmSync(lock, { force: true })
    else await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  await work()
  release()
}

function abandoned(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // Created but not yet written: its owner is between two steps, unless it died there.
    if (!pid) return Date.now() - statSync(lock).mtimeMs > 5000
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** The pinned Node comes first, and installs the rest: npm leaves out optional packages that a Node is too old for. */
async function install() {
  process.stderr.write('Installing dependencies (npm ci) ...\n')
  if (!isInstalled(nodeFolder)) await npmCi(nodeFolder, process.env)
  if (isInstalled(root)) return
  const node = pinnedNode()
  const PATH = [...(node ? [dirname(node)] : []), process.env.PATH].join(delimiter)
  await npmCi(root, { ...process.env, PATH })
}

/** No install script is needed, so none may run. */
async function npmCi(folder, env) {
  const flags = ['--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  const code = await run('npm', ['ci', ...flags, '--loglevel=error'], env, folder)
  if (code !== 0) fail(`Installing dependencies failed (npm ci, exit code ${code}): see the lines above.`)
}

function pinnedNode() {
  const { platform, arch } = process
  // The one platform whose package has another name.
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const path = join(nodeFolder, 'node_modules', `${prefix}-${platform}-${arch}`, 'bin/node')
  if (existsSync(path)) return path
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined
}

/**
 * Runs a command to its end and returns its exit code. A signal reaches it exactly once: Ctrl-C goes to the
 * whole process group and npm passes signals on as well, so the child is in a group of its own and gets from
 * here the first of each burst. (For the same reason package.json says `exec`: the shell in between would die
 * of a signal and not pass it on.)
 */
function run(command, argv, env, cwd = root) {
  return new Promise((resolve) => {
    const child = spawn(command, argv, { cwd, env, stdio: 'inherit', detached: true })
    const passedOnAt = {}
    const passOn = (signal) => {
      const now = Date.now()
      if (now - (passedOnAt[signal] ?? 0) > 1000) child.kill(signal)
      passedOnAt[signal] = now
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, passOn)
    const end = (code) => {
      for (const signal of signals) process.off(signal, passOn)
      resolve(code)
    }
    child.once('error', (error) => {
      process.stderr.write(`Cannot run ${command}: ${error.message}\n`)
      end(127)
    })
    child.once('exit', (code, signal) => end(code ?? 128 + constants.signals[signal]))
  })
}
