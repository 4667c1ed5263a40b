import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPackages } from '../../scripts/build/bundle.ts'
import { adminOf } from '../support/process.ts'
import { asUser, whyNotAs } from './other-user.ts'
import { installPacked, makeReadOnly } from './packed.ts'

const nobody = 65534

/** Under a path that others may enter. */
const place = fs.mkdtempSync(join(tmpdir(), 'sutler-packed-'))
fs.chmodSync(place, 0o755)
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', place])
  fs.rmSync(place, { recursive: true, force: true })
})

describe('the package', () => {
  const installed = join(place, 'node_modules/sutler')
  const sutler = join(installed, 'dist/command/sutler.js')
  beforeAll(() => installPacked(place), 300_000)

  test('has what it needs to run, its licences, and the sums of its files', () => {
    expect(fs.readdirSync(installed).sort()).toEqual([
      ...[
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'THIRD-PARTY.md',
        'dist',
        'docs',
        'package.json',
        'packaging',
      ],
      'sbom.cdx.json',
    ])
    // What the README leads an operator to.
    for (const page of ['docs/operating.md', 'docs/configuration.md', 'packaging/grafana/sutler.json'])
      expect(fs.existsSync(join(installed, page)), page).toBe(true)
    const { scripts, ...manifest } = JSON.parse(fs.readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: 'sutler',
      version: '0.1.0',
      bin: { sutler: 'dist/command/sutler.js' },
    })
    expect(manifest.private).toBeUndefined()
    expect(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).join()).not.toMatch(
      /(^|,)node-/,
    )
    execFileSync('sha256sum', ['--quiet', '--check', 'SHA256SUMS'], { cwd: join(installed, 'dist') })
    const listed = fs.readFileSync(join(installed, 'dist/SHA256SUMS'), 'utf8')
    expect(listed).toMatch(/ {2}server\/migrations\/\S+\.sql\n/)
    expect(fs.statSync(sutler).mode & 0o111).toBe(0o111)
  })

  test('has the packages that are bundled, each with the names that the server uses of it', async () => {
    for (const name of bundledPackages) {
      const bundled = join(installed, 'dist/packages', `${name.replace(/^.*\//, '')}.js`)
      const names = Object.keys(await import(name))
      const load = `console.log(Object.keys(await import(${JSON.stringify(bundled)})).join())`
      const output = execFileSync(process.execPath, ['--input-type=module', '-e', load], { encoding: 'utf8' })
      expect(names.length).toBeGreaterThan(0)
      // Names that only the conversion of CommonJS makes are in none of the modules.
      const missing = names.filter(
        (one) => !output.trim().split(',').includes(one) && !/^(default|module\.exports|__)/.test(one),
      )
      expect(missing, name).toEqual([])
    }
  })

  test('lists no command that only a clone has', () => {
    const help = execFileSync(process.execPath, [sutler, '--help'], { encoding: 'utf8' })
    expect(help).toMatch(/^ {2}start /m)
    expect(help).not.toMatch(/^ {2}dev /m)
  })

  const isRoot = process.getuid?.() === 0
  const whyNot = isRoot ? whyNotAs(nobody) : undefined

  test.skipIf(whyNot)(
    `starts a shop from an install that it cannot write to, in an empty folder${whyNot ? ` (not here: ${whyNot})` : ''}`,
    async () => {
      makeReadOnly(join(place, 'node_modules'))
      const folder = join(place, 'shop')
      fs.mkdirSync(folder)
      if (isRoot) fs.chownSync(folder, nobody, nobody)
      const [file = '', ...args] = [...(isRoot ? asUser(nobody) : []), process.execPath, sutler]
      // No HOME, and nothing else that a shell has.
      const env = { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' }
      const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (text) => {
          output += text
        })
      }
      const exit = new Promise((done) => child.once('exit', done))
      const ready = () => /ready at (\S+)/.exec(output)?.[1]?.replace('localhost', '127.0.0.1')
      await expect.poll(() => ready() ?? child.exitCode ?? undefined, { timeout: 60_000 }).toBeDefined()
      const url = ready() ?? expect.fail(`it stopped: ${output}`)
      const [, id = '', secret = ''] = /CLIENT_ID=(\S+)\nSUTLER_CLIENT_SECRET=(\S+)/.exec(output) ?? []
      expect((await (await adminOf(url, id, secret)).get('/v2/settings')).status).toBe(200)
      const page = await fetch(`${url}/docs`)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('scalar.js')])
      expect((await fetch(`${url}/docs/js/scalar.js`)).status).toBe(200)
      child.kill('SIGTERM')
      expect(await exit).toBe(0)
    },
  )
})
