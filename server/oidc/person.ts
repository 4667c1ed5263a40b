import { checker } from '../kernel/write/checker.ts'
import { isPlainText } from './plain-text.ts'

/** What a provider says of someone, as far as a user keeps it. */
export interface Person {
  readonly email: string
  /** The provider says that it has seen them read mail at this address. */
  readonly emailVerified: boolean
  readonly names: Readonly<Record<string, string>> & { readonly name: string }
}

type Claims = Readonly<Record<string, unknown>>

const [emailMax, nameMax, namePartMax] = [320, 512, 255]
const mustBeEmail = checker({ type: 'string', format: 'email' }, 'email')

/**
 * The person of these claims (OpenID Connect Core §5.1), those of the ID token before what else the provider says;
 * undefined without an email address: users have one.
 */
export function personOf(claims: Claims, more: Claims = {}): Person | undefined {
  // Of one source: that one address is verified says nothing about another.
  const { email, email_verified } = isEmail(claims.email) ? claims : more
  if (!isEmail(email)) return undefined
  const said = { ...more, ...claims }
  const names = Object.fromEntries(
    ['given_name', 'middle_name', 'family_name'].flatMap((part) => {
      const text = said[part]
      return isPlainText(text, namePartMax) ? [[part, text]] : []
    }),
  )
  const name = [
    said.name,
    [names.given_name, names.family_name].filter(Boolean).join(' '),
    said.preferred_username,
    email,
  ].find((text) => isPlainText(text, nameMax)) as string
  return { email, emailVerified: email_verified === true, names: { ...names, name } }
}

function isEmail(value: unknown): value is string {
  if (!isPlainText(value, emailMax)) return false
  try {
    mustBeEmail(value)
    return true
  } catch {
    return false
  }
}
