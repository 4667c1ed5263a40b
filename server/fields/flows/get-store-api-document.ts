import { hash } from 'node:crypto'
import { action } from '../../kernel/declare/action.ts'
import { jsonParts } from '../../kernel/http/file.ts'
import { Memory } from '../../kernel/memory.ts'
import { openApiDocument } from '../../kernel/openapi/schemas.ts'
import { type Answer, entityTag } from '../../kernel/shape/answer.ts'
import type { AddedFields, OwnModel } from '../../kernel/shape/model.ts'
import { toAddedFields, withAddedFields } from '../../kernel/storage/added-fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import { entries } from './entries.ts'
import { type FlowDescription, withEntriesOf } from './entry-schemas.ts'
import { kindOf, nameOfFields } from './kinds.ts'
import { extensionsOf, withExtensions } from './template-entries.ts'

export const getStoreApiDocument = action({
  name: 'get-store-api-document',
  route: 'GET /v2/settings/specifications/openapi',
  about:
    'Reads the OpenAPI document of this store. It includes the fields that flows add to resources ' +
    'and templates add to products, and the entries of each flow.',
  area: 'flows',
  status: 200,
  shows: { body: openApiDocument, etag: true },

  async run(ctx): Promise<Answer> {
    const { text, tag } = await findDocument(ctx, await stateOf(ctx))
    const servers = Buffer.from(`{"servers":${JSON.stringify([{ url: ctx.baseUrl }])},`)
    return jsonParts([servers, text], { etag: entityTag(tag, ctx.baseUrl) })
  },
})

/** A document, without its servers and its opening brace. */
interface StoreDocument {
  readonly state: string
  readonly text: Buffer
  readonly tag: string
}

// A document has about a megabyte and takes long to build, and anyone with a shopper token can read it.
const documentsMax = 20
const documents = perInstance(() => new Memory<string, Promise<StoreDocument>>(documentsMax))

function findDocument(ctx: Ctx, state: string): Promise<StoreDocument> {
  const cache = documents(ctx.instance)
  const cached = cache.get(state)
  if (cached) return cached
  const document = describe(ctx).then((described) => {
    // The flows have changed since, so the document is newer than this state. The state may come back, so it must not
    // find this document.
    if (described.state !== state) cache.delete(state)
    return described
  })
  cache.set(state, document)
  // A failure is not cached.
  document.catch(() => cache.delete(state))
  return document
}

/** SQL for a hash of everything that the document depends on. Only stores without flows share a state. */
const stateSql = `md5(concat(
  (SELECT string_agg(f.name || f.state, ',' ORDER BY f.name) FROM added_fields f WHERE f.store_id = $1), ';',
  (SELECT string_agg(w.id || ' ' || w.version, ',' ORDER BY w.id) FROM flows w WHERE w.store_id = $1)))` as const

async function stateOf({ store }: Ctx): Promise<string> {
  const [row] = await store.read(`SELECT ${stateSql}`)
  return row?.[0] ?? ''
}

async function describe(ctx: Ctx): Promise<StoreDocument> {
  const { state, flows, added } = await findFlows(ctx)
  const templates = flows.filter(({ kind }) => kind === 'template')
  const extensions = extensionsOf(templates.map(({ slug, own }) => ({ slug, entries: own })))
  const ownModel: OwnModel = (of) => {
    const own = typeof of.addedUnder === 'string' ? withAddedFields(of, added.get(of.addedUnder)) : of
    const { shownWith } = own
    if (shownWith?.sql !== withExtensions.sql) return own
    return { ...own, shownWith: { ...shownWith, fields: { ...shownWith.fields, ...extensions.fields } } }
  }
  const document = withEntriesOf(ctx.instance.apiDocument(ownModel), flows)
  const text = Buffer.from(JSON.stringify(document).slice(1))
  return { state, text, tag: hash('sha256', text) }
}

/** Reads the flows of a store, the fields that they add, and the state, in one snapshot. */
async function findFlows({ store }: Ctx) {
  const rows = await store.read(
    `SELECT 'state', ${stateSql}, NULL, NULL
     UNION ALL SELECT 'added', name, state::text, fields::text FROM added_fields WHERE store_id = $1
     UNION ALL (SELECT 'flow', id::text, slug, NULL FROM flows WHERE store_id = $1 ORDER BY slug)`,
  )
  const of = (kind: string) => rows.filter(([one]) => one === kind).map(([, ...columns]) => columns)
  const added = new Map(
    of('added').flatMap(([name, ...row]) => {
      const one = toAddedFields(row)
      return one ? [[name as string, one] as const] : []
    }),
  )
  const flows = of('flow').map(([id, slug]) => describeFlow(added, id as string, slug as string))
  return { state: of('state')[0]?.[0] ?? '', added, flows }
}

const describeFlow = (
  added: ReadonlyMap<string, AddedFields>,
  id: string,
  slug: string,
): FlowDescription => ({
  slug,
  kind: kindOf(slug),
  own: withAddedFields(entries, added.get(nameOfFields({ id, slug }))),
})
