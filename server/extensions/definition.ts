import type { RE2JS } from 're2js'
import type { Resource } from '../kernel/declare/resource.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { Memory } from '../kernel/memory.ts'
import { untilWritten } from '../kernel/storage/until-written.ts'
import type { Work } from '../kernel/work/context.ts'
import { perInstance } from '../kernel/work/per-instance.ts'
import { entriesOf } from './entries.ts'
import { compileRegex, type FieldType, type Rules } from './field-rules.ts'

/** A custom API with its fields, and the resource of its entries: what every request for an entry needs to know. */
export interface Definition {
  readonly id: string
  /** Another one whenever the custom API or one of its fields changes. */
  readonly state: string
  readonly name: string
  readonly description: string
  readonly slug: string
  readonly apiType: string
  readonly allowUpserts: boolean
  readonly fields: readonly DefinedField[]
  /** The field whose value takes the id's place in URLs. */
  readonly urlSlug: DefinedField | undefined
  readonly entries: Resource
}

export interface DefinedField {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly type: FieldType
  readonly rules: Rules
  readonly regex: RE2JS | undefined
  readonly isUrlSlug: boolean
}

/** How a request names a custom API. */
export interface Naming {
  readonly column: 'slug' | 'id'
  readonly value: string
}

// Built once per state, and found by what requests call it.
const kept = perInstance(() => new Memory<string, Definition>(1000))

const keyOf = ({ store }: Work, { column, value }: Naming) => `${store.id} ${column} ${value}`

/** SQL for the state of a custom API. */
export const stateIn = (api: string): string => `${api}.version || '.' || ${api}.definition`

/** The custom API that a request names, as it was when this process last looked: there may be another one by now. */
export const rememberedDefinition = (work: Work, naming: Naming): Definition | undefined =>
  kept(work.instance).get(keyOf(work, naming))

/**
 * The custom API that a request names, as it is now. Whoever `keeps` the definition has it so until the transaction
 * ends: what changes a field closes it first, and its slug and type are in keys of its row, which a row that is kept
 * does not change.
 */
export async function findDefinition(work: Work, naming: Naming, keeps = false): Promise<Definition> {
  const { column, value } = naming
  if (column === 'id' && !isId(value)) throw missing(value)
  const text =
    `SELECT a.id, ${stateIn('a')} FROM custom_apis a WHERE a.store_id = $1 AND a.${column} = $2` as const
  const [found] = await (keeps ? work.store.glanceAndKeep(text, value) : work.store.glance(text, value))
  if (!found) throw missing(value)
  const [id, state] = found as [string, string]
  const known = rememberedDefinition(work, naming)
  if (known?.id === id && known.state === state) return known
  const definition = await readDefinition(work, id)
  kept(work.instance).set(keyOf(work, naming), definition)
  return definition
}

/**
 * Runs a write with the definition as this process remembers it: again with the definition as it is when the write
 * finds that there is another one (undefined), or refuses, which may be for what was so before.
 */
export async function withDefinition<T>(
  work: Work,
  naming: Naming,
  write: (api: Definition) => Promise<T | undefined>,
): Promise<T> {
  const remembered = rememberedDefinition(work, naming)
  if (remembered) {
    try {
      const written = await write(remembered)
      if (written) return written
    } catch (refusal) {
      // What the database refused it refused under the definition as it is.
      const isOurs = refusal instanceof Problem && refusal.cause === undefined
      if (!isOurs || (await findDefinition(work, naming)) === remembered) throw refusal
    }
  }
  return untilWritten(async () => write(await findDefinition(work, naming)))
}

const missing = (name: string) => notFound('custom api', name)

async function readDefinition(work: Work, id: string): Promise<Definition> {
  const [row] = await work.store.glance(`${definitions} AND a.id = $2`, id)
  if (!row) throw missing(id)
  return toDefinition(row)
}

/** All custom APIs of the store. */
export async function allDefinitions(work: Work): Promise<readonly Definition[]> {
  return (await work.store.rows(`${definitions} ORDER BY a.slug`)).map(toDefinition)
}

// One statement: the definition and its state are of one snapshot.
const definitions = `SELECT a.id, ${stateIn('a')}, a.doc,
  (SELECT json_agg(json_build_object('id', f.id, 'doc', f.doc) ORDER BY f.created_at, f.id)
   FROM custom_fields f WHERE f.store_id = a.store_id AND f.custom_api_id = a.id)
  FROM custom_apis a WHERE a.store_id = $1` as const

interface FieldRow {
  readonly id: string
  readonly doc: {
    readonly slug: string
    readonly name: string
    readonly description?: string
    readonly field_type: FieldType
    readonly use_as_url_slug?: boolean
    readonly validation: Record<FieldType, Rules>
  }
}

function toDefinition([id, state, doc, fieldRows]: readonly (string | null)[]): Definition {
  const api = JSON.parse(doc as string) as Record<string, string>
  const fields = (JSON.parse(fieldRows ?? '[]') as FieldRow[]).map(toField)
  const facts = {
    id: id as string,
    state: state as string,
    name: api.name as string,
    description: api.description ?? '',
    slug: api.slug as string,
    apiType: api.api_type as string,
    allowUpserts: Boolean(api.allow_upserts),
    fields,
    urlSlug: fields.find(({ isUrlSlug }) => isUrlSlug),
  }
  return { ...facts, entries: entriesOf(facts) }
}

function toField({ id, doc }: FieldRow): DefinedField {
  const rules = doc.validation[doc.field_type]
  let regex: RE2JS | undefined
  return {
    id,
    slug: doc.slug,
    name: doc.name,
    description: doc.description ?? '',
    type: doc.field_type,
    rules,
    get regex() {
      // Compiled when the first value comes: a reader needs none.
      if (rules.regex != null) regex ??= compileRegex(rules.regex, `data.${doc.slug}`)
      return regex
    },
    isUrlSlug: doc.use_as_url_slug ?? false,
  }
}
