import type { RE2JS } from 're2js'
import type { Resource } from '../../kernel/declare/resource.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { Memory } from '../../kernel/memory.ts'
import type { AddedField } from '../../kernel/shape/model.ts'
import { columns, json } from '../../kernel/storage/columns.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import { untilWritten } from '../../kernel/storage/until-written.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { CustomApi } from './custom-apis.ts'
import type { CustomField } from './custom-fields.ts'
import { defineEntries } from './entries.ts'
import { type CustomFieldRules, type CustomFieldType, compileRegex, valueSchema } from './field-rules.ts'

/** A custom API with its fields and the resource of its entries, which every request for an entry needs. */
export interface ApiDefinition {
  readonly id: string
  /** Changes whenever the custom API or one of its fields changes. */
  readonly state: string
  readonly doc: CustomApi
  readonly fields: readonly DefinedField[]
  /** The field whose value replaces the id in URLs. */
  readonly urlSlug: DefinedField | undefined
  readonly entries: Resource
}

/** A field as a store adds it to a resource, with the rules that its schema does not have. */
export interface DefinedField extends Pick<AddedField, 'id' | 'name' | 'schema'> {
  readonly about: string
  readonly type: CustomFieldType
  readonly rules: CustomFieldRules
  readonly regex: RE2JS | undefined
  readonly isUrlSlug: boolean
}

/** How a request names a custom API. */
export interface Naming {
  readonly column: 'slug' | 'id'
  readonly value: string
}

// Built once per state, and cached under the names that requests use.
const definitionCache = perInstance(() => new Memory<string, ApiDefinition>(1000))

const keyOf = ({ store }: Work, { column, value }: Naming) => `${store.id} ${column} ${value}`

/** SQL for the state of a custom API. */
export const stateIn = (api: string): string => `${api}.version || '.' || ${api}.definition`

/** The custom API that a request names, as this process last read it: it may have changed since. */
export const cachedDefinition = (work: Work, naming: Naming): ApiDefinition | undefined =>
  definitionCache(work.instance).get(keyOf(work, naming))

/**
 * The current custom API that a request names. With `isLocked` it cannot change until the end of the transaction:
 * changes of fields lock it exclusively, and its slug and type are in keys of the row, which a shared lock protects.
 */
export async function findDefinition(work: Work, naming: Naming, isLocked = false): Promise<ApiDefinition> {
  const { column, value } = naming
  if (column === 'id' && !isId(value)) throw missing(value)
  const text =
    `SELECT a.id, ${stateIn('a')} FROM custom_apis a WHERE a.store_id = $1 AND a.${column} = $2` as const
  const [row] = await (isLocked ? work.store.readAndLock(text, value) : work.store.read(text, value))
  if (!row) throw missing(value)
  const [id, state] = row as [string, string]
  const cached = cachedDefinition(work, naming)
  if (cached?.id === id && cached.state === state) return cached
  const [current] = await work.store.read(`${definitions} AND a.id = $2`, id)
  if (!current) throw missing(id)
  const definition = toDefinition(current)
  definitionCache(work.instance).set(keyOf(work, naming), definition)
  return definition
}

/**
 * Runs a write with the cached definition. It runs again with the current definition if the write finds that the
 * definition has changed (undefined), or if it refuses, because the refusal may be due to the old definition.
 */
export async function withDefinition<T>(
  work: Work,
  naming: Naming,
  write: (api: ApiDefinition) => Promise<T | undefined>,
): Promise<T> {
  const cached = cachedDefinition(work, naming)
  if (cached) {
    try {
      const result = await write(cached)
      if (result) return result
    } catch (refusal) {
      // The database refuses by the current definition, so only our own refusals are tried again.
      const isOurs = refusal instanceof Problem && refusal.cause === undefined
      if (!isOurs || (await findDefinition(work, naming)) === cached) throw refusal
    }
  }
  return untilWritten(async () => write(await findDefinition(work, naming)))
}

const missing = (name: string) => notFound('custom api', name)

/** All custom APIs of the store. */
export async function findAllDefinitions(work: Work): Promise<readonly ApiDefinition[]> {
  return (await work.store.run(`${definitions} ORDER BY a.slug`)).map(toDefinition)
}

/** The resource of the entries of a custom API; undefined if it has been deleted. */
export async function entriesOfApi(work: Work, customApiId: string): Promise<Resource | undefined> {
  try {
    return (await findDefinition(work, { column: 'id', value: customApiId })).entries
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}

// One statement, so that the definition and its state are from one snapshot.
const stored = columns({
  id: 'a.id',
  state: stateIn('a'),
  doc: ['a.doc', json<CustomApi>],
  fields: [
    `(SELECT coalesce(json_agg(json_build_object('id', f.id, 'doc', f.doc) ORDER BY f.created_at, f.id), '[]')
      FROM custom_fields f WHERE f.store_id = $1 AND f.custom_api_id = a.id)`,
    json<readonly { readonly id: string; readonly doc: CustomField }[]>,
  ],
})

const definitions = `SELECT ${stored.sql} FROM custom_apis a WHERE a.store_id = $1` as const

function toDefinition(row: Tuple): ApiDefinition {
  const { id, state, doc, fields } = stored.read(row)
  const defined = fields.map((field) => toField(field.id, field.doc))
  return define(id, state, doc, defined)
}

export function define(
  id: string,
  state: string,
  doc: CustomApi,
  fields: readonly DefinedField[],
): ApiDefinition {
  const api = { id, state, doc, fields, urlSlug: fields.find(({ isUrlSlug }) => isUrlSlug) }
  return { ...api, entries: defineEntries(api) }
}

export function toField(
  id: string,
  { slug, name, description, field_type: type, use_as_url_slug: isUrlSlug, validation }: CustomField,
): DefinedField {
  const rules = validation?.[type] as CustomFieldRules
  let regex: RE2JS | undefined
  return {
    ...{ id, name: slug, about: description, type, rules, isUrlSlug },
    schema: valueSchema(type, rules, { name, description }),
    get regex() {
      // Compiled on first use: reading entries does not need it.
      if (rules.regex != null) regex ??= compileRegex(rules.regex, `data.${slug}`)
      return regex
    },
  }
}
