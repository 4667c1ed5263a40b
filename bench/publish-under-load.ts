import { setTimeout as sleep } from 'node:timers/promises'
import { isCurrent } from '../server/kernel/storage/editions.ts'
import { type CreatedObject, type OwnServer, startOwnServer } from './own-server.ts'
import { seedPrices } from './seed-prices.ts'
import { seedProducts } from './seed-products.ts'

/**
 * `node bench/publish-under-load.ts [products publishes]`: publishes a catalog again and again. Before each
 * publication it renames a hundred products; in every fifth it ends the connection that writes. Meanwhile shoppers
 * walk the whole list and read single products. Each walk must see one release, with all products under the names of
 * that release, and no read may fail. At the end the catalog must equal one that is published from scratch.
 */
const [products = 100_000, publishes = 50] = process.argv.slice(2).map(Number)
const changesEach = 100
const pageLength = 100

interface NamedObject {
  readonly data: { readonly id: string; readonly attributes: { readonly name: string } }
}
interface Page {
  readonly data: readonly NamedObject['data'][]
  readonly links: { readonly next?: string | null }
  readonly meta: { readonly results: { readonly total: number } }
}
interface Release {
  readonly data: { readonly id: string; readonly meta: { readonly release_status: string } }
}

async function run({ call, database, url, token }: OwnServer): Promise<void> {
  const { hierarchyId } = await seedProducts(server, products)
  const pricebooks = (await seedPrices(server)).map((id, i) => ({ id, priority: 2 - i }))
  const attributes = { name: 'All', hierarchy_ids: [hierarchyId], pricebook_ids: pricebooks }
  const catalog = await call<{ data: CreatedObject }>(
    'POST',
    '/catalogs',
    { type: 'catalog', attributes },
    201,
  )
  const catalogId = catalog.data.id
  /** The names of the renamed products, by release. */
  const namesOf = new Map<string, ReadonlyMap<string, string>>()
  const names = new Map<string, string>()

  const publish = async (breaksOff: boolean): Promise<void> => {
    const path = `/catalogs/${catalogId}/releases`
    const { data } = await call<Release>('POST', path, { type: 'catalog-release' }, 201)
    namesOf.set(data.id, new Map(names))
    if (breaksOff) await breakOff()
    for (;;) {
      const status = (await call<Release>('GET', `${path}/${data.id}`)).data.meta.release_status
      if (status === 'PUBLISHED') return
      if (status === 'FAILED') throw new Error('publishing failed')
      await sleep(20)
    }
  }
  /** As when the process that publishes is killed. */
  let brokenOff = 0
  const breakOff = async () => {
    for (let tries = 0; tries < 200; tries++) {
      const ended = await database.run({
        text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL AND query ~ 'published_|edition_totals'`,
        values: [],
      })
      brokenOff += ended.length
      if (ended.length) return
      await sleep(2)
    }
  }

  const began = performance.now()
  await publish(false)
  process.stdout.write(`first publication: ${((performance.now() - began) / 1000).toFixed(1)} s\n`)

  const listed = { text: 'SELECT id FROM published_products WHERE catalog_id = $1', values: [catalogId] }
  const ids = (await database.run({ ...listed, long: true })).flat() as string[]
  let stopped = false
  const counts = { walks: 0, pages: 0, reads: 0 }
  const wrong: string[] = []
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }
  const walk = async () => {
    let path: string | undefined = `/catalog/products?page[limit]=${pageLength}`
    const namesById = new Map<string, string>()
    const releases = new Set<string>()
    while (path && !stopped) {
      const page: Page = await read<Page>(path)
      counts.pages++
      if (page.meta.results.total !== ids.length) wrong.push(`total ${page.meta.results.total}`)
      for (const { id, attributes } of page.data) namesById.set(id, attributes.name)
      path = page.links.next ?? undefined
      if (path) releases.add(new URLSearchParams(path.slice(path.indexOf('?'))).get('release') ?? 'none')
      if (path?.startsWith('http')) path = path.slice(url.length)
    }
    if (stopped) return
    counts.walks++
    const release = [...releases][0] as string
    const expected = namesOf.get(release)
    if (releases.size !== 1 || !expected) return void wrong.push(`releases of a walk: ${[...releases]}`)
    if (namesById.size !== ids.length) wrong.push(`a walk of ${namesById.size} products`)
    for (const [id, name] of namesById) {
      const expectedName = expected.get(id)
      if (expectedName !== undefined ? name !== expectedName : name.startsWith('Changed')) {
        wrong.push(`${id} is named ${name} in ${release}, not ${expectedName ?? 'as in the beginning'}`)
      }
    }
  }
  const readOne = async () => {
    const id = ids[counts.reads % ids.length]
    await read<NamedObject>(`/catalog/products/${id}`)
    counts.reads++
  }
  const until = async (act: () => Promise<void>) => {
    while (!stopped) await act().catch((error: unknown) => wrong.push(String(error)))
  }
  const shoppers = [until(walk), until(walk), until(readOne)]

  const took: number[] = []
  for (let round = 1; round <= publishes; round++) {
    for (let i = 0; i < changesEach; i++) {
      const id = ids[Math.floor(Math.random() * ids.length)] as string
      const name = `Changed ${round}`
      await call('PUT', `/pcm/products/${id}`, { type: 'product', id, attributes: { name } })
      names.set(id, name)
    }
    const began = performance.now()
    await publish(round % 5 === 0)
    took.push(performance.now() - began)
  }
  while (counts.walks < 2) await sleep(100)
  stopped = true
  await Promise.all(shoppers)
  took.sort((a, b) => a - b)
  const at = (part: number) => ((took[Math.floor(part * (took.length - 1))] ?? 0) / 1000).toFixed(2)
  process.stdout.write(
    `${publishes} publications of ${changesEach} changes, ${brokenOff} broken off: median ${at(0.5)} s, slowest ${at(1)} s; ` +
      `${counts.walks} walks, ${counts.pages} pages, ${counts.reads} products: ${wrong.length} wrong\n`,
  )
  for (const one of wrong.slice(0, 10)) process.stdout.write(`${one}\n`)

  const again = await call<{ data: CreatedObject }>('POST', '/catalogs', { type: 'catalog', attributes }, 201)
  const path = `/catalogs/${again.data.id}/releases`
  const { data } = await call<Release>('POST', path, { type: 'catalog-release' }, 201)
  while ((await call<Release>('GET', `${path}/${data.id}`)).data.meta.release_status !== 'PUBLISHED')
    await sleep(200)
  const differs = await database.run({ text: differences, values: [catalogId, again.data.id], long: true })
  process.stdout.write(`rows that differ from a publication from scratch: ${differs[0]?.join(', ')}\n`)
}

/** The columns to compare, without members that depend on the catalog or on the time of publication. */
const differences = [
  ['published_products', `id, (doc::jsonb #- '{meta,catalog_id}'), hidden::jsonb - 'hash' - 'published_at'`],
  ['published_texts', 'id, codes, words, value_ids'],
  ['published_node_products', 'id, node_id, place, curated'],
  ['published_price_spans', 'id, place, pricebook_id, currency, amount'],
]
  .map(([table, columns]) => {
    const of = (catalog: string) =>
      `SELECT ${columns} FROM ${table} WHERE catalog_id = ${catalog} AND ${isCurrent()}`
    return `(SELECT count(*) FROM ((${of('$1')} EXCEPT ${of('$2')}) UNION ALL (${of('$2')} EXCEPT ${of('$1')})) d)`
  })
  .reduce((text, one) => (text ? `${text}, ${one}` : `SELECT ${one}`), '')

const server = await startOwnServer()
try {
  await run(server)
} finally {
  await server.stop()
}
