import type { Resource } from '../kernel/declare/resource.ts'
import { type Module, resourcesOf } from '../kernel/module.ts'
import type { Model, Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { personalAccounts } from './personal-accounts.ts'

/** A kind of object that holds personal data. */
interface PersonalHolder {
  /** The type of its data entries: `account-member`. */
  readonly type: string
  readonly resource: Resource
  /** The column with the id of the person or account that it is about, and is erased with. */
  readonly home: string
  /** Columns with the ids of others whose sets show it. */
  readonly others: readonly string[]
}

/** The part of a document that says what it belongs to. */
interface DocumentWithRelationships {
  readonly relationships?: Readonly<Record<string, { readonly data?: { readonly id: string } }>>
}

/** The resources that hold personal data, by their declarations. */
export class Register {
  readonly holders: readonly PersonalHolder[]
  /** All types of data entries. */
  readonly types: readonly string[]
  /** The SQL of a table of all data entries: see `entriesSql`. */
  readonly entries: string

  constructor(modules: readonly Module[]) {
    const all = resourcesOf(modules).flatMap(toHolders)
    // Several resources may list the same objects. The path of an object is that of the first one.
    const byTable = new Map(all.toReversed().map((one) => [`${one.type} ${one.resource.table}`, one]))
    this.holders = [...byTable.values()].reverse()
    this.types = [...new Set(this.holders.map(({ type }) => type))].sort()
    this.entries = entriesSql(this.holders)
  }

  /** Several resources may have one type: there are two kinds of addresses. */
  holdersOf(type: string): readonly PersonalHolder[] {
    return this.holders.filter((one) => one.type === type)
  }

  /**
   * The ids of an object's parent and of the parent's parent. A list may be below another parent than the path of its
   * objects. Then the parent is one of their relationships.
   */
  scopeOf(model: Model, row: Row): readonly (string | undefined)[] {
    const [column, above] = this.#holderOf(model).scopeColumns.toReversed()
    if (!column || model.scopeColumns.includes(column)) return [row.scope.at(-1), above && row.scope.at(-2)]
    const { relationships } = row.doc as DocumentWithRelationships
    return [relationships?.[column.replace(/_id$/, '')]?.data?.id]
  }

  /** Whether `scopeOf` reads the document of a row. */
  needsDocument(model: Model): boolean {
    const [column] = this.#holderOf(model).scopeColumns.slice(-1)
    return column !== undefined && !model.scopeColumns.includes(column)
  }

  #holderOf(model: Model): Model {
    return this.holders.find((one) => one.resource.table === model.table)?.resource ?? model
  }

  /** The tables of the persons and accounts that data is about. */
  get rootTables(): readonly string[] {
    return [...new Set(this.holders.filter(isRoot).map(({ resource }) => resource.table))]
  }

  /** Objects about them, which are erased with them. */
  get belongings(): readonly PersonalHolder[] {
    return this.holders.filter((one) => !isRoot(one))
  }
}

function toHolders(resource: Resource): readonly PersonalHolder[] {
  if (!resource.personal) return []
  const [home, ...others] = resource.personal
  return [{ type: resource.type.replaceAll('_', '-'), resource, home, others }]
}

const isRoot = ({ home }: PersonalHolder) => home === 'id'

/**
 * The column that separates the rows of a resource from others in the same table; undefined if the table has one
 * resource.
 */
const partColumn = ({ resource }: PersonalHolder) =>
  resource.scope ? resource.scopeColumns.at(-1) : undefined

/** Finds the values of that column for all resources, or those of the type. */
export async function findParts(work: Work, register: Register, type?: string): Promise<readonly string[]> {
  const parts = register.holders
    .filter((one) => type === undefined || one.type === type)
    .map(async ({ resource }) => (await resource.scope?.of?.(work, {})) ?? [])
  return (await Promise.all(parts)).flat()
}

/**
 * The SQL of all data entries with their sets. An entry may be in several sets. It is erased with the one where it is
 * `at_home`. In a table that several resources share, `part` says which of them an entry belongs to.
 */
function entriesSql(holders: readonly PersonalHolder[]): string {
  const entry = ({ type }: PersonalHolder, root: string, isHome: boolean, part = 'NULL::uuid') =>
    `${root} AS root_id, ${isHome} AS at_home, ${part} AS part, '${type}' AS resource_type`
  const own = holders.flatMap((one) =>
    [one.home, ...one.others].map(
      (column) =>
        `SELECT store_id, ${entry(one, column, column === one.home, partColumn(one))}, id AS resource_id, created_at
         FROM ${one.resource.table} WHERE store_id = $1`,
    ),
  )
  // An account with one person is in that person's set too, with all entries of the account.
  const personal = holders.flatMap((one) => {
    const account = one.resource.table === 'accounts' ? 'id' : one.home
    if (account !== 'account_id' && one.resource.table !== 'accounts') return []
    return [
      `SELECT p.store_id, ${entry(one, 'p.account_member_id', false)}, o.id, o.created_at
       FROM (${personalAccounts}) p
       JOIN ${one.resource.table} o ON o.store_id = $1 AND o.${account} = p.account_id WHERE p.store_id = $1`,
    ]
  })
  return `(
    SELECT store_id, root_id, at_home, part, resource_type, resource_id,
      md5(resource_type || resource_id)::uuid AS id, 0 AS version, created_at, created_at AS updated_at,
      json_build_object('resource_type', resource_type, 'resource_id', resource_id) AS doc
    FROM (${[...own, ...personal].join(' UNION ALL ')}) united
  ) personal_data_entries`
}

/**
 * The SQL of the person or account that the object of a change or a read `r` is about. undefined if a read does not
 * have it: reads store no values.
 */
export function homeSql({ home, resource }: PersonalHolder, isRead: boolean): string | undefined {
  if (home === 'id') return 'r.id'
  if (home === resource.scopeColumns.at(-1)) return 'r.scope'
  return isRead ? undefined : `(r.doc->>'${home}')::uuid`
}

/** The table of an object, and its parents: enough to give the path of a deleted object. */
export interface ObjectPlace {
  readonly source: string
  readonly scope: string | null
  /** The parent of the innermost parent. */
  readonly parent_scope: string | null
}

/** The path of an object that exists or was deleted; undefined if its parents are not known. */
export function resourcePath(
  register: Register,
  type: string,
  id: string,
  { source, scope, parent_scope }: ObjectPlace,
): string | undefined {
  const path = register.holdersOf(type).find(({ resource }) => resource.table === source)?.resource.path
  const parameters = path?.match(/:\w+/g) ?? []
  const values = [parent_scope, scope].slice(2 - parameters.length)
  if (path === undefined || values.length < parameters.length || values.includes(null)) return undefined
  return `${parameters.reduce((text, parameter, i) => text.replace(parameter, values[i] as string), path)}/${id}`
}
