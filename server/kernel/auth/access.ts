import { Problem } from '../errors.ts'

/**
 * Who may do what: for each area of the API, what each kind of caller may do there. `-` nothing, `r` read, `ru` read
 * and update, `rw` that and all else. The application brings the table; an area or a kind that is not in it may do
 * nothing.
 */
export type AccessTable = Readonly<Record<string, Readonly<Record<string, '-' | 'r' | 'ru' | 'rw'>>>>

type Access = 'read' | 'update' | 'write'

const allows: Readonly<Record<string, readonly Access[]>> = {
  '-': [],
  r: ['read'],
  ru: ['read', 'update'],
  rw: ['read', 'update', 'write'],
}

export function mayDo(table: AccessTable, kind: string, area: string, access: Access): boolean {
  return (allows[table[area]?.[kind] ?? '-'] ?? []).includes(access)
}

/** Who asks, as far as access goes by it. */
interface Caller {
  readonly kind: string
}

interface Gate {
  readonly access: AccessTable
  /** Tokens that name a person beside the bearer token, and what the headers are called that carry them. */
  readonly shopperTokens: readonly { readonly header: string; readonly kind: string }[]
}

/** Refuses (403) callers whose kind the table does not let do this. */
export function authorize(gate: Gate, who: Caller, area: string, access: Access): void {
  if (mayDo(gate.access, who.kind, area, access)) return
  const kinds = Object.keys(gate.access[area] ?? {}).filter((kind) => mayDo(gate.access, kind, area, access))
  throw wrongToken(gate, who, kinds)
}

/** The refusal of a caller with another token than one of these kinds: which was looked at, and which would do. */
export function wrongToken(
  { shopperTokens }: Pick<Gate, 'shopperTokens'>,
  { kind }: Caller,
  kinds: readonly string[],
): Problem {
  const named = (one: string) => {
    const header = shopperTokens.find((token) => token.kind === one)?.header
    const token = `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one} token`
    return header ? `${token} in the header ${header}` : token
  }
  const needed = kinds.length ? `It needs ${kinds.map(named).join(', or ')}` : 'No token allows it'
  return new Problem(
    'forbidden',
    `You do not have permission to access this resource. ${needed}; the request has ${named(kind)}.`,
  )
}
