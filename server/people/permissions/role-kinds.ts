import type { Persons } from '../../kernel/auth/access.ts'
import { builtInRoles } from './built-in-roles.ts'

/** The roles of colleagues, each with its column of the access table. Shoppers' roles have none. */
const kindsByName = {
  Basic: 'basic',
  Support: 'support',
  'Marketing/Sales': 'marketing',
  'Promotions Manager': 'promotions-manager',
  'IT/Developer': 'developer',
  'eCommerce Admin': 'ecommerce-admin',
  'Store Admin': 'store-admin',
  'Org Admin': 'org-admin',
} as const

export type RoleKind = (typeof kindsByName)[keyof typeof kindsByName]

export interface ColleagueRole {
  readonly id: string
  readonly name: string
  readonly kind: RoleKind
}

export const colleagueRoles: readonly ColleagueRole[] = builtInRoles.flatMap(({ id, name }) => {
  const kind = kindsByName[name as keyof typeof kindsByName]
  return kind === undefined ? [] : [{ id, name, kind }]
})

export const roleById = (id: string): ColleagueRole | undefined =>
  colleagueRoles.find((role) => role.id === id.toLowerCase())

export const roleByKind = (kind: string): ColleagueRole | undefined =>
  colleagueRoles.find((role) => role.kind === kind)

/** Those who may do everything, also with colleagues. */
export const isAdministrator = (kind: string): boolean => kind === 'store-admin' || kind === 'org-admin'

/** What the kernel knows of colleagues. */
export const persons: Persons = {
  has: (kind) => roleByKind(kind) !== undefined,
  missingRight(kind, right, kinds) {
    const able = kinds.flatMap((one) => roleByKind(one)?.name ?? [])
    const who = able.length ? `These roles have it: ${able.join(', ')}.` : 'No role has it.'
    return `Your role, ${roleByKind(kind)?.name}, does not have the right to ${right}. ${who} A Store Admin can give you another role.`
  },
}
