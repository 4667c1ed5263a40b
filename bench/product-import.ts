import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { attributeColumns } from '../server/assortment/product-csv/columns.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'

/**
 * `node bench/product-import.ts [rows rounds]`: measures imports and exports of products, from the first byte until
 * the job has ended, and the processor time of each row, because the machine may be busy.
 */
const [rows = 49_999, rounds = 1] = process.argv.slice(2).map(Number)

const columns = [...attributeColumns, 'admin_attributes.bin', 'shopper_attributes.hue']

/** A file about the same products each time. */
function fileOf(more: readonly string[], cells: (i: number) => string, mpn = 'M'): string {
  const lines = [[...columns, ...more].join(',')]
  for (let i = 0; i < rows; i++) {
    const own = [
      ...[
        `R-${i}`,
        `Product ${i}`,
        `What product ${i} is in a few words. `.repeat(6),
        `product-${i}`,
        'live',
        'physical',
      ],
      ...[`sku-${i}`, `${mpn}-${i}`, `978${i}`, `"t${i % 50},new"`, `A${i % 1000}`, ['red', 'blue'][i % 2]],
    ]
    lines.push(`${own.join(',')}${cells(i)}`)
  }
  return lines.join('\n')
}

for (let round = 0; round < rounds; round++) {
  const server = await startOwnServer()
  try {
    await measureAll(server)
  } finally {
    await server.stop()
  }
}

async function measureAll(server: OwnServer): Promise<void> {
  const template = await makeTemplate(server)
  const plain = fileOf([], () => '')
  const with3 = (pages: number) =>
    fileOf(
      ['isbn', 'pages', 'bound'].map((field) => `${template}:${field}`),
      (i) => `,978-${i},${1 + ((i + pages) % 900)},true`,
    )
  process.stdout.write('| of each row | rows/s | Node, µs | PostgreSQL, µs |\n|---|--:|--:|--:|\n')
  await measure(server, 'new', () => importFile(server, plain))
  await measure(server, 'nothing else', () => importFile(server, plain))
  await measure(server, 'one other value', () =>
    importFile(
      server,
      fileOf([], () => '', 'N'),
    ),
  )
  await measure(server, 'new: three fields of a template', () => importFile(server, with3(0)))
  await measure(server, 'nothing else, with the template', () => importFile(server, with3(0)))
  await measure(server, 'one other value, the template’s', () => importFile(server, with3(1)))
  await measure(server, 'exported', async () => {
    const { data } = await server.call<Job>('POST', '/pcm/products/export', undefined, 201)
    await ending(server, data.id)
  })
}

interface Job {
  readonly data: { readonly id: string; readonly attributes: { readonly status: string } }
}

async function makeTemplate({ call }: OwnServer): Promise<string> {
  const slug = 'products(book)'
  const flow = { type: 'flow', name: slug, slug, description: '', enabled: true }
  const { data } = await call<{ data: { id: string } }>('POST', '/v2/flows', flow, 201)
  for (const [name, field_type] of Object.entries({ isbn: 'string', pages: 'integer', bound: 'boolean' })) {
    const relationships = { flow: { data: { id: data.id, type: 'flow' } } }
    const facts = { name, slug: name, field_type, description: '', required: false, enabled: true }
    await call('POST', '/v2/fields', { type: 'field', ...facts, relationships }, 201)
  }
  return slug
}

async function importFile(server: OwnServer, csv: string): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([csv]), 'products.csv')
  const headers = { authorization: `Bearer ${server.token}` }
  const answer = await fetch(`${server.url}/pcm/products/import`, { method: 'POST', headers, body: form })
  const { data } = (await answer.json()) as Job
  await ending(server, data.id)
}

async function ending({ call }: OwnServer, id: string): Promise<void> {
  for (;;) {
    const { data } = await call<Job>('GET', `/pcm/jobs/${id}`)
    if (data.attributes.status === 'success') return
    if (data.attributes.status === 'failed') {
      throw new Error(JSON.stringify(await call('GET', `/pcm/jobs/${id}/errors?page[limit]=1`)))
    }
    await sleep(100)
  }
}

async function measure(server: OwnServer, name: string, run: () => Promise<void>): Promise<void> {
  const [[file] = []] = await server.database.run({
    text: `SELECT pg_read_file('postmaster.pid')`,
    values: [],
  })
  const postmaster = Number.parseInt(file as string, 10)
  const spent = () => [processorUs(server.pid), familyUs(postmaster)] as const
  const [nodeBefore, postgresBefore] = spent()
  const began = performance.now()
  await run()
  const perSecond = (rows * 1000) / (performance.now() - began)
  const [node, postgres] = spent()
  const each = (us: number) => Math.round(us / rows).toLocaleString('en')
  process.stdout.write(
    `| ${name} | ${Math.round(perSecond).toLocaleString('en')} | ${each(node - nodeBefore)} | ${each(postgres - postgresBefore)} |\n`,
  )
}

function statOf(pid: number | string): readonly number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
  return fields.split(' ').map(Number)
}

/** The processor time of a process, if the system reports it. */
function processorUs(pid: number): number {
  const fields = statOf(pid)
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10_000
}

/** The processor time of a process, of its children, and of children that have ended. */
function familyUs(parent: number): number {
  const ended = statOf(parent)
  let us = processorUs(parent) + ((ended[13] ?? 0) + (ended[14] ?? 0)) * 10_000
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (statOf(pid)[1] === parent) us += processorUs(Number(pid))
    } catch {
      // It has ended meanwhile.
    }
  }
  return us
}
