import type pg from 'pg'

/**
 * How the tables of a database are distributed on the nodes of Citus: by store, each store on one node. All of it is
 * read from the database, so that a table of a later migration needs no line here. See docs/citus.md.
 */

/** The store of every row is in this column. The table `stores` has it as its `id`. */
const anchor = 'stores'
/** The queue takes jobs of all stores in one statement: it stays on the coordinator, as what it has of the outbox. */
const ofCoordinator: readonly string[] = ['long_jobs', 'moved_jobs']

/** Comments that say what PostgreSQL does not know of a table, a routine or a key. */
const comments = {
  /** Of a table that every node has as a whole. Those that distributed ones refer to are so without it. */
  isOnEveryNode: 'is on every node',
  /** Of a routine that runs on the node of the store in its argument `of_store`. */
  runsAtItsStore: 'runs at its store',
  /** The same, of a routine that is called outside of a transaction, and may concern more stores of that node. */
  runsAtItsNode: 'runs at the node of its store',
  /** Of a unique key whose values are random: one of each store is as good. */
  isUniqueByChance: 'unique in each store is enough',
} as const

/** What happens to a table, a key, a trigger, a routine: one statement, in a transaction of its own. */
export interface DistributionStep {
  readonly what: string
  readonly sql: string
}

/** What Citus cannot distribute, and why. */
interface Obstacle {
  readonly what: string
  readonly reason: string
}

export interface Distribution {
  readonly steps: readonly DistributionStep[]
  readonly obstacles: readonly Obstacle[]
}

type Query = (text: string) => Promise<readonly Record<string, string>[]>

const own = (oid: string, kind: string) =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${kind}'::regclass AND d.objid = ${oid} AND d.deptype = 'e')`

const isOurs = `c.relnamespace = 'public'::regnamespace AND ${own('c.oid', 'pg_class')}`

const hasStoreId = `EXISTS (SELECT FROM pg_attribute a
  WHERE a.attrelid = c.oid AND a.attname = 'store_id' AND NOT a.attisdropped)`

const hasComment = (oid: string, kind: string, comment: string) => `EXISTS (SELECT FROM pg_description t
  WHERE t.classoid = '${kind}'::regclass AND t.objoid = ${oid} AND t.objsubid = 0 AND t.description = '${comment}')`

const isWhole = hasComment('c.oid', 'pg_class', comments.isOnEveryNode)

const hasKey = `EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`

/** With `isCitus` the database has Citus, and knows what is distributed already. */
const isLocal = (isCitus: boolean) =>
  isCitus
    ? 'NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AND NOT relation_is_a_known_shard(c.oid)'
    : 'true'

/** The tables of stores that are on the coordinator alone, with `stores` first. */
const tablesOfStores = (
  isCitus: boolean,
) => `SELECT c.oid::regclass::text AS name, c.relpersistence = 'u' AS unlogged,
    c.relkind = 'r' AND NOT ${hasKey} AS keyless
  FROM pg_class c WHERE ${isOurs} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND (${hasStoreId} OR c.relname = '${anchor}') AND c.relname <> ALL ('{${ofCoordinator}}') AND NOT ${isWhole}
    AND ${isLocal(isCitus)}
  ORDER BY c.relname <> '${anchor}', c.relname`

/** The tables that every node has as a whole, and has not yet. */
const tablesOfAll = (isCitus: boolean, names: string) => `SELECT c.oid::regclass::text AS name FROM pg_class c
  WHERE ${isOurs} AND c.relkind = 'r' AND ${isLocal(isCitus)} AND (${isWhole}
    OR NOT ${hasStoreId} AND c.relname <> '${anchor}' AND EXISTS (SELECT FROM pg_constraint k
      WHERE k.contype = 'f' AND k.confrelid = c.oid AND k.conrelid = ANY (${names})))
  ORDER BY 1`

const foreignKeys = (names: string) => `SELECT conrelid::regclass::text AS of, quote_ident(conname) AS name,
    pg_get_constraintdef(oid) AS def
  FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY (${names}) ORDER BY 1, 2`

const triggers = (names: string) => `SELECT tgrelid::regclass::text AS of, quote_ident(tgname) AS name,
    pg_get_triggerdef(oid) AS def
  FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0 AND tgrelid = ANY (${names}) ORDER BY 1, 2`

const viewsOf = (
  names: string,
) => `SELECT DISTINCT c.oid::regclass::text AS name, pg_get_viewdef(c.oid) AS def
  FROM pg_class c JOIN pg_rewrite w ON w.ev_class = c.oid
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refobjid = ANY (${names})
  WHERE ${isOurs} AND c.relkind = 'v' ORDER BY 1`

/** Routines that only the coordinator has: Citus sends later ones by itself. */
const routines = (isCitus: boolean) => `SELECT p.oid::regprocedure::text AS name, p.proname AS called,
    CASE l.lanname WHEN 'sql' THEN p.prosrc ELSE '' END AS body
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace = 'public'::regnamespace AND l.lanname <> 'c' AND ${own('p.oid', 'pg_proc')}
    AND ${isCitus ? "NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)" : 'true'}
  ORDER BY 1`

const routinesAtStores = (isCitus: boolean) => `SELECT p.oid::regprocedure::text AS name,
    ${hasComment('p.oid', 'pg_proc', comments.runsAtItsStore)} AS forced
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    AND (${hasComment('p.oid', 'pg_proc', comments.runsAtItsStore)} OR ${hasComment('p.oid', 'pg_proc', comments.runsAtItsNode)})
    AND ${isCitus ? "NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.distribution_argument_index IS NOT NULL)" : 'true'}
  ORDER BY 1`

/** Sequences that no column has: each node needs one of its own, also a node that came later. */
const ownSequencesFrom = `pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid AND ${isOurs} AND c.relkind = 'S'
    AND NOT EXISTS (SELECT FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refobjsubid > 0)`

const ownSequences = (isCitus: boolean) => `SELECT c.oid::regclass::text AS name, s.seqmin::text AS least
  FROM ${ownSequencesFrom} WHERE ${isCitus ? "EXISTS (SELECT FROM run_command_on_all_nodes(format('SELECT to_regclass(%L) IS NOT NULL', c.oid::regclass)) WHERE result <> 't')" : 'true'}
  ORDER BY 1`

const uniqueByChance = (
  names: string,
) => `SELECT k.conrelid::regclass::text AS of, quote_ident(k.conname) AS name,
    (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute a
      WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) AS columns
  FROM pg_constraint k WHERE k.contype = 'u' AND k.conrelid = ANY (${names})
    AND ${hasComment('k.oid', 'pg_constraint', comments.isUniqueByChance)} ORDER BY 1, 2`

const uniqueWithoutStore = (names: string) => `SELECT i.indexrelid::regclass::text AS name
  FROM pg_index i LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype = 'u' WHERE i.indisunique AND i.indrelid = ANY (${names}) AND i.indrelid <> '${anchor}'::regclass
    AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'store_id'
      AND a.attnum = ANY (i.indkey))
    AND NOT ${hasComment('k.oid', 'pg_constraint', comments.isUniqueByChance)} ORDER BY 1`

const keysWithoutStore = (names: string) => `SELECT k.conrelid::regclass::text || '.' || k.conname AS name
  FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attname = 'store_id'
  WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid = ANY (${names}) AND k.confrelid = ANY (${names})
    AND (a.attnum <> ALL (k.conkey) OR k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('n', 'd')) ORDER BY 1`

const triggersOfStatements = (names: string) => `SELECT tgrelid::regclass::text || '.' || tgname AS name
  FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY (${names}) AND tgtype & 1 = 0 ORDER BY 1`

/** What is left to do until the tables of stores are distributed. Nothing, where they are. */
export async function planDistribution(client: pg.ClientBase, isCitus: boolean): Promise<Distribution> {
  const query: Query = async (text) => (await client.query(text)).rows
  const tables = await query(tablesOfStores(isCitus))
  const names = `'{${tables.map(({ name }) => name)}}'::regclass[]`
  const [keys, fired, views] = [
    await query(foreignKeys(names)),
    await query(triggers(names)),
    await query(viewsOf(names)),
  ]
  const steps = [
    ...keys.map(({ of, name }) =>
      step(`foreign key ${of}.${name}: drop`, `ALTER TABLE ${of} DROP CONSTRAINT ${name}`),
    ),
    // The copy of the rows would fire them: a second feed of everything.
    ...fired.map(({ of, name }) => step(`trigger ${of}.${name}: drop`, `DROP TRIGGER ${name} ON ${of}`)),
    ...views.map(({ name }) => step(`view ${name}: drop`, `DROP VIEW ${name}`)),
    ...(await query(uniqueByChance(names))).map(({ of, name, columns }) =>
      step(
        `key ${of}.${name}: of each store`,
        `ALTER TABLE ${of} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} UNIQUE (${columns}, store_id)`,
      ),
    ),
    ...(await query(ownSequences(isCitus))).map(({ name = '', least = '' }) =>
      step(`sequence ${name}${forEachNode}`, onNodes(sequenceOfNode(name, least))),
    ),
    ...(isCitus ? await query(`SELECT DISTINCT name FROM (${tablesNotOnNodes}) t ORDER BY 1`) : [])
      .slice(0, 1)
      .map(() =>
        step(`tables on every node${onNewNodes}`, `SELECT replicate_reference_tables('block_writes')`),
      ),
    ...(await query(tablesOfAll(isCitus, names))).map(({ name }) =>
      step(`table ${name}: on every node`, `SELECT create_reference_table('${name}')`),
    ),
    ...tables.flatMap((table) => stepsOf(table)),
    ...inOrderOfUse(await query(routines(isCitus))).map(({ name }) =>
      step(`routine ${name}: on every node`, `SELECT create_distributed_function('${name}')`),
    ),
    ...views.map(({ name, def }) => step(`view ${name}: create`, `CREATE VIEW ${name} AS ${def}`)),
    ...keys.map(({ of, name, def }) =>
      step(`foreign key ${of}.${name}: add`, `ALTER TABLE ${of} ADD CONSTRAINT ${name} ${def}`),
    ),
    ...fired.map(({ of, name, def }) => step(`trigger ${of}.${name}: create`, def as string)),
    ...(await query(routinesAtStores(isCitus))).map(({ name, forced }) =>
      step(
        `routine ${name}: at its store`,
        `SELECT create_distributed_function('${name}', 'of_store', colocate_with => '${anchor}', force_delegation => ${forced})`,
      ),
    ),
  ]
  return { steps, obstacles: await obstaclesIn(query, names) }
}

const forEachNode = ': one for each node'
const onNewNodes = ': copied to new nodes'

/** Whether servers may run meanwhile: it is for nodes that were added, which have no stores yet. */
export const isBesideServers = (what: string): boolean =>
  what.endsWith(forEachNode) || what.endsWith(onNewNodes)

/** The tables that every node has, and that a new one has not yet. */
const tablesNotOnNodes = `SELECT n.nodeid, s.logicalrelid::text AS name
  FROM pg_dist_node n CROSS JOIN pg_dist_partition p JOIN pg_dist_shard s USING (logicalrelid)
  WHERE n.isactive AND n.noderole = 'primary' AND p.partmethod = 'n' AND p.repmodel = 't'
    AND NOT EXISTS (SELECT FROM pg_dist_placement l WHERE l.shardid = s.shardid AND l.groupid = n.groupid)`

/** Nodes that were added since the tables were distributed, and what they have not yet. */
export async function nodesThatLack(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<readonly { readonly node: string; readonly what: string }[]> {
  const { rows } =
    await client.query(`SELECT nodename || ':' || nodeport AS node, string_agg(name, ', ') AS what
    FROM pg_dist_node JOIN (
      SELECT r.nodeid, c.oid::regclass::text AS name FROM ${ownSequencesFrom}
        CROSS JOIN LATERAL run_command_on_all_nodes(format('SELECT to_regclass(%L) IS NULL', c.oid::regclass)) r
        WHERE r.success AND r.result = 't'
      UNION ALL ${tablesNotOnNodes}
    ) lacks USING (nodeid)
    WHERE EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = to_regclass('stores')) GROUP BY 1 ORDER BY 1`)
  return rows
}

/** A node checks the body of a routine in SQL, so those that it calls come first. */
function inOrderOfUse(routines: readonly Record<string, string>[]): readonly Record<string, string>[] {
  const uses = (one: Record<string, string>, other: Record<string, string>) =>
    other !== one && new RegExp(`\\b${other.called}\\(`).test(one.body ?? '')
  const ordered: Record<string, string>[] = []
  for (let left = routines; left.length; ) {
    const next = left.filter((one) => !left.some((other) => uses(one, other)))
    // They call each other: then no order is right, and the node says so.
    ordered.push(...(next.length ? next : left))
    left = next.length ? left.filter((one) => !next.includes(one)) : []
  }
  return ordered
}

const step = (what: string, sql: string): DistributionStep => ({ what, sql })

/**
 * With the value that the coordinator has by now. A new node must not be behind: its first rows would be older than
 * what readers have seen. Until it has one, nobody learns a later watermark.
 */
const sequenceOfNode = (name: string, least: string) =>
  `format($node$DO $one$ BEGIN
      IF to_regclass('${name}') IS NULL THEN
        CREATE SEQUENCE ${name} MINVALUE ${least};
        PERFORM setval('${name}', %s);
      END IF;
    END $one$ $node$, coalesce(pg_sequence_last_value('${name}'::regclass), ${least}))`

const onNodes = (sql: string) =>
  `DO $do$ BEGIN
    IF (SELECT bool_and(success) FROM run_command_on_all_nodes(${sql})) IS NOT TRUE THEN
      RAISE 'a node does not answer: start all nodes';
    END IF;
  END $do$`

/** A table without a key, or without a log, could not move from one node to another beside its writers. */
function stepsOf({ name, unlogged, keyless }: Record<string, unknown>): readonly DistributionStep[] {
  const where = name === anchor ? `'id', colocate_with => 'none'` : `'store_id', colocate_with => '${anchor}'`
  return [
    ...(unlogged ? [step(`table ${name}: logged`, `ALTER TABLE ${name} SET LOGGED`)] : []),
    ...(keyless
      ? [step(`table ${name}: its rows identify themselves`, `ALTER TABLE ${name} REPLICA IDENTITY FULL`)]
      : []),
    step(`table ${name}: by store`, `SELECT create_distributed_table('${name}', ${where})`),
  ]
}

async function obstaclesIn(query: Query, names: string): Promise<readonly Obstacle[]> {
  const of = async (text: string, reason: string) =>
    (await query(text)).map(({ name = '' }) => ({ what: name, reason }))
  return [
    ...(await of(
      uniqueWithoutStore(names),
      'a unique index of a table of stores has store_id among its columns',
    )),
    ...(await of(
      keysWithoutStore(names),
      'a foreign key between tables of stores has store_id, and sets nothing to null or to a default',
    )),
    ...(await of(triggersOfStatements(names), 'a trigger fires for each row: Citus has none for statements')),
  ]
}
