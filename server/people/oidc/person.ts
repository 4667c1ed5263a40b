import { checker } from '../../kernel/body/checker.ts'
import { isPlainText } from './plain-text.ts'

/** The claims about a person that a user stores. */
export interface PersonClaims {
  readonly email: string
  /** Whether the provider has verified the address. */
  readonly emailVerified: boolean
  readonly names: Readonly<Record<string, string>> & { readonly name: string }
}

type ProviderClaims = Readonly<Record<string, unknown>>

const [emailMax, nameMax, namePartMax] = [320, 512, 255]
const mustBeEmail = checker({ type: 'string', format: 'email' }, 'email')

/**
 * Reads the person from the claims (OpenID Connect Core §5.1). Claims of the ID token take precedence over `more`.
 * Undefined without an email address, which every user needs.
 */
export function personOf(claims: ProviderClaims, more: ProviderClaims = {}): PersonClaims | undefined {
  // Both from one source: that one address is verified says nothing about another.
  const { email, email_verified } = isEmail(claims.email) ? claims : more
  if (!isEmail(email)) return undefined
  const allClaims = { ...more, ...claims }
  const names = Object.fromEntries(
    ['given_name', 'middle_name', 'family_name'].flatMap((part) => {
      const text = allClaims[part]
      return isPlainText(text, namePartMax) ? [[part, text]] : []
    }),
  )
  const name = [
    allClaims.name,
    [names.given_name, names.family_name].filter(Boolean).join(' '),
    allClaims.preferred_username,
    email,
  ].find((text) => isPlainText(text, nameMax)) as string
  // Some providers send the text.
  const emailVerified = email_verified === true || email_verified === 'true'
  return { email, emailVerified, names: { ...names, name } }
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
