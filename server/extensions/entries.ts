import { isDeepStrictEqual } from 'node:util'
import { Faults } from '../kernel/body/faults.ts'
import { type Resource, resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { etagId } from '../kernel/shape/answer.ts'
import { field, integer, text } from '../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../kernel/shape/model.ts'
import { ownValue } from '../kernel/shape/values.ts'
import type { DefinedField, Definition } from './definition.ts'
import { filtersOf } from './entry-filters.ts'
import { foldCase, mustBePresent, mustFit, sizeOf, valueSchema } from './entry-values.ts'
import { extensionEnvelope } from './envelope.ts'
import { exactTotals } from './exact-totals.ts'
import { idNamed } from './url-slug.ts'

/** Stored beside the values of an entry. `meta` is a reserved slug, so no field has this name. */
interface StoredMeta {
  readonly data_size: number
  /** The folded values of fields that are unique regardless of case, by field id. */
  readonly folded?: Readonly<Record<string, string>>
}

/** Members of `meta` of every entry. */
export const entryMeta = {
  data_size: integer({ min: 0, about: 'The size of the values in bytes.' }),
  resource_version: integer({ min: 0, about: 'Changes with every write.' }),
  etag_id: text({ about: 'The hash that the ETag contains.' }),
}

/** The resource of a custom API's entries. */
export function defineEntries(api: Omit<Definition, 'entries' | 'state'>): Resource {
  const { urlSlug } = api
  return resource({
    type: api.apiType,
    noun: ['custom-entry', 'custom-entries'],
    about: api.description,
    path: `/v2/extensions/${api.slug}`,
    table: 'entries',
    scope: { columns: ['custom_api_id'], of: () => [api.id] },
    fields: {
      ...Object.fromEntries(
        api.fields.map((own) => [own.slug, field<unknown>(valueSchema(own), { about: own.description })]),
      ),
      meta: field<StoredMeta | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
    },
    filter: {
      ...filtersOf(api.fields),
      ...walks,
    },
    sort: ['created_at', 'id', 'updated_at'],
    area: 'custom-entries',
    // The role policies of the custom API decide who can read entries.
    visible: 'all',
    envelope: extensionEnvelope,
    meta: {
      fields: entryMeta,
      of: (row) => ({
        data_size: row.hidden.meta?.data_size,
        resource_version: row.version,
        etag_id: etagId(row),
      }),
    },
    listMeta: exactTotals,
    beforeWrite: (_ctx, draft) => complete(api, draft),
    constraints: {
      entry_values_unique: { code: 'conflict', detail: `${api.apiType} with the given value already exists` },
    },
    ...(urlSlug && {
      key: { field: urlSlug.slug, where: (name, bind) => `id = ${idNamed(urlSlug, name, bind)}` },
    }),
  })
}

function mustBeUnchanged({ slug, rules }: DefinedField, value: unknown, { doc }: Row): void {
  if (!rules.immutable || isDeepStrictEqual(value, ownValue(doc, slug) ?? null)) return
  const source = `data.${slug}`
  const detail = `Validation failed: ${source} is immutable; it cannot be changed after the entry is created.`
  throw new Problem('invalid_field', detail, { source })
}

/** Completes an entry: every field has a value, at least null. */
function complete({ fields }: Omit<Definition, 'entries' | 'state'>, { values, before }: Draft): void {
  const folded: Record<string, string> = {}
  const faults = new Faults()
  let size = 0
  for (const field of fields) {
    const value = Object.hasOwn(values, field.slug) ? values[field.slug] : null
    values[field.slug] = value
    faults.check(() => mustBePresent(field, value))
    if (before) faults.check(() => mustBeUnchanged(field, value, before))
    if (field.rules.unique_case_insensitivity && typeof value === 'string') folded[field.id] = foldCase(value)
    size += sizeOf(value)
  }
  faults.refuse()
  mustFit(size)
  const meta: StoredMeta = { data_size: size, ...(Object.keys(folded).length > 0 && { folded }) }
  values.meta = meta
}
