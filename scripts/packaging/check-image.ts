import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Builds both images from packaging/Containerfile without a daemon, and runs the whole one as a container does. No base
 * image can be had without a registry of images: a minimal Debian with the Node of the clone stands in for it.
 */
export function checkImage(root: string, folder: string): string {
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
    const built = buildah('from', 'localhost/sutler:whole')
    const answer = call('sh', 'scripts/packaging/run-image.sh', buildah('mount', built), join(folder, 'data'))
    return `${sizes.join(', ')} (the base is Debian with Node); ${answer.trim()}`
  } finally {
    buildah('unmount', '--all')
    buildah('rm', '--all')
  }
}
