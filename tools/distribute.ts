import type { Database } from '../server/kernel/storage/database.ts'
import { alone } from '../server/kernel/upgrades/alone.ts'
import { citusObstacle } from '../server/kernel/upgrades/citus.ts'
import { distribute, unfinishedSteps } from '../server/kernel/upgrades/distribute.ts'
import {
  type Distribution,
  isBesideServers,
  nodesThatLack,
  planDistribution,
} from '../server/kernel/upgrades/distribution.ts'
import { pendingMigrations } from '../server/kernel/upgrades/migrations.ts'
import { StartupRefusal } from '../server/platform/faults.ts'
import type { Progress } from './progress.ts'

/** What would be done, and what stands in the way. Changes nothing. */
export async function describeDistribution(database: Database) {
  const obstacle = await citusObstacle(database)
  const { steps, obstacles, unfinished } = await workLeft(database, obstacle === undefined)
  const reasons = [
    ...(obstacle ? [obstacle] : []),
    ...obstacles.map(({ what, reason }) => `${what}: ${reason}`),
  ]
  return {
    text: [
      ...steps.map(({ what }) => what),
      `${steps.length} steps${unfinished.length ? `, after ${unfinished.length} that an interrupted call has left` : ''}.`,
      ...reasons.map((reason) => `In the way: ${reason}.`),
    ].join('\n'),
    data: { steps: steps.map(({ what }) => what), unfinished: unfinished.length, in_the_way: reasons },
    hasFailed: reasons.length > 0,
  }
}

/** Distributes what is not distributed yet. No server runs meanwhile, unless only nodes are new. */
export async function distributeAll(
  database: Database,
  shards: number | undefined,
  progress: Progress,
  signal: AbortSignal,
) {
  const obstacle = await citusObstacle(database)
  if (obstacle) throw new StartupRefusal(obstacle)
  if ((await pendingMigrations(database)).length)
    throw new StartupRefusal('the schema is not up to date: call sutler migrate, and try again')
  const { steps, unfinished } = await workLeft(database, true)
  const left = [...unfinished, ...steps.map(({ what }) => what)]
  if (!left.every(isBesideServers)) await mustHaveNoServer(database)
  const { isDone, count } = await alone(
    database,
    () => {},
    async (client) => {
      // What has begun goes on; only a plan can still be refused.
      if (!(await unfinishedSteps(client)).length) mustBePossible(await planDistribution(client, true))
      let count = 0
      const isDone = await distribute(client, {
        ...{ shards, signal },
        onStep(what, share) {
          count++
          progress.add(1, 0, what, share)
        },
      })
      return { isDone, count }
    },
  )
  return {
    text: isDone
      ? `${count} steps are done: the tables are distributed.`
      : `${count} steps are done. Call it again for the rest.`,
    data: { steps: count, distributed: isDone },
    hasFailed: !isDone,
  }
}

function mustBePossible({ obstacles }: Distribution): void {
  const [first] = obstacles
  if (first) throw new StartupRefusal(`${first.what} cannot be distributed: ${first.reason}`)
}

/** A process that starts later waits for the lock of migrations. */
async function mustHaveNoServer(database: Database): Promise<void> {
  const [row] = await database.run({
    text: `SELECT string_agg(name, ', ') FROM processes WHERE NOT has_ended AND seen_at > now() - interval '5 s'`,
    values: [],
  })
  if (row?.[0] != null)
    throw new StartupRefusal(`a server runs on this database (${row[0]}): stop it, and try again`)
}

/** Where the tables and the stores are. */
export async function distributionStatus(database: Database) {
  const obstacle = await citusObstacle(database)
  if (obstacle)
    return { text: `Nothing is distributed: ${obstacle}.`, data: { distributed: false, reason: obstacle } }
  const { steps, unfinished } = await workLeft(database, true)
  const tables = await database.run({
    text: `SELECT CASE partmethod WHEN 'h' THEN 'by store' ELSE 'on every node' END, count(*)
      FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid WHERE NOT c.relispartition GROUP BY 1 ORDER BY 1`,
    values: [],
  })
  const lacking = new Map((await nodesThatLack(database.pool)).map(({ node, what }) => [node, what]))
  const nodes = await database.run({
    text: `SELECT n.nodename || ':' || n.nodeport, count(s.shardid)
      FROM pg_dist_node n LEFT JOIN pg_dist_placement l ON l.groupid = n.groupid
        LEFT JOIN pg_dist_shard s ON s.shardid = l.shardid AND s.logicalrelid = 'stores'::regclass
      WHERE n.isactive GROUP BY 1 ORDER BY 1`,
    values: [],
  })
  const left = steps.length + unfinished.length
  const isDistributed = tables.length > 0 && left === 0
  return {
    text: [
      ...tables.map(([where, count]) => `${count} tables ${where}`),
      ...nodes.map(([node, count]) => {
        const what = lacking.get(String(node))
        return `${node}: ${count} groups of stores${what ? `; it lacks ${what}: sutler distribute makes them` : ''}`
      }),
      isDistributed ? 'The tables are distributed.' : `${left} steps are left: sutler distribute does them.`,
    ].join('\n'),
    data: {
      distributed: isDistributed,
      tables: Object.fromEntries(tables.map(([where, count]) => [where, Number(count)])),
      nodes: nodes.map(([node, count]) => ({
        node,
        groups: Number(count),
        lacks: lacking.get(String(node)) ?? null,
      })),
      steps_left: left,
    },
  }
}

/** What is left to do, and how many steps before it an interrupted call has left. */
async function workLeft(database: Database, isCitus: boolean) {
  const client = await database.pool.connect()
  try {
    return { ...(await planDistribution(client, isCitus)), unfinished: await unfinishedSteps(client) }
  } finally {
    client.release()
  }
}
