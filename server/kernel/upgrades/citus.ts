import type { Connection } from '../storage/database.ts'

/** Versions of Citus that Sutler runs on. */
const majorMin = 14

/** A setting of PostgreSQL that distributed tables need, and what it is for. */
interface CitusSetting {
  readonly name: string
  readonly isRight: (value: string) => boolean
  readonly wanted: string
  readonly about: string
  /** Without it nothing is distributed; others are for what an operator does later. */
  readonly isNeeded: boolean
}

const atOwnRisk = 'Citus offers it at your own risk'

/** What each node is started with. */
export const citusSettings: readonly CitusSetting[] = [
  {
    name: 'citus.enable_unsafe_triggers',
    isRight: (value) => value === 'on',
    wanted: 'on',
    about: `triggers write the change feed and the counters of lists; ${atOwnRisk}`,
    isNeeded: true,
  },
  {
    name: 'citus.allow_nested_distributed_execution',
    isRight: (value) => value === 'on',
    wanted: 'on',
    about: `triggers and functions read other tables of their own store; ${atOwnRisk}`,
    isNeeded: true,
  },
  {
    name: 'max_prepared_transactions',
    isRight: (value) => Number(value) > 0,
    wanted: 'at least max_connections',
    about: 'what several nodes write together is committed in two phases',
    isNeeded: true,
  },
  {
    name: 'wal_level',
    isRight: (value) => value === 'logical',
    wanted: 'logical',
    about: 'stores move from one node to another beside their requests',
    isNeeded: false,
  },
]

/** Why tables cannot be distributed here; undefined if they can. */
export async function citusObstacle(database: Pick<Connection, 'run'>): Promise<string | undefined> {
  const ask = async (text: string) => (await database.run({ text, values: [], once: true }))[0] ?? []
  const [isOffered, version] = await ask(`SELECT
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus'),
    (SELECT extversion FROM pg_extension WHERE extname = 'citus')`)
  if (isOffered !== 't')
    return `Citus is not installed in this PostgreSQL: install Citus ${majorMin} from its own packages, and try again`
  if (version == null)
    return 'this database does not use Citus: call CREATE EXTENSION citus in it as a superuser, and try again'
  if (Number.parseInt(version, 10) < majorMin)
    return `Citus ${version} is too old: install Citus ${majorMin}, call ALTER EXTENSION citus UPDATE, and try again`
  const [isCoordinator, holders] = await ask(
    'SELECT citus_is_coordinator(), (SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND isactive)',
  )
  if (isCoordinator !== 't') return 'this node is not the coordinator: DATABASE_URL names that one'
  if (Number(holders) === 0)
    return 'no node holds shards: add one (citus_add_node), or let the coordinator hold them (citus_set_node_property), and try again'
  for (const { node, name, value } of await settingsOfNodes(database)) {
    const setting = citusSettings.find((one) => one.name === name)
    if (setting?.isNeeded && !setting.isRight(value))
      return `${name} is ${value || 'unknown'} on ${node}: set it to ${setting.wanted} (${setting.about}), and try again`
  }
  return undefined
}

interface NodeSetting {
  readonly node: string
  readonly name: string
  readonly value: string
}

/** The settings that distributed tables need, of each node. */
export async function settingsOfNodes(database: Pick<Connection, 'run'>): Promise<readonly NodeSetting[]> {
  const names = citusSettings.map(({ name }) => name)
  const rows = await database.run({
    text: `SELECT n.nodename || ':' || n.nodeport, name, CASE WHEN r.success THEN r.result ELSE '' END
      FROM unnest($1::text[]) WITH ORDINALITY AS s (name, place)
      CROSS JOIN LATERAL run_command_on_all_nodes(format('SELECT current_setting(%L, true)', name)) r
      JOIN pg_dist_node n ON n.nodeid = r.nodeid ORDER BY 1, s.place`,
    values: [names],
    once: true,
  })
  return rows.map(([node, name, value]) => ({ node, name, value: value ?? '' }) as NodeSetting)
}
