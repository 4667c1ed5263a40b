import type { Server } from 'node:http'
import { StartupError } from './platform/faults.ts'

/** Says why a server cannot listen. `prefix`: of the settings that say where. */
export async function orStartupError(
  { port, host }: { readonly port: number; readonly host: string },
  prefix: string,
  begin: () => Promise<unknown>,
): Promise<void> {
  try {
    await begin()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${port} is in use: stop the process that listens on it, or set ${prefix}PORT`,
      EACCES: `port ${port} needs more rights than this process has: set ${prefix}PORT to a port above 1023`,
    }
    throw new StartupError(
      reasons[code ?? ''] ?? `cannot listen on ${host} (${prefix}HOST), port ${port}: ${message}`,
    )
  }
}

/** The port that was chosen where `port` is 0. */
export function portOf(server: Server, port: number): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}
