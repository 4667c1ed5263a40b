import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnServer } from '../own-server.ts'

/** What one act costs. */
export interface Cost {
  readonly perSecond: number
  readonly nodeUs: number
  readonly postgresUs: number
  readonly logBytes: number
}

/** What each of `count` acts costs a server and its PostgreSQL. */
export async function costOf(server: OwnServer, count: number, act: () => Promise<number>): Promise<Cost> {
  const before = await spentBy(server)
  const perSecond = await act()
  const after = await spentBy(server)
  const one = (of: keyof typeof before) => (after[of] - before[of]) / count
  return { perSecond, nodeUs: one('nodeUs'), postgresUs: one('postgresUs'), logBytes: one('logBytes') }
}

async function spentBy({ pid, directory, database }: OwnServer) {
  const [[bytes] = []] = await database.run({
    text: `SELECT pg_current_wal_insert_lsn() - '0/0'`,
    values: [],
  })
  const [postmaster = ''] = readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8').split('\n')
  return {
    nodeUs: usOf(pid),
    postgresUs: childrenOf(postmaster).reduce((sum, child) => sum + usOf(child), 0),
    logBytes: Number(bytes),
  }
}

/** The kernel counts hundredths of a second. */
const tickUs = 10_000

export const childrenOf = (pid: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name).parent === pid)
    .map(Number)

/** The processor time of a process so far. */
export const usOf = (pid: number): number => statOf(String(pid)).us

/** The processor time of its children that have ended. */
export const endedUsOf = (pid: number): number => statOf(String(pid)).endedUs

interface ProcessStat {
  readonly parent: string
  readonly us: number
  readonly endedUs: number
}

function statOf(pid: string): ProcessStat {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const us = (at: number) => (Number(fields[at]) + Number(fields[at + 1])) * tickUs
    return { parent: fields[1] ?? '', us: us(11), endedUs: us(13) }
  } catch {
    return { parent: '', us: 0, endedUs: 0 }
  }
}
