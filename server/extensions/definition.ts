import type { RE2JS } from 're2js'
import type { Ctx } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { Memory } from '../kernel/memory.ts'
import { perInstance } from '../kernel/per-instance.ts'
import type { Resource } from '../kernel/resource.ts'
import { entriesOf } from './entries.ts'
import { compileRegex, type FieldType, type Rules } from './field-rules.ts'

/** A custom API with its fields, and the resource of its entries: what every request for an entry needs to know. */
export interface Definition {
  readonly id: string
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
export type Naming = { readonly slug: string } | { readonly id: string }

// Definitions are built once per state; the state is read anew with every request.
const kept = perInstance(
  () => new Memory<string, { readonly state: string; readonly definition: Definition }>(1000),
)

/**
 * The custom API that a request names, as it is now. Whoever `keeps` the definition has it so until the transaction
 * ends: what writes one closes it first.
 */
export async function findDefinition(ctx: Ctx, naming: Naming, keeps = false): Promise<Definition> {
  const [column, value] = 'slug' in naming ? ['slug', naming.slug] : ['id', naming.id]
  if (column === 'id' && !isId(value)) throw missing()
  const text =
    `SELECT id, version || '.' || definition FROM custom_apis WHERE store_id = $1 AND ${column} = $2` as const
  const [found] = await (keeps ? ctx.store.glanceAndKeep(text, value) : ctx.store.glance(text, value))
  if (!found) throw missing()
  const [id, state] = found as [string, string]
  const key = `${ctx.store.id} ${id}`
  const known = kept(ctx.instance).get(key)
  if (known?.state === state) return known.definition
  return readDefinition(ctx, id, key)
}

const missing = () => new Problem('not_found', 'custom api not found')

async function readDefinition(ctx: Ctx, id: string, key: string): Promise<Definition> {
  const [row] = await ctx.store.rows(`${definitions} AND a.id = $2`, id)
  if (!row) throw missing()
  const definition = toDefinition(row)
  kept(ctx.instance).set(key, { state: row[1] as string, definition })
  return definition
}

/** All custom APIs of the store. */
export async function allDefinitions(ctx: Ctx): Promise<readonly Definition[]> {
  return (await ctx.store.rows(`${definitions} ORDER BY a.slug`)).map(toDefinition)
}

// One statement: the definition and its state are of one snapshot.
const definitions = `SELECT a.id, a.version || '.' || a.definition, a.doc,
  (SELECT json_agg(json_build_object('id', f.id, 'doc', f.doc) ORDER BY f.created_at, f.id)
   FROM custom_fields f WHERE f.store_id = a.store_id AND f.custom_api_id = a.id)
  FROM custom_apis a WHERE a.store_id = $1`

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

function toDefinition([id, , doc, fieldRows]: readonly (string | null)[]): Definition {
  const api = JSON.parse(doc as string) as Record<string, string>
  const fields = (JSON.parse(fieldRows ?? '[]') as FieldRow[]).map(toField)
  const facts = {
    id: id as string,
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
