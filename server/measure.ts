import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Admission } from './kernel/load/admission.ts'
import { DatabaseFigures, kernelFigures } from './kernel/metrics/database-figures.ts'
import {
  exportMetrics,
  type GaugeSource,
  type ProcessMetrics,
  type Reading,
} from './kernel/metrics/metrics.ts'
import type { Module } from './kernel/module.ts'
import type { Database } from './kernel/storage/database.ts'
import type { NodeHomes } from './kernel/storage/nodes/homes.ts'
import type { Replicas } from './kernel/storage/replicas/replicas.ts'
import type { Instance } from './kernel/work/context.ts'

/** What is measured. */
interface MeasuredParts {
  readonly instance: Instance
  readonly jobDatabase: Database
  /** Undefined if there are none. */
  readonly replicas: Replicas | undefined
  /** The nodes of the database, if Citus has distributed it. */
  readonly nodes: NodeHomes | undefined
  readonly modules: readonly Module[]
  /** Undefined if no request is refused in an overload. */
  readonly admission: Admission | undefined
  readonly version: string
  /** The directories of data, by what they hold. */
  readonly directories: Readonly<Record<string, string>>
}

/** The metrics of this process, and its part of those of the whole database. */
export async function measure(
  parts: MeasuredParts,
): Promise<Omit<ProcessMetrics, 'stop'> & { stop(): Promise<void> }> {
  const { instance, jobDatabase: database, modules } = parts
  const { processName, log } = instance
  const declared = [...kernelFigures, ...modules.flatMap(({ figures }) => figures)]
  const figures = new DatabaseFigures(declared, { database, processName, log })
  await figures.pass()
  const metrics = exportMetrics([
    ...(await processGauges(parts)),
    ...declared.map((figure) => ({
      name: figure.name,
      about: figure.about,
      labels: figure.label ? [figure.label] : [],
      read: () => figures.readingsOf(figure),
    })),
    {
      name: 'sutler_database_sample_time_seconds',
      about: 'When the metrics of the whole database were computed, since the epoch.',
      read: () => known(figures.sampledAt),
    },
  ])
  return {
    ...metrics,
    async stop() {
      metrics.stop()
      await figures.stop()
    },
  }
}

/** A value that may not be known. */
const known = (value: number | undefined): readonly Reading[] => (value === undefined ? [] : [{ value }])

async function processGauges(parts: MeasuredParts): Promise<readonly GaugeSource[]> {
  const { instance, jobDatabase, replicas, nodes, version, directories, admission } = parts
  const [row] = await jobDatabase.run({ text: 'SHOW server_version', values: [] })
  const [postgres = ''] = row?.[0]?.split(' ') ?? []
  return [
    {
      name: 'sutler_build_info',
      about: 'Always 1. The versions are its labels.',
      labels: ['version', 'node', 'postgres'],
      read: () => [{ labels: { version, node: process.versions.node, postgres }, value: 1 }],
    },
    {
      name: 'sutler_db_connections',
      about: 'Connections to the database, and work that waits for one.',
      labels: ['pool', 'state'],
      read: () => [
        ...[...instance.database.connections, ...jobDatabase.connections],
        ...(replicas?.connections ?? []),
        ...(nodes?.connections ?? []),
      ],
    },
    ...replicaGauges(replicas),
    {
      name: 'sutler_http_at_work',
      about: 'Requests that are at work.',
      labels: ['kind'],
      read: () => admission?.read('atWork') ?? [],
    },
    {
      name: 'sutler_http_at_work_max',
      about: 'How many requests may be at work. Others wait, or are refused in an overload.',
      labels: ['kind'],
      read: () => admission?.read('max') ?? [],
    },
    {
      name: 'sutler_exports_running',
      about: 'Exports of lists that are in progress.',
      read: () => [{ value: instance.exports.running }],
    },
    {
      name: 'sutler_watermark_age_seconds',
      about: 'How far the time of the watermark of lists is behind the clock.',
      read: () => {
        const time = instance.watermark()
        return known(
          time === undefined ? undefined : (instance.clock.now().getTime() - Date.parse(time)) / 1000,
        )
      },
    },
    {
      name: 'sutler_disk_free_bytes',
      about: 'The free space of the disk of a directory.',
      labels: ['directory'],
      read: async () => {
        const readings = Object.entries(directories).map(async ([directory, path]) => {
          const disk = await diskOf(path)
          return disk ? [{ labels: { directory }, value: disk.bavail * disk.bsize }] : []
        })
        return (await Promise.all(readings)).flat()
      },
    },
  ]
}

/** `replica-1` is the first one of SUTLER_REPLICAS. */
const replicaGauges = (replicas: Replicas | undefined): readonly GaugeSource[] => [
  {
    name: 'sutler_replica_serves',
    about: '1 while a replica serves reads, 0 while it is left out.',
    labels: ['replica'],
    read: () => replicas?.read('serves') ?? [],
  },
  {
    name: 'sutler_replica_lag_bytes',
    about: 'How much log of the primary a replica had yet to replay when it was last examined.',
    labels: ['replica'],
    read: () => replicas?.read('lag') ?? [],
  },
]

/** The disk of a directory, also before the first upload makes it: then that of the directory around it. */
async function diskOf(path: string): Promise<StatsFs | undefined> {
  try {
    return await statfs(path)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && path !== dirname(path) ? diskOf(dirname(path)) : undefined
  }
}
