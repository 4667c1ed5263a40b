import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { environment } from '../../support/process.ts'

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const program = fileURLToPath(new URL('../../../command/sutler.ts', import.meta.url))

/** Runs a command of an operator as a process of its own. */
export function begin(
  args: readonly string[],
  settings: Record<string, string>,
): { readonly child: ChildProcess; readonly ended: Promise<CommandResult> } {
  const env = { ...environment, ...settings }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (text) => {
      texts[name] += text
    })
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, ...texts })) }
}

export const run = (...how: Parameters<typeof begin>): Promise<CommandResult> => begin(...how).ended
