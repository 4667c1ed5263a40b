import { invalidField, Problem } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import { brokenConstraint } from '../../kernel/storage/refusals.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { partOfRow } from '../values/part-of-row.ts'
import type { ApiDefinition, DefinedField } from './definition.ts'
import { mustBeAccepted } from './entry-values.ts'
import type { EntryName } from './find-entry.ts'

type SentValues = Readonly<Record<string, unknown>>

/** Stores a new entry, unless the definition has changed since its values were checked against it. */
export async function createEntry(
  work: Work,
  api: ApiDefinition,
  values: SentValues,
  id: string = newId(),
): Promise<Row | undefined> {
  const { entries } = api
  const draft: Draft = { id, scope: [api.id], values: { ...values } }
  await entries.beforeWrite?.(work, draft)
  const isDefinitionUnchanged = (bind: (value: unknown) => string) =>
    `definition_kept(s.id, ${bind(api.id)}::uuid, ${bind(api.state)})`
  return namingTheField(api, work.store.insert(entries, draft, true, isDefinitionUnchanged))
}

export const changeEntry = (
  ctx: Ctx,
  api: ApiDefinition,
  id: string,
  values: SentValues,
  ifMatch: string | undefined,
): Promise<Row> => namingTheField(api, change(ctx, api.entries, [api.id], id, values, ifMatch))

/** Creates the entry that an update names. The definition is locked. */
export async function upsertEntry(
  ctx: Ctx,
  api: ApiDefinition,
  { name, byUrlSlug }: EntryName,
  values: SentValues,
  ifMatch: string | undefined,
): Promise<Row> {
  if (ifMatch !== undefined) {
    const detail = `The provided ETag '${ifMatch}', does not match the current ETag: there is no such entry.`
    throw new Problem('precondition_failed', detail)
  }
  const { urlSlug } = api
  if (byUrlSlug && urlSlug)
    return (await createEntry(ctx, api, { ...values, ...slugFromUrl(urlSlug, name, values) })) as Row
  if (!isId(name)) {
    throw new Problem('invalid_field', `The id of an entry must be a UUID, not ${name}.`, { source: 'id' })
  }
  return (await createEntry(ctx, api, values, name.toLowerCase())) as Row
}

/** The URL slug of a new entry comes from the URL, so that the body need not repeat it. */
function slugFromUrl(urlSlug: DefinedField, value: string, values: SentValues): SentValues {
  const { name } = urlSlug
  mustBeAccepted(urlSlug, value)
  if (Object.hasOwn(values, name) && values[name] !== value)
    throw invalidField(`data.${name}`, `must be ${JSON.stringify(value)}, as in the URL`)
  return { [name]: value }
}

/** Runs a write. If a unique value is taken, the refusal names the field. */
async function namingTheField<T>({ doc, fields }: ApiDefinition, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof Problem) || brokenConstraint(error.cause) !== 'entry_values_unique') throw error
    // PostgreSQL reports the key, which contains the id of the field.
    const { detail = '' } = error.cause as { detail?: string }
    const field = fields.find(({ id }) => detail.includes(id))
    if (!field) throw error
    throw new Problem('conflict', `${doc.api_type} with the given ${field.name} already exists`, {
      source: `data.${field.name}`,
      cause: error.cause,
    })
  }
}

/**
 * The part of an entry that callers see after an update if they cannot read entries: only the fields that they sent,
 * and the type, id, times, version and links. They see neither the size nor the URL slug, unless they sent it, because
 * both reveal values.
 */
export const sentPart = (row: Row, sent: SentValues): Row =>
  partOfRow(row, Object.fromEntries(Object.entries(row.doc).filter(([name]) => Object.hasOwn(sent, name))))
