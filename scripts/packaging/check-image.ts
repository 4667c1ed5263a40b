import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'

/**
 * Builds both images from packaging/Containerfile without a daemon, and runs them as a container does; the slim one on
 * the PostgreSQL of the whole one. No base image can be had without a registry of images: a minimal Debian with the
 * Node of the clone stands in for it.
 */
export async function checkImage(root: string, folder: string): Promise<string> {
  const storage = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'overlay',
  ]
  const call = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const buildah = (...args: string[]) => call('buildah', ...storage, ...args).trim()
  const base = 'localhost/node:24-trixie-slim'
  try {
    const debian = join(folder, 'trixie.tar')
    call('mmdebstrap', '--quiet', '--variant=minbase', '--include=ca-certificates', 'trixie', debian)
    const container = buildah('from', 'scratch')
    buildah('add', container, debian, '/')
    buildah('add', '--chmod', '755', container, process.execPath, '/usr/local/bin/node')
    const npm = join(dirname(realpathSync(call('which', 'npm').trim())), '..')
    buildah('add', container, npm, '/usr/local/lib/node_modules/npm')
    // A registry may have a certificate that only this machine knows.
    const certificates = '/etc/ssl/certs/ca-certificates.crt'
    if (existsSync(certificates)) buildah('add', container, certificates, certificates)
    const link = ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']
    buildah('run', '--isolation', 'chroot', container, '--', ...link)
    buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${certificates}`, container)
    buildah('commit', '--rm', container, base)
    const sizes = (['whole', 'slim'] as const).map((target) => {
      const image = `localhost/sutler:${target}`
      const file = [
        '--file',
        'packaging/Containerfile',
        '--ignorefile',
        'packaging/Containerfile.dockerignore',
      ]
      const way = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker', '--layers', '--quiet']
      buildah(
        'bud',
        ...way,
        ...file,
        '--build-arg',
        `NODE_IMAGE=${base}`,
        '--target',
        target,
        '--tag',
        image,
        root,
      )
      const archive = join(folder, `${target}.tar`)
      buildah('push', '--quiet', image, `oci-archive:${archive}`)
      return `${target} ${Math.round(statSync(archive).size / 1e6)} MB packed`
    })
    const [whole = '', slim = ''] = ['whole', 'slim'].map((target) =>
      buildah('mount', buildah('from', `localhost/sutler:${target}`)),
    )
    const started = await onPostgres(join(root, 'scripts/packaging/run-postgres.sh'), whole, (database) =>
      [['whole', whole, {}] as const, ['slim', slim, database] as const].map(([target, image, settings]) => {
        const size = call('du', '--summarize', '--apparent-size', '--block-size=1MB', `${image}/opt/sutler`)
        const answer = execFileSync(
          'sh',
          [join(root, 'scripts/packaging/run-image.sh'), image, join(folder, `data-${target}`)],
          { encoding: 'utf8', env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] },
        )
        return `${target}: /opt/sutler has ${Number.parseInt(size, 10)} MB; ${answer.trim()}`
      }),
    )
    return [`${sizes.join(', ')} (the base is Debian with Node)`, ...started].join('\n  ')
  } finally {
    buildah('unmount', '--all')
    buildah('rm', '--all')
  }
}

const databasePort = 18998

/** Does something while a PostgreSQL of the image runs that is not Sutler's own. */
async function onPostgres<T>(
  script: string,
  image: string,
  run: (settings: Readonly<Record<string, string>>) => T,
): Promise<T> {
  const postgres = spawn('sh', [script, image, String(databasePort)], { stdio: 'ignore' })
  const ended = once(postgres, 'close')
  try {
    while (!(await isOpen(databasePort)))
      if (postgres.exitCode !== null) throw new Error(`PostgreSQL ended with ${postgres.exitCode}`)
    return run({
      DATABASE_URL: `postgres://sutler@127.0.0.1:${databasePort}/postgres`,
      SUTLER_SECRET: 'the secret of a server that is thrown away',
    })
  } finally {
    // `unshare` ends what it has started.
    postgres.kill('SIGKILL')
    await ended
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true))
    socket.once('error', () => setTimeout(() => done(false), 100)).once('connect', () => socket.destroy())
  })
