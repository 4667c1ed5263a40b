import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { heapFlags } from '../../command/heap-flags.ts'
import { databaseUrl } from './own-database.ts'
import { environment } from './process.ts'
import { filesOf, secret, type World } from './world.ts'

/** What a process says of itself. */
export interface Measures {
  /** The most memory that it ever had of the machine. */
  readonly peakRss: number
  /** The size of all that is not garbage; of all at all, if it was not collected. */
  readonly heldBytes: number
  /** The most processor time that a turn of the event loop took since the last measures, in milliseconds. */
  readonly longestTurnMs: number
}

/** A response that was read and forgotten. */
interface ReadAway {
  readonly status: number | undefined
  readonly bytes: number
}

/** Another server on the database of a world, in a process of its own: its memory is that of its requests. */
export interface MeasuredServer {
  readonly url: string
  /** What it holds after its garbage is collected. */
  held(): Promise<Measures>
  /** The same with the garbage, which is quick. */
  size(): Promise<Measures>
  /** For how long it had work in all, but the machine gave it no processor, in milliseconds. Only Linux knows. */
  heldUpMs(): number
  /** Reads a response and forgets it. Stops once after so many bytes, and reads on when `meanwhile` is done. */
  readAway(path: string, stop?: { readonly at: number; meanwhile(): Promise<void> }): Promise<ReadAway>
  close(): Promise<void>
}

/** For how long a process or a thread had work, but the machine gave it no processor. */
export function heldUpMs(process: string): number {
  try {
    return Number(readFileSync(`/proc/${process}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const entry = fileURLToPath(new URL('serve-measured.ts', import.meta.url))

export async function measuredServer({ database, admin }: World): Promise<MeasuredServer> {
  const child = fork(entry, {
    execArgv: [...heapFlags],
    env: {
      ...environment,
      DATABASE_URL: databaseUrl(inject('postgres'), database),
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SUTLER_SECRET: secret,
      SUTLER_FILES_DIR: filesOf(database),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  const url = await new Promise<string>((done, failed) => {
    void exit.then(() => failed(new Error('the server did not start')))
    child.stdout?.on('data', (text) => {
      const match = /ready at (\S+)/.exec(String(text))
      if (match?.[1]) done(match[1].replace('localhost', '127.0.0.1'))
    })
  })
  const ask = async (question: string): Promise<Measures> => {
    const answer = once(child, 'message')
    child.send(question)
    return (await answer)[0]
  }
  return {
    url,
    held: () => ask('held'),
    size: () => ask('size'),
    heldUpMs: () => heldUpMs(String(child.pid)),
    async readAway(path, stop) {
      const request = http.get(`${url}${path}`, { headers: { authorization: `Bearer ${admin.token}` } })
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      let bytes = 0
      let isStopped = false
      for await (const chunk of response) {
        bytes += (chunk as Buffer).length
        if (isStopped || !stop || bytes < stop.at) continue
        isStopped = true
        await stop.meanwhile()
      }
      return { status: response.statusCode, bytes }
    },
    async close() {
      child.kill('SIGTERM')
      await exit
    },
  }
}
