import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type CreatedObject, startOwnServer } from './own-server.ts'

/**
 * `node bench/catalog-rules.ts [rules requests rounds]`: compares a shopper's read in a store with that many catalog
 * rules to the same read without rules. The rounds alternate. It prints processor time and elapsed time.
 */
const [count = 1000, requests = 500, rounds = 4] = process.argv.slice(2).map(Number)

const server = await startOwnServer()
const client = new pg.Client(server.databaseUrl)
await client.connect()
try {
  const catalogId = await publishCatalog()
  const without: ReadCost[] = []
  const within: ReadCost[] = []
  for (let round = 0; round < rounds; round++) {
    await client.query('DELETE FROM catalog_rules')
    without.push(await readMany())
    await makeRules(catalogId)
    within.push(await readMany())
  }
  process.stdout.write('| | processor, µs | clock, µs (median) |\n|---|--:|--:|\n')
  const lines = [
    ['no rules', without],
    [`${count} rules`, within],
  ] as const
  for (const [name, taken] of lines) {
    const [processor, clock] = (['processorUs', 'clockUs'] as const).map((what) =>
      Math.round(median(taken.map((one) => one[what]))),
    )
    process.stdout.write(`| ${name} | ${processor} | ${clock} |\n`)
  }
} finally {
  await client.end()
  await server.stop()
}

async function publishCatalog(): Promise<string> {
  const attributes = { name: 'All', hierarchy_ids: [] }
  const { data } = await server.call<{ data: CreatedObject }>(
    'POST',
    '/catalogs',
    { type: 'catalog', attributes },
    201,
  )
  const releases = `/catalogs/${data.id}/releases`
  const created = await server.call<{ data: CreatedObject }>('POST', releases, undefined, 201)
  for (;;) {
    const release = await server.call<Release>('GET', `${releases}/${created.data.id}`)
    if (release.data.meta.release_status === 'PUBLISHED') return data.id
    await sleep(100)
  }
}

interface Release {
  readonly data: { readonly meta: { readonly release_status: string } }
}

/**
 * Half of the rules name one of 50 accounts each, two thirds name one of 20 channels, and some name a tag or a time.
 */
async function makeRules(catalogId: string): Promise<void> {
  await client.query(
    `INSERT INTO catalog_rules (store_id, id, created_at, updated_at, doc)
     SELECT s.id, gen_random_uuid(), now(), now(), json_build_object('attributes', json_strip_nulls(json_build_object(
       'name', 'rule ' || i, 'catalog_id', $1::uuid,
       'channels', CASE WHEN i % 3 > 0 THEN json_build_array('channel-' || i % 20) END,
       'account_ids', CASE WHEN i % 2 = 0 THEN
         (SELECT json_agg(md5(i || ' ' || account)::uuid) FROM generate_series(1, 50) account) END,
       'tags', CASE WHEN i % 5 = 0 THEN json_build_array('tag-' || i % 50) END,
       'schedules', CASE WHEN i % 4 = 0 THEN json_build_array(json_build_object('valid_from', '2020-01-01T00:00:00Z')) END)))
     FROM stores s, generate_series(1, $2::integer) i`,
    [catalogId, count],
  )
}

interface ReadCost {
  readonly processorUs: number
  readonly clockUs: number
}

async function readMany(): Promise<ReadCost> {
  for (let i = 0; i < 50; i++) await read()
  const [before, times] = [processorMs(), []] as [number, number[]]
  for (let i = 0; i < requests; i++) {
    const start = performance.now()
    await read()
    times.push(performance.now() - start)
  }
  return { processorUs: ((processorMs() - before) * 1000) / requests, clockUs: median(times) * 1000 }
}

async function read(): Promise<void> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    'ep-channel': 'channel-7',
    'ep-context-tag': 'tag-10',
  }
  const answer = await fetch(`${server.url}/catalog`, { headers })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`GET /catalog: ${answer.status}`)
}

/** The processor time of the server's process. The kernel counts in hundredths of a second. */
function processorMs(): number {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] as number
}
