// Checks packaging/ with the real tools, as far as they are on this machine: npm run packaging. The tests check what
// needs none of them.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkImage } from './packaging/check-image.ts'

interface PackagingCheck {
  readonly name: string
  /** The programs that it calls. */
  readonly needs: readonly string[]
  /** Returns what it found out, and throws if something is wrong. */
  readonly run: (folder: string) => string | Promise<string>
}

const root = fileURLToPath(new URL('../', import.meta.url))
const call = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const chart = 'packaging/chart'

const checks: readonly PackagingCheck[] = [
  {
    name: 'Containerfile',
    needs: ['hadolint'],
    run: () => call('hadolint', 'packaging/Containerfile') || 'hadolint finds nothing',
  },
  {
    name: 'chart',
    needs: ['helm'],
    run: () => {
      const secret = ['--set', 'existingSecret=shop']
      const shared = ['--set', 'settings.SUTLER_S3_BUCKET=files']
      const parts = ['ingress', 'autoscaling', 'networkPolicy', 'metrics', 'metrics.serviceMonitor']
      const all = parts.flatMap((name) => ['--set', `${name}.enabled=true`])
      call('helm', 'lint', '--strict', chart, ...secret)
      const whole = call(
        'helm',
        'template',
        'shop',
        chart,
        ...secret,
        ...shared,
        ...all,
        '--set',
        'ingress.host=a.b',
      )
      const refused = [
        [],
        [...secret, '--set', 'replicas=2'],
        [...secret, '--set', 'autoscaling.enabled=true'],
        [...secret, '--set', 'metrics.serviceMonitor.enabled=true'],
      ]
      for (const values of refused) {
        if (succeeds('helm', 'template', 'shop', chart, ...values))
          throw new Error(`helm template accepts ${values.join(' ') || 'no values'}`)
      }
      return `helm lint --strict; ${whole.match(/^kind: /gm)?.length} objects; ${refused.length} wrong sets of values are refused`
    },
  },
  {
    name: 'unit',
    needs: ['systemd-analyze'],
    run: (folder) => {
      const file = join(folder, 'sutler.service')
      writeFileSync(file, call(process.execPath, 'command/sutler.ts', 'unit'))
      call('systemd-analyze', 'verify', file)
      // Ten times the exposure that it may have.
      const report = call('systemd-analyze', 'security', '--offline=true', '--threshold=20', file)
      return report.trim().split('\n').at(-1) ?? ''
    },
  },
  {
    name: 'image',
    needs: ['buildah', 'mmdebstrap', 'unshare', 'setpriv'],
    run: (folder) => checkImage(root, folder),
  },
]

function succeeds(program: string, ...args: string[]): boolean {
  try {
    call(program, ...args)
    return true
  } catch {
    return false
  }
}

const [only] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'sutler-packaging-'))
try {
  for (const { name, needs, run } of checks.filter((one) => !only || one.name === only)) {
    const missing = needs.filter((program) => !succeeds('which', program))
    if (missing.length > 0) {
      process.stdout.write(`${name}: not checked, because there is no ${missing.join(', ')} here\n`)
      continue
    }
    try {
      process.stdout.write(`${name}: ${await run(folder)}\n`)
    } catch (error) {
      const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string }
      process.stdout.write(`${name}: WRONG\n${[message, stdout, stderr].filter(Boolean).join('\n')}\n`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
