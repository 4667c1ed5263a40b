import { isDeepStrictEqual } from 'node:util'
import { Faults } from '../../kernel/body/faults.ts'
import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { metaSchema } from '../../kernel/declare/shown-schema.ts'
import { invalidField } from '../../kernel/errors.ts'
import { etagId } from '../../kernel/shape/answer.ts'
import { field, integer, type JsonSchema, text } from '../../kernel/shape/fields.ts'
import { type Draft, type Row, walks } from '../../kernel/shape/model.ts'
import { ownValue } from '../../kernel/shape/values.ts'
import type { ApiDefinition, DefinedField } from './definition.ts'
import { filtersOf } from './entry-filters.ts'
import { foldCase, mustBePresent, mustFit, sizeOf } from './entry-values.ts'
import { exactTotals, extensionEnvelope } from './extension-envelope.ts'

/** Stored beside the values of an entry. `meta` is a reserved slug, so no field has this name. */
interface StoredMeta {
  readonly data_size: number
  /** The folded values of fields that are unique regardless of case, by field id. */
  readonly folded?: Readonly<Record<string, string>>
}

/** Members of `meta` of every entry. */
const entryMeta = {
  data_size: integer({ min: 0, about: 'The size of the values in bytes.' }),
  resource_version: integer({ min: 0, about: 'Changes with every write.' }),
  etag_id: text({ about: 'The hash that the ETag contains.' }),
}

export const entryMetaSchema: JsonSchema =
  metaSchema({ envelope: extensionEnvelope, meta: { fields: entryMeta } }) ?? {}

/** The resource of a custom API's entries. */
export function defineEntries({ id, doc, fields, urlSlug }: Omit<ApiDefinition, 'entries'>): Resource {
  return resource({
    type: doc.api_type,
    noun: ['custom-entry', 'custom-entries'],
    about: doc.description,
    path: `/v2/extensions/${doc.slug}`,
    table: 'entries',
    scope: { columns: ['custom_api_id'], of: () => [id] },
    fields: {
      ...Object.fromEntries(
        fields.map(({ name, schema, about }) => [name, field<unknown>(schema, { about })]),
      ),
      meta: field<StoredMeta | undefined>({ type: 'object' }, { hidden: true, readOnly: true }),
    },
    filter: { ...filtersOf(fields), ...walks },
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
    beforeWrite: (_ctx, draft) => complete(fields, draft),
    constraints: {
      entry_values_unique: {
        code: 'conflict',
        detail: `${doc.api_type} with the given value already exists`,
      },
    },
    ...(urlSlug && {
      key: { field: urlSlug.name, where: (name, bind) => `id = ${idNamed(urlSlug, name, bind)}` },
    }),
  })
}

/** SQL for the id of the entry with this URL slug. */
export function idNamed({ id, rules }: DefinedField, name: string, bind: (value: unknown) => string): string {
  const compared = rules.unique_case_insensitivity ? foldCase(name) : name
  return `(SELECT entry_id FROM entry_values WHERE store_id = $1 AND field_id = ${bind(id)}::uuid
    AND unique_key = entry_unique_key(NULL, NULL, ${bind(compared)}))`
}

/** Completes an entry: every field has a value, at least null. */
function complete(fields: readonly DefinedField[], { values, before }: Draft): void {
  const folded: Record<string, string> = {}
  const faults = new Faults()
  let size = 0
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : null
    values[field.name] = value
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

function mustBeUnchanged({ name, rules }: DefinedField, value: unknown, { doc }: Row): void {
  if (!rules.immutable || isDeepStrictEqual(value, ownValue(doc, name) ?? null)) return
  throw invalidField(`data.${name}`, 'is immutable; it cannot be changed after the entry is created')
}
