import { hierarchies } from '../../assortment/index.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { choice, field, flag, list, reference, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import { readOnly, shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { catalogEnvelope } from './catalog-envelope.ts'
import { lockPricebooks, prioritizedPricebooks } from './prioritized-pricebooks.ts'

const counted = shown.group({
  links: shown.group({ related: shown.text }),
  meta: shown.group({ count: shown.integer }),
})

const about = 'Where its rules and releases are listed, and how many there are.'

/**
 * Links to the rules and releases of a catalog, with their counts. Creating or deleting one of them raises the
 * version of the catalog.
 */
const withRelationships = {
  fields: { relationships: readOnly(shown.group({ rules: counted, releases: counted }), { about }) },
  sql: (catalog: string): string => {
    const linked = (related: string, table: string) =>
      `json_build_object('links', json_build_object('related', ${related}), 'meta', json_build_object('count', (
        SELECT count(*) FROM ${table} other
        WHERE other.store_id = $1 AND other.catalog_id = ${catalog}id)))`
    const [rules, releases] = [
      linked(`'/pcm/catalogs/rules?filter=eq(catalog_id,' || ${catalog}id || ')'`, 'catalog_rules'),
      linked(`'/pcm/catalogs/' || ${catalog}id || '/releases'`, 'catalog_releases'),
    ]
    return `'"relationships":' || json_build_object('rules', ${rules}, 'releases', ${releases})::text`
  },
}

const localesSchema = {
  type: 'object',
  maxProperties: 100,
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,35}$' },
  additionalProperties: { type: 'object', additionalProperties: { type: 'string', maxLength: 65_535 } },
}

const fields = {
  name: text({ required: true, min: 1, max: 255, about: 'Shown to merchants.', example: 'Bakery, spring' }),
  description: text({ nullable: true, default: '', about: 'Shown to merchants.' }),
  hierarchy_ids: list(reference('hierarchy', {}), {
    required: true,
    about: 'The hierarchies whose products it sells, in the order in which shoppers see them.',
  }),
  pricebook_id: reference('pricebook', {
    nullable: true,
    about: 'The price book with its prices. A catalog without a price book shows no prices.',
  }),
  pricebook_ids: prioritizedPricebooks('Several price books, by priority, instead of pricebook_id.'),
  locales: field<object | null | undefined>(localesSchema, {
    nullable: true,
    about: 'Names and descriptions by language, such as `fr-FR`. An update replaces all of them.',
  }),
  enable_price_segmentation: flag({
    default: false,
    about: 'Whether catalog rules may replace its price books.',
  }),
  owner: choice(['store', 'organization'], { readOnly: true, default: 'store', about: 'The owner.' }),
}

type CatalogFields = typeof fields

export const catalogs: Resource<CatalogFields> = resource({
  type: 'catalog',
  noun: ['catalog', 'catalogs'],
  about: 'Hierarchies and price books that are published for shoppers together.',
  path: '/catalogs',
  table: 'catalogs',
  fields,
  filter: { ...walks, name: indexed('eq', 'like') },
  sort: ['created_at', 'id', 'name', 'updated_at'],
  area: 'catalogs',
  envelope: catalogEnvelope,
  refusedWith: 422,
  shownWith: withRelationships,
  beforeWrite: completeCatalog,
  beforeDelete: mustBeUnused,
  constraints: {
    catalog_rules_catalog_id_fkey: {
      code: 'unprocessable',
      detail: 'A catalog rule uses this catalog. Change or delete the rule first.',
    },
  },
})

async function completeCatalog(work: Work, draft: Draft<CatalogFields>): Promise<void> {
  const { values, before } = draft
  values.description ??= ''
  values.locales ??= undefined
  values.hierarchy_ids = [...new Set(values.hierarchy_ids)]
  takeOnePriceList(draft)
  const changed = (name: 'hierarchy_ids' | 'pricebook_id' | 'pricebook_ids') =>
    JSON.stringify(before?.doc[name]) !== JSON.stringify(values[name])
  if (changed('hierarchy_ids')) await lockHierarchies(work, values.hierarchy_ids)
  if (changed('pricebook_id'))
    await lockPricebooks(work, [values.pricebook_id ?? []].flat(), at('pricebook_id'))
  if (changed('pricebook_ids')) {
    const ids = (values.pricebook_ids ?? []).map(({ id }) => id)
    await lockPricebooks(work, ids, at('pricebook_ids'))
  }
}

const at = (name: string) => `data.attributes.${name}`

/** A catalog has its price books in one of two members. The one in the request replaces the other. */
function takeOnePriceList({ values, changes }: Draft<CatalogFields>): void {
  const sent = changes ?? values
  if (sent.pricebook_id && sent.pricebook_ids?.length) {
    throw new Problem('unprocessable', 'Send pricebook_id or pricebook_ids, not both.', {
      source: at('pricebook_ids'),
    })
  }
  if (sent.pricebook_id) values.pricebook_ids = undefined
  if (sent.pricebook_ids?.length) values.pricebook_id = undefined
  values.pricebook_id ??= undefined
  if (!values.pricebook_ids?.length) values.pricebook_ids = undefined
}

async function lockHierarchies({ store }: Work, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  const rows = await store.readAndLock(
    `SELECT id FROM ${hierarchies.table} WHERE store_id = $1 AND hierarchy_id = $1 AND id = ANY($2::uuid[]) ORDER BY id`,
    ids,
  )
  const existing = new Set(rows.map(([id]) => id))
  const missing = ids.filter((id) => !existing.has(id))
  if (!missing.length) return
  throw new Problem('unprocessable', `No hierarchy has the id ${missing.join(', or ')}.`, {
    source: at('hierarchy_ids'),
  })
}

/** A catalog that shoppers may see is not deleted implicitly. */
async function mustBeUnused({ store }: Work, { id }: Row<CatalogFields>): Promise<void> {
  // While it is locked, it is not published and no rule begins to use it.
  await store.lockExclusive(catalogs, id)
  const rules = await store.run(
    `SELECT doc->'attributes'->>'name', id FROM catalog_rules WHERE store_id = $1 AND catalog_id = $2
     ORDER BY created_at, id LIMIT ${namedMax}`,
    id,
  )
  if (rules.length) {
    const named = rules.map(([name, rule]) => `${JSON.stringify(name)} (${rule})`).join(', ')
    throw new Problem(
      'unprocessable',
      `Catalog rules use this catalog: ${named}. Change or delete them first.`,
    )
  }
  const releases = await store.run(
    `SELECT id FROM catalog_releases WHERE store_id = $1 AND catalog_id = $2 ORDER BY created_at, id LIMIT ${namedMax}`,
    id,
  )
  if (!releases.length) return
  const named = releases.map(([release]) => release).join(', ')
  throw new Problem('unprocessable', `The catalog has releases: ${named}. Delete them first.`)
}

/** An error names at most this many. */
const namedMax = 5
