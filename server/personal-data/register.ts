import { type Module, resourcesOf } from '../kernel/declare/module.ts'
import type { Resource, Row } from '../kernel/declare/resource.ts'
import type { Work } from '../kernel/work/context.ts'
import { personalAccounts } from './personal-accounts.ts'

/** One kind of object that holds personal data. */
export interface Holder {
  /** What a data entry of it is called: `account-member`. */
  readonly type: string
  readonly resource: Resource
  /** The column that names whom it is about: it is erased with them. */
  readonly home: string
  /** Columns that name others who are told of it. */
  readonly others: readonly string[]
}

interface Related {
  readonly relationships?: Readonly<Record<string, { readonly data?: { readonly id: string } }>>
}

/** The public contract names it; there is none yet. */
const coming = ['order']

/** What holds personal data, as the resources say. */
export class Register {
  readonly holders: readonly Holder[]
  /** What a data entry may be called. */
  readonly types: readonly string[]
  /** The text of a table of all data entries: see `entriesIn`. */
  readonly entries: string

  constructor(modules: readonly Module[]) {
    const all = resourcesOf(modules).flatMap(holder)
    // A resource may have several lists; the first is where its objects are found.
    const known = new Map(all.toReversed().map((one) => [`${one.type} ${one.resource.table}`, one]))
    this.holders = [...known.values()].reverse()
    this.types = [...new Set([...this.holders.map(({ type }) => type), ...coming])].sort()
    this.entries = entriesIn(this.holders)
  }

  /** Addresses are of two kinds. */
  of(type: string): readonly Holder[] {
    return this.holders.filter((one) => one.type === type)
  }

  /**
   * What an object of this resource hangs on, and what that hangs on. A list may be below another parent than the one
   * that its objects are found below: theirs is among their relationships then.
   */
  scopeOf(resource: Resource, row: Row): readonly (string | undefined)[] {
    const found = this.holders.find((one) => one.resource.table === resource.table)?.resource ?? resource
    const [column, above] = found.scopeColumns.toReversed()
    if (!column || resource.scopeColumns.includes(column))
      return [row.scope.at(-1), above && row.scope.at(-2)]
    const { relationships } = row.doc as Related
    return [relationships?.[column.replace(/_id$/, '')]?.data?.id]
  }

  /** The tables of those whom data is about. */
  get roots(): readonly string[] {
    return [...new Set(this.holders.filter(isRoot).map(({ resource }) => resource.table))]
  }

  /** What is about them, and goes with them. */
  get belongings(): readonly Holder[] {
    return this.holders.filter((one) => !isRoot(one))
  }
}

function holder(resource: Resource): readonly Holder[] {
  if (!resource.personal) return []
  const [home, ...others] = resource.personal
  return [{ type: resource.type.replaceAll('_', '-'), resource, home, others }]
}

const isRoot = ({ home }: Holder) => home === 'id'

/** Of a resource that shares its table, the column that tells its rows from the others. */
const sharedBy = ({ resource }: Holder) => (resource.scope ? resource.scopeColumns.at(-1) : undefined)

/** The values of that column, for what `type` calls: none where no table is shared. */
export async function partsOf(work: Work, register: Register, type?: string): Promise<readonly string[]> {
  const parts = register.holders
    .filter((one) => type === undefined || one.type === type)
    .map(async ({ resource }) => (await resource.scope?.of?.(work, {})) ?? [])
  return (await Promise.all(parts)).flat()
}

/**
 * What belongs to whom. An entry may be in several sets; in one of them it is `at_home`: erasing it erases that one.
 * Of a table that is shared `part` says which of its resources a row may be of.
 */
function entriesIn(holders: readonly Holder[]): string {
  const entry = ({ type }: Holder, root: string, isHome: boolean, part = 'NULL::uuid') =>
    `${root} AS root_id, ${isHome} AS at_home, ${part} AS part, '${type}' AS resource_type`
  const own = holders.flatMap((one) =>
    [one.home, ...one.others].map(
      (column) =>
        `SELECT store_id, ${entry(one, column, column === one.home, sharedBy(one))}, id AS resource_id, created_at
         FROM ${one.resource.table}`,
    ),
  )
  // An account that is one person's is in that person's set too, with what is at home there.
  const personal = holders.flatMap((one) => {
    const account = one.resource.table === 'accounts' ? 'id' : one.home
    if (account !== 'account_id' && one.resource.table !== 'accounts') return []
    return [
      `SELECT p.store_id, ${entry(one, 'p.account_member_id', false)}, o.id, o.created_at
       FROM (${personalAccounts}) p
       JOIN ${one.resource.table} o ON o.store_id = p.store_id AND o.${account} = p.account_id`,
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
 * SQL that finds out of a change or a read `r` whom its object is about. Undefined when it does not say so: a read
 * knows no values.
 */
export function homeIn({ home, resource }: Holder, isRead: boolean): string | undefined {
  if (home === 'id') return 'r.id'
  if (home === resource.scopeColumns.at(-1)) return 'r.scope'
  return isRead ? undefined : `(r.doc->>'${home}')::uuid`
}
