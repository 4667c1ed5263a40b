import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf, endedUsOf, usOf } from './acts/cost.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { printLoad, printRow } from './pairs.ts'

/**
 * `node bench/idle-stores.ts [stores seconds checkout]`: what a process and its PostgreSQL take of a core while nobody
 * asks for anything, with one store and with many. Each of the many is a copy of all that the first one has: an
 * integration that observes events, products, accounts, and a feed.
 */
const [stores = 10_000, seconds = 120] = process.argv.slice(2, 4).map(Number)

const server = await startOwnServer(process.argv[4])
try {
  await fillStore(server)
  printLoad()
  printRow(['stores', 'Node, % of a core', 'PostgreSQL, % of a core'])
  printRow(['--:', '--:', '--:'])
  await measure(1)
  await copyStore(server, stores - 1)
  await measure(stores)
  printLoad()
} finally {
  await server.stop()
}

async function measure(count: number): Promise<void> {
  // What was written before is sequenced, merged and vacuumed by then.
  await server.database.run({ text: 'VACUUM ANALYZE', values: [], once: true, long: true })
  await sleep(75_000)
  const before = spent()
  await sleep(seconds * 1000)
  const after = spent()
  const share = (us: number) => (us / seconds / 10_000).toFixed(2)
  printRow([count, share(after.node - before.node), share(after.postgres - before.postgres)])
}

function spent(): { readonly node: number; readonly postgres: number } {
  const [postmaster = ''] = readFileSync(join(server.directory, 'postgres/postmaster.pid'), 'utf8').split(
    '\n',
  )
  const postgres = [Number(postmaster), ...childrenOf(postmaster)].reduce((sum, pid) => sum + usOf(pid), 0)
  // Connections that have been idle for a while have ended.
  return { node: usOf(server.pid), postgres: postgres + endedUsOf(Number(postmaster)) }
}

async function fillStore({ call }: OwnServer): Promise<void> {
  const configuration = { url: 'http://127.0.0.1:9/' }
  const integration = {
    ...{ type: 'integration', name: 'Idle', integration_type: 'webhook', enabled: true },
    ...{ observes: ['order.created'], configuration },
  }
  await call('POST', '/v2/integrations', integration, 201)
  for (let i = 0; i < 5; i++) {
    await call('POST', '/v2/accounts', { type: 'account', name: `A ${i}` }, 201)
    const attributes = { name: `P ${i}`, sku: `p-${i}`, commodity_type: 'physical' }
    await call('POST', '/pcm/products', { type: 'product', attributes }, 201)
  }
}

/** Ids are those of a store, so the copies have the same. Triggers would write what is copied anyway. */
async function copyStore({ database }: OwnServer, copies: number): Promise<void> {
  await database.run({ text: `DO $$ ${copySql(copies)} $$`, values: [], once: true, long: true })
}

function copySql(copies: number): string {
  // What is unique over all stores is left out.
  const uniqueTables = ['application_keys', 'merchant_realm_mappings', 'realm_prefixes']
  return `
DECLARE
  source uuid := (SELECT id FROM stores ORDER BY created_at LIMIT 1);
  t record;
  names text;
BEGIN
  SET LOCAL session_replication_role = replica;
  CREATE TEMPORARY TABLE copies ON COMMIT DROP AS SELECT gen_random_uuid() AS copy FROM generate_series(1, ${copies});
  FOR t IN SELECT c.oid, c.oid::regclass AS name, CASE c.relname WHEN 'stores' THEN 'id' ELSE 'store_id' END AS key
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL('{${uniqueTables.join(',')}}')
      AND c.relnamespace = 'public'::regnamespace AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
        AND a.attname = CASE c.relname WHEN 'stores' THEN 'id' ELSE 'store_id' END) LOOP
    SELECT string_agg(quote_ident(attname), ', ') INTO names FROM pg_attribute
    WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> t.key;
    EXECUTE format('INSERT INTO %s (%I%s) OVERRIDING SYSTEM VALUE SELECT copy%s FROM copies, %1$s WHERE %2$I = $1',
      t.name, t.key, ', ' || names, ', ' || names) USING source;
  END LOOP;
END`
}
