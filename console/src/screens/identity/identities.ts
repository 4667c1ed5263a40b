import { type Item, valueAt } from '../../api/objects.ts'
import { ApiProblem } from '../../api/problem.ts'

const type = 'user_authentication_oidc_profile_info'

export const textOf = (item: Item | undefined, path: string): string => {
  const value = valueAt(item, path)
  return typeof value === 'string' ? value : ''
}

/** Issuers are the same with and without a slash at their end. */
const isSameIssuer = (one: string, other: string) => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

/** The issuer that the profile of a link has, if an issuer is another one. */
export function otherIssuer(profile: Item | undefined, issuer: string): string | undefined {
  const known = textOf(profile, 'meta.issuer')
  return known && issuer && !isSameIssuer(known, issuer) ? known : undefined
}

/** Why nobody can sign in by a link; undefined if somebody can. */
export function stopOf(link: Item, profile: Item | undefined): 'noSubject' | 'otherIssuer' | undefined {
  if (!textOf(link, 'subject')) return 'noSubject'
  return otherIssuer(profile, textOf(link, 'issuer')) === undefined ? undefined : 'otherIssuer'
}

/** What a link is to have. */
export interface Identity {
  readonly subject: string
  readonly issuer: string
}

/** The body that gives a link another identity; undefined if it has that already. */
export function relinkBody(link: Item, { subject, issuer }: Identity): unknown {
  const values = { subject: subject.trim(), issuer: issuer.trim() }
  const changed = Object.entries(values).filter(([name, value]) => value !== textOf(link, name))
  return changed.length ? { data: { type, ...Object.fromEntries(changed) } } : undefined
}

/** Who has an identity. */
export interface Holder {
  readonly userPath: string
  readonly linkPath: string
}

/** Who has the identity that a write was refused for, as the server says it to sellers. */
export function holderIn(error: unknown): Holder | undefined {
  if (!(error instanceof ApiProblem) || error.status !== 409) return undefined
  const meta = error.faults.map((fault) => fault.meta).find((one) => valueAt(one, 'holder.type') === type)
  const [realm, user, link] = ['realm_id', 'user_authentication_info_id', 'holder.id'].map((path) =>
    textOf(meta, path),
  )
  if (!realm || !user || !link) return undefined
  const userPath = `/v2/authentication-realms/${realm}/user-authentication-info/${user}`
  return { userPath, linkPath: `${userPath}/user-authentication-oidc-profile-info/${link}` }
}
