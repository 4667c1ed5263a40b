import { randomBytes } from 'node:crypto'
import { writable } from '../../server/kernel/body/input.ts'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import type { Fields, JsonSchema } from '../../server/kernel/shape/fields.ts'
import { access } from '../../server/people/permissions/access.ts'
import { operations } from '../builders/samples.ts'
import type { World } from '../support/world.ts'

/** The operations by which a shopper writes into carts, orders and payments. */
export const shoppersWrites: readonly Operation[] = operations.filter(
  ({ area, method, path }) =>
    area !== undefined &&
    (access[area as keyof typeof access] as { implicit?: string } | undefined)?.implicit === 'rw' &&
    (method === 'POST' || method === 'PUT') &&
    /^\/v2\/(?:carts|orders)\b/.test(path),
)

/** Fills every text of a body with one that occurs nowhere else. */
export class Texts {
  /** Every text begins with it. */
  readonly beginning = `q${randomBytes(3).toString('hex')}`
  readonly #places: string[] = []

  /** The place that a text was written to. */
  placeOf(text: string): string | undefined {
    return this.#places[Number.parseInt(text.slice(this.beginning.length), 36)]
  }

  get places(): readonly string[] {
    return this.#places
  }

  /** The fields of an operation with a text in each, except for `more`. */
  body(operation: Operation, more: Bag = {}, kind?: string): Bag {
    return this.#fields(fieldsOf(operation, kind), `${operation.id} ${kind ?? ''}`, more)
  }

  #fields(fields: Fields, place: string, more: Bag): Bag {
    const own = writable(fields).filter(([name]) => !Object.hasOwn(more, name))
    return {
      ...Object.fromEntries(own.map(([name, { schema }]) => [name, this.#fill(schema, `${place}.${name}`)])),
      ...more,
    }
  }

  #fill(schema: JsonSchema, place: string): unknown {
    const { enum: words, properties, items, additionalProperties, minimum } = schema as Schema
    if (words) return words[0]
    switch ([schema.type].flat()[0]) {
      case 'string':
        return this.#text(schema, place)
      case 'array':
        return [this.#fill(items ?? {}, place)]
      case 'integer':
      case 'number':
        return Math.max(1, minimum ?? 1)
      case 'boolean':
        return false
      default: {
        const members = Object.entries(properties ?? {}).map(([name, one]) => [
          name,
          this.#fill(one, `${place}.${name}`),
        ])
        if (!additionalProperties) return Object.fromEntries(members)
        const each = additionalProperties === true ? { type: 'string' } : additionalProperties
        return {
          ...Object.fromEntries(members),
          [this.#new(`${place} (key)`)]: this.#fill(each, `${place} (value)`),
        }
      }
    }
  }

  #text({ format, pattern }: JsonSchema, place: string): string | undefined {
    if (format === 'email') return `${this.#new(place)}@example.com`
    if (format !== undefined) return undefined
    const text = this.#new(place)
    if (pattern !== undefined && !new RegExp(String(pattern), 'u').test(text))
      throw new Error(`${place} takes no ${text}`)
    return text
  }

  #new(place: string): string {
    const text = this.beginning + this.#places.length.toString(36).padStart(2, '0')
    this.#places.push(place)
    return text
  }
}

type Bag = Readonly<Record<string, unknown>>

interface Schema {
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | true
  readonly minimum?: number
}

function fieldsOf({ of, id }: Operation, kind = ''): Fields {
  if (of.is === 'resource') return of.resource.fields
  const { body, kinds } = of.is === 'action' ? of.action : {}
  const fields = kinds ? kinds.of[kind]?.fields : body?.fields
  if (!fields) throw new Error(`${id} ${kind} has no fields`)
  return fields
}

/** The texts that a database has, by table and column, as the places that they were written to. */
export async function textsIn(world: World, texts: Texts): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await world.feed(
    `SELECT format('%I.%I', c.table_schema, c.table_name) AS relation, format('%I', c.column_name) AS name
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     JOIN pg_class p ON p.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
     WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ('public', 'graphile_worker') AND NOT p.relispartition
       AND c.data_type IN ('text', 'json', 'jsonb', 'character varying', 'ARRAY', 'bytea')`,
  )
  const found = new Map<string, readonly string[]>()
  for (const { relation, name } of rows) {
    const hits = await world.sql(
      `SELECT DISTINCT m[1] AS text FROM ${relation}, regexp_matches(lower(${name}::text), $1, 'g') m
       WHERE strpos(lower(${name}::text), $2) > 0`,
      [`${texts.beginning}[0-9a-z]{2}`, texts.beginning],
    )
    const places = hits.rows.map(({ text }) => texts.placeOf(text) ?? text)
    if (places.length) found.set(`${relation}.${name}`, places.sort())
  }
  return found
}
