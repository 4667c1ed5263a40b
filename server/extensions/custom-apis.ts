import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { type FieldOptions, flag, object, text } from '../kernel/fields.ts'
import { type Draft, dialects, type Row, resource, walks } from '../kernel/resource.ts'
import { mustNest, type Relationships, withoutParent } from './parent-apis.ts'

const customApisMax = 10_000

const short = { type: 'string', maxLength: 255 }
const parentLink = {
  type: 'object',
  required: ['id', 'type'],
  properties: { id: short, type: { type: 'string', enum: ['custom_api', 'api_location'] } },
}

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to people.', example: 'Gift registries' }),
  description: text({ default: '', max: 255, about: 'What its entries are for.' }),
  slug: text({
    required: true,
    pattern: /^[a-z0-9_-]{1,63}$/,
    about: 'Its entries are at /v2/extensions/ and this; unique in the store.',
    example: 'gift-registries',
  }),
  api_type: text({
    required: true,
    pattern: /^[a-z0-9_]{1,59}_ext$/,
    about: 'The type of its entries; ends in _ext, and is unique in the store.',
    example: 'gift_registry_ext',
  }),
  allow_upserts: flag({
    default: false,
    about: 'A PUT to an entry that does not exist creates it.',
  }),
  presentation: object<{ page?: string; section?: string }, FieldOptions>(
    { properties: { page: short, section: short } },
    { about: 'Where a console shows it.' },
  ),
  relationships: object<Relationships, FieldOptions>(
    {
      properties: {
        parent_apis: {
          type: 'object',
          required: ['data'],
          properties: { data: { type: 'array', maxItems: 100, items: parentLink } },
        },
      },
    },
    { default: { parent_apis: { data: [] } }, about: 'The custom APIs this one is shown under.' },
  ),
}

/** A kind of object that a store adds to its API: a table, whose columns are its custom fields. */
export const customApis = resource({
  type: 'custom_api',
  noun: ['custom-api', 'custom-apis'],
  about: 'A kind of object that the store has added to its API.',
  path: '/v2/settings/extensions/custom-apis',
  table: 'custom_apis',
  fields,
  filter: {
    ...walks,
    name: ['eq', 'like'],
    description: ['eq', 'like'],
    slug: ['eq', 'like', 'in'],
    api_type: ['eq', 'like', 'in'],
  },
  sort: ['api_type', 'created_at', 'id', 'name', 'slug', 'updated_at'],
  area: 'custom-apis',
  dialect: dialects.extensions,
  listMeta: () => ({ results: { total_method: 'exact' } }),
  beforeWrite: mustFit,
  afterWrite: showTypeOfEntries,
  beforeDelete: takeEntriesAlong,
  constraints: {
    custom_apis_slug_key: {
      code: 'conflict',
      detail: 'custom_api with the given slug already exists',
      source: 'data.slug',
    },
    custom_apis_api_type_key: {
      code: 'conflict',
      detail: 'custom_api with the given api_type already exists',
      source: 'data.api_type',
    },
  },
})

/** Custom APIs are written one at a time in a store: what was counted and walked then still holds at commit. */
const waitForTurn = (ctx: Ctx) =>
  ctx.store.rows(`SELECT pg_advisory_xact_lock(hashtextextended('custom_apis ' || $1, 0))`)

async function mustFit(ctx: Ctx, { id, values, before }: Draft<typeof fields>): Promise<void> {
  await waitForTurn(ctx)
  if (!before) {
    const [row] = await ctx.store.rows('SELECT count(*) FROM custom_apis WHERE store_id = $1')
    if (Number(row?.[0]) >= customApisMax) {
      throw new Problem('unprocessable', `A store has at most ${customApisMax} custom APIs.`)
    }
  }
  values.relationships = { parent_apis: { data: values.relationships?.parent_apis?.data ?? [] } }
  await mustNest(ctx, id, values.relationships)
}

/** Entries show their API's type: when it changes, so does each of them. */
async function showTypeOfEntries(
  ctx: Ctx,
  row: Row<typeof fields>,
  before: Row<typeof fields> | undefined,
): Promise<void> {
  if (!before || before.doc.api_type === row.doc.api_type) return
  await ctx.store.write(
    `UPDATE entries SET version = version + 1, updated_at = greatest(updated_at, $4::timestamptz)
     FROM set_config('sutler.by', $2, true) WHERE store_id = $1 AND custom_api_id = $3`,
    row.id,
    ctx.clock.now(),
  )
}

/** The entries go first, while the change feed can still say what they were. */
async function takeEntriesAlong(ctx: Ctx, row: Row): Promise<void> {
  await waitForTurn(ctx)
  await ctx.store.rows('SELECT 1 FROM custom_apis WHERE store_id = $1 AND id = $2 FOR UPDATE', row.id)
  await ctx.store.write(
    `DELETE FROM entries USING set_config('sutler.by', $2, true) WHERE store_id = $1 AND custom_api_id = $3`,
    row.id,
  )
  await withoutParent(ctx, customApis, row.id)
}
