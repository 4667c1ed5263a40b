import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../faults.ts'
import { readOr } from './pid-file.ts'

export interface User {
  readonly uid: number
  readonly gid: number
  readonly name: string
}

/** How to start a program as another user: the command prefix, and the ids for `spawn`. */
export interface Launcher {
  readonly prefix: readonly string[]
  readonly as: { readonly uid?: number; readonly gid?: number }
  /** The folders of the libraries, where the program does not find them by itself. */
  readonly libraries: readonly string[]
}

/**
 * PostgreSQL refuses to run as root, so a root process starts it as the owner of the cluster. A new cluster, or one
 * that belongs to root as after a restore, is given to a standard account of the system.
 */
export function chooseOwner(cluster: string): User | undefined {
  const owner = fs.statSync(cluster, { throwIfNoEntry: false })
  if (process.getuid?.() !== 0) {
    if (owner && owner.uid !== process.getuid?.()) {
      throw new StartupError(
        `${cluster} belongs to the user with id ${owner.uid}: run the server as that user or as root`,
      )
    }
    return undefined
  }
  if (owner && owner.uid !== 0)
    return { uid: owner.uid, gid: owner.gid, name: `the user with id ${owner.uid}` }
  const accounts = readOr('/etc/passwd', '')
    .split('\n')
    .map((line) => line.split(':'))
  for (const account of ['postgres', 'nobody']) {
    const [name, , uid, gid] = accounts.find(([name]) => name === account) ?? []
    if (!name || !Number(uid)) continue
    const user = { name, uid: Number(uid), gid: Number(gid) }
    if (owner) giveTo(user, cluster)
    return user
  }
  throw new StartupError(
    'PostgreSQL does not run as root: start the server as another user, or create a user named postgres',
  )
}

export function giveTo(user: User, path: string): void {
  try {
    fs.lchownSync(path, user.uid, user.gid)
  } catch (error) {
    throw cannotRunAs(user, (error as Error).message)
  }
  if (!fs.lstatSync(path).isDirectory()) return
  for (const entry of fs.readdirSync(path)) giveTo(user, join(path, entry))
}

const cannotRunAs = ({ name }: User, reason: string) =>
  new StartupError(
    `PostgreSQL does not run as root, and cannot be started as ${name} here (${reason}): ` +
      'start the server as an ordinary user, or set DATABASE_URL to your own PostgreSQL',
  )

/**
 * A root process may be installed, or keep its data, where other users have no access, such as under /root. There
 * PostgreSQL gets one extra capability: to enter and read any directory or, if a container denies that even to root, to
 * override permissions.
 */
export function chooseLauncher(
  owner: User | undefined,
  postgres: string,
  home: string,
  socketDir: string,
  libraries: readonly string[],
): Launcher {
  if (!owner) return { prefix: [], as: {}, libraries }
  const { uid, gid } = owner
  const plain: Launcher = { prefix: [], as: { uid, gid }, libraries }
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const capable = ['dac_read_search', 'dac_override'].map((capability): Launcher => {
    // Without the last one, access(2), with which PostgreSQL looks for its files, ignores capabilities.
    const caps = [
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      '--securebits=+no_setuid_fixup',
    ]
    return { prefix: ['setpriv', ...ids, ...caps, '--'], as: {}, libraries }
  })
  const enter = 'cd "$1" && cd "$2" && exec "$3" --version'
  const attempt = ['/bin/sh', '-c', enter, 'sh', home, socketDir, postgres]
  for (const launcher of [plain, ...capable]) {
    const { file, args, options } = launch(launcher, attempt)
    if (spawnSync(file, args, { ...options, stdio: 'ignore' }).status === 0) return launcher
  }
  throw cannotRunAs(owner, `that user has no access to ${home} and ${postgres}`)
}

const libraryPath = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'

/** The arguments of `spawn`. The environment is empty, so that a PGPORT or PGDATA for other programs has no effect. */
export function launch({ prefix, as, libraries }: Launcher, command: readonly string[]) {
  const [file = '', ...args] = [...prefix, ...command]
  const env = {
    ...{ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    ...(libraries.length > 0 && { [libraryPath]: libraries.join(':') }),
  }
  return { file, args, options: { ...as, env, cwd: '/' } }
}
