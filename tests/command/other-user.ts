import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The words before a command that run it as a user, and as nobody's member. */
export const asUser = (uid: number): readonly string[] => [
  ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'],
]

/** Why this machine cannot run the server as another user; undefined if it can. */
export function whyNotAs(uid: number): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run a program as another user'
  const [file = '', ...args] = [...asUser(uid), process.execPath, '--check', join(root, 'scripts/run.mjs')]
  const { status, error } = spawnSync(file, args)
  if (status === 0) return undefined
  return error ? 'setpriv is not installed' : 'other users have no access to this clone, or to its Node'
}
