import { withArticle } from '../article.ts'
import { Problem } from '../errors.ts'

/**
 * The rights of each kind of caller in each area of the API: `-` nothing, `r` read, `ru` read and update, `rw`
 * everything. The application brings the table; an area or a kind that is missing has no rights.
 */
export type AccessTable = Readonly<Record<string, Readonly<Record<string, '-' | 'r' | 'ru' | 'rw'>>>>

type AreaAccess = 'read' | 'update' | 'write'

const allows: Readonly<Record<string, readonly AreaAccess[]>> = {
  '-': [],
  r: ['read'],
  ru: ['read', 'update'],
  rw: ['read', 'update', 'write'],
}

export function mayDo(table: AccessTable, kind: string, area: string, access: AreaAccess): boolean {
  return (allows[table[area]?.[kind] ?? '-'] ?? []).includes(access)
}

/** The part of a caller that access depends on. */
interface CallerKind {
  readonly kind: string
}

/** The kinds of callers who are persons of the store, and what a refusal tells them. */
export interface Persons {
  readonly has: (kind: string) => boolean
  /** Says which right is missing, and who can give it. `kinds` have the right. */
  readonly missingRight: (kind: string, right: string, kinds: readonly string[]) => string
}

interface Gate {
  readonly persons: Persons
  readonly access: AccessTable
  /** The headers of tokens beside the bearer token, with the kind of caller that each stands for. */
  readonly shopperTokens: readonly { readonly header: string; readonly kind: string }[]
}

/** Refuses (403) callers whose kind lacks this right. */
export function authorize(gate: Gate, who: CallerKind, area: string, access: AreaAccess): void {
  if (mayDo(gate.access, who.kind, area, access)) return
  const kinds = Object.keys(gate.access[area] ?? {}).filter((kind) => mayDo(gate.access, kind, area, access))
  if (!gate.persons.has(who.kind)) throw wrongToken(gate, who, kinds)
  const missing = gate.persons.missingRight(who.kind, `${access} ${area}`, kinds)
  throw new Problem('forbidden', `${notPermitted} ${missing}`)
}

const notPermitted = 'You do not have permission to access this resource.'

/** The refusal for a token of the wrong kind: which token the server used, and which kinds are accepted. */
export function wrongToken(
  { shopperTokens, persons }: Pick<Gate, 'shopperTokens' | 'persons'>,
  { kind }: CallerKind,
  kinds: readonly string[],
): Problem {
  const describeKind = (one: string) => {
    const header = shopperTokens.find((token) => token.kind === one)?.header
    const token = `${withArticle(one)} token`
    return header ? `${token} in the header ${header}` : token
  }
  const tokens = kinds.filter((one) => !persons.has(one))
  const needed = tokens.length ? `It needs ${tokens.map(describeKind).join(', or ')}` : 'No token allows it'
  return new Problem('forbidden', `${notPermitted} ${needed}; the request has ${describeKind(kind)}.`)
}
