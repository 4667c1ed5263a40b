import { newCredential } from '../../server/people/index.ts'
import { inParallel } from './in-parallel.ts'
import type { AnyJson, Merchant } from './merchant.ts'
import { daysLater, type PastClock } from './past-clock.ts'
import { randomOf, type ShopPlan } from './plan.ts'
import { atOnce } from './products.ts'
import type { Random } from './random.ts'
import { companyName, familyNames, givenNames, placesOf, streets } from './words.ts'

/** Who buys. */
export interface DemoBuyer {
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly address: object
  /** Before this time they do not buy. */
  readonly since: Date
}

export interface DemoCustomer extends DemoBuyer {
  readonly id: string
}

export interface AccountOfTrade extends DemoCustomer {
  readonly memberId: string
}

/** Somebody who exists in this shop only: their addresses end in the domain of examples. */
export function makePerson(random: Random, since: Date, n: string): DemoBuyer {
  const [first, last] = [random.pick(givenNames), random.pick(familyNames)]
  const currency = ['USD', 'EUR', 'GBP'][random.weighted([70, 22, 8])] as string
  const place = random.pick(placesOf(currency))
  return {
    ...{
      currency,
      since,
      name: `${first} ${last}`,
      email: `${first}.${last}.${n}@example.com`.toLowerCase(),
    },
    address: {
      ...{ first_name: first, last_name: last, line_1: `${random.integer(1, 180)} ${random.pick(streets)}` },
      ...{
        city: place.city,
        county: place.region,
        region: place.region,
        postcode: place.postcode,
        country: place.country,
      },
    },
  }
}

/** When somebody came: half of them before the shop's first day. */
function sinceOf(random: Random, { opens, ends }: ShopPlan): Date {
  const days = (ends.getTime() - opens.getTime()) / 86_400_000
  return random.chance(0.5) ? opens : daysLater(opens, random.next() * (days - 2))
}

export async function addCustomers(
  merchant: Merchant,
  clock: PastClock,
  plan: ShopPlan,
  onCustomer: () => void,
): Promise<readonly DemoCustomer[]> {
  const random = randomOf(plan, 'customers')
  const planned = Array.from({ length: plan.counts.customers }, (_, i) =>
    makePerson(random, sinceOf(random, plan), String(i + 1)),
  ).sort((one, other) => one.since.getTime() - other.since.getTime())
  return inParallel(planned, atOnce, (person) =>
    clock.at(person.since, async () => {
      const { name, email } = person
      const { id, isNew } = await merchant.create('/v2/customers', `customer ${email}`, {
        ...{ type: 'customer', name, email },
      })
      if (isNew) {
        const data = { type: 'address', name: 'Home', ...person.address }
        await merchant.create(`/v2/customers/${id}/addresses`, `address ${email}`, data)
      }
      onCustomer()
      return { ...person, id }
    }),
  )
}

/** The realm of the members of accounts, and the profile by which they may have passwords. */
interface AccountSignIn {
  readonly realm: string
  readonly passwordProfile: string
  readonly oidcProfile: string
  /** At the same provider, before it was set up anew. */
  readonly oldOidcProfile: string
}

/** How members of accounts sign in: by password, or at a provider that does not exist. */
export async function addSignIn(merchant: Merchant): Promise<AccountSignIn> {
  const settings = await merchant.get('/v2/settings/account-authentication')
  const realm = settings.relationships.authentication_realm.data.id
  const at = `/v2/authentication-realms/${realm}`
  const passwords = await merchant.create(`${at}/password-profiles`, 'password profile of accounts', {
    ...{ type: 'password_profile', name: 'Email and password', username_format: 'email' },
  })
  const [oidc, old] = [
    await addProvider(merchant, realm, 'Company login', 'provider of accounts'),
    await addProvider(merchant, realm, 'Company login, until the summer', 'old provider of accounts'),
  ]
  return { realm, passwordProfile: passwords.id, oidcProfile: oidc, oldOidcProfile: old }
}

const issuer = 'https://login.example.com'

/** A provider that does not exist. */
async function addProvider(merchant: Merchant, realm: string, name: string, key: string): Promise<string> {
  const data = {
    ...{ type: 'oidc-profile', name, client_id: 'demo-shop', client_secret: merchant.idOf('no secret') },
    discovery_url: `${issuer}/.well-known/openid-configuration`,
  }
  return (await merchant.create(`/v2/authentication-realms/${realm}/oidc-profiles`, key, data)).id
}

/** Links a user to what they are called at a provider. */
async function linkUser(merchant: Merchant, user: string, oidc_profile_id: string, subject: string) {
  await merchant.create(`${user}/user-authentication-oidc-profile-info`, `link ${user} ${subject}`, {
    ...{ type: 'user_authentication_oidc_profile_info', oidc_profile_id, issuer, subject },
  })
}

/** Lets shoppers sign up, who get an account each. */
export async function openSignUp(merchant: Merchant): Promise<void> {
  await merchant.do('PUT', '/v2/settings/account-authentication', {
    ...{ type: 'account_authentication_settings', enable_self_signup: true },
    auto_create_account_for_account_members: true,
  })
}

/** Creates the accounts with two members each, of whom some are linked to the provider. */
export async function addAccounts(
  merchant: Merchant,
  clock: PastClock,
  plan: ShopPlan,
  signIn: AccountSignIn,
  tags: readonly string[],
  onAccount: () => void,
): Promise<readonly AccountOfTrade[]> {
  const random = randomOf(plan, 'accounts')
  const users = `/v2/authentication-realms/${signIn.realm}/user-authentication-info`
  const planned = Array.from({ length: plan.counts.accounts }, (_, i) => ({
    name: companyName(i),
    since: sinceOf(random, plan),
    members: [makePerson(random, plan.opens, `a${i + 1}`), makePerson(random, plan.opens, `b${i + 1}`)],
    tag: tags[random.weighted([3, 1])] as string,
  }))
  const addMember = async (account: string, { name, email }: DemoBuyer, isLinked: boolean) => {
    const user = { type: 'user_authentication_info', name, email }
    const { id } = await merchant.create(users, `member ${email}`, user)
    const memberships = `/v2/accounts/${account}/account-memberships`
    const membership = { type: 'account_membership', account_member_id: id }
    await merchant.create(memberships, `membership ${email}`, membership)
    if (isLinked) await linkUser(merchant, `${users}/${id}`, signIn.oidcProfile, email)
    return id
  }
  return inParallel(planned, atOnce, ({ name, since, members, tag }, i) =>
    clock.at(since, async () => {
      const [buyer, other] = members as [DemoBuyer, DemoBuyer]
      const { id } = await merchant.create('/v2/accounts', `account ${name}`, {
        ...{ type: 'account', name, legal_name: `${name} Ltd`, registration_id: `R-${1000 + i}` },
      })
      await merchant.do('POST', `/v2/accounts/${id}/relationships/account-tags`, [
        { type: 'account_tag', id: tag },
      ])
      const memberId = await addMember(id, buyer, i % 2 === 0)
      const otherId = await addMember(id, other, false)
      // Two people of the first account claim to be the same one at the provider.
      if (i === 0) await linkUser(merchant, `${users}/${otherId}`, signIn.oldOidcProfile, buyer.email)
      const address = { type: 'address', name: 'Main entrance', company_name: name, ...buyer.address }
      await merchant.create(`/v2/accounts/${id}/addresses`, `address ${name}`, address)
      onAccount()
      return { ...buyer, since, id, memberId, currency: 'USD' }
    }),
  )
}

export async function addAccountTags(merchant: Merchant): Promise<readonly [trade: string, partner: string]> {
  const tag = async (name: string, description: string) =>
    (await merchant.create('/v2/account-tags', `tag ${name}`, { type: 'account_tag', name, description })).id
  return [
    await tag('Trade', 'Accounts that see the prices of the trade.'),
    await tag('Partner', 'Accounts of partners.'),
  ]
}

/** Their names, and their roles as invitations name them. */
const staff = [
  ['Mara Lind', 'ecommerce-admin'],
  ['Ines Silva', 'marketing'],
  ['Kofi Okoye', 'support'],
  ['Theo Brook', 'promotions-manager'],
  ['Hana Sato', 'developer'],
  ['Ada Winter', 'store-admin'],
] as const

export interface Colleague {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: string
}

/** Invites a colleague with each role. They have no password: an operator gives them another link. */
export async function addColleagues(merchant: Merchant): Promise<readonly Colleague[]> {
  const realms: readonly AnyJson[] = await merchant.get('/v2/authentication-realms')
  const realm = realms.find(({ relationships }) => relationships.origin.data.type.startsWith('merchant'))
  const users = `/v2/authentication-realms/${realm.id}/user-authentication-info`
  const provider = await addProvider(merchant, realm.id, 'Staff login', 'provider of staff')
  return inParallel(staff, 1, async ([name, role]) => {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
    const user = { type: 'user_authentication_info', name, email }
    const { id } = await merchant.create(users, `colleague ${email}`, user)
    const colleague = { id, name, email, role }
    await invite(merchant, colleague)
    if (role === 'support') await linkUser(merchant, `${users}/${id}`, provider, email)
    return colleague
  })
}

/** Returns the secret of the link. */
async function invite(merchant: Merchant, { name, email, role }: Colleague): Promise<string> {
  const data = { type: 'colleague_invitation', name, email, role }
  const { link } = await merchant.do('POST', '/v2/colleague-invitations', data)
  return new URL(link).hash.split('.')[1] as string
}

/** Signs a colleague in by another invitation, with a password that nobody learns. Returns a token. */
export async function signIn(merchant: Merchant, store: string, colleague: Colleague): Promise<string> {
  const invitation = await invite(merchant, colleague)
  const { token } = await merchant.as('').do('POST', '/v2/colleague-tokens', {
    ...{ type: 'colleague_token', authentication_mechanism: 'invitation', store },
    ...{ invitation, password: newCredential() },
  })
  return token
}
