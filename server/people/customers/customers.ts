import { mustBeWithinLimits } from '../../kernel/attempts/attempts.ts'
import { slowHash } from '../../kernel/attempts/slow-hash.ts'
import { unauthorized } from '../../kernel/auth/tokens.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { invalidField, Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { longText } from '../../kernel/query/long-text.ts'
import { field, flag, text, type Values } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { accountEnvelope } from '../accounts/account-envelope.ts'
import { announceEmailChange } from '../identity/announce-email-change.ts'
import { currentPassword, mustProveIdentity } from '../identity/current-password.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { tokenEpochOf } from '../identity/user-token-epoch.ts'
import { refuseCommonPassword } from '../passwords/refuse-common-password.ts'
import { lockAddress, takeAddress } from './claimed-addresses.ts'
import { findCustomerWithPassword } from './customer-passwords.ts'

const fields = {
  name: text({ required: true, min: 1, max: 512, about: 'The full name.', example: 'Ada Marsh' }),
  email: text({
    required: true,
    format: 'email',
    max: 320,
    about: 'The email address that the customer signs in with; unique in the store, regardless of case.',
    example: 'ada.marsh@example.com',
  }),
  // Booleans, which responses show under this name, are accepted and ignored: clients send back what they have read.
  new_password: field<string | boolean | undefined>(
    // Long enough for any phrase, but bounded, because hashing takes time. For the minimum see `refuseShortPassword`.
    { type: ['string', 'boolean'], format: 'password', minLength: 1, maxLength: 1024 },
    {
      inputName: 'password',
      stored: false,
      about:
        'The new password. Customers must choose at least 8 characters; administrators can set a shorter one, ' +
        'unless strict passwords are on. Responses have `true` or `false` here; sending that back changes nothing.',
      example: 'eleven horses by the river',
    },
  ),
  password: flag({ readOnly: true, about: 'Whether the customer has a password.' }),
  current_password: currentPassword,
  external_ref: text({
    nullable: true,
    default: null,
    max: 2048,
    about: 'The id of this customer in another system.',
  }),
  password_hash: text({ hidden: true, readOnly: true }),
  // Changes with every password. Tokens contain it and are valid until it changes.
  password_epoch: text({ hidden: true, readOnly: true }),
  // Whether an administrator set the password: see forgetPasswords.
  password_given: flag({ hidden: true, readOnly: true }),
  // Whether only the customer claims that the address is theirs, and no administrator or provider confirms it.
  email_claimed: flag({ hidden: true, readOnly: true }),
  // Whether a provider has just verified the address.
  email_verified: flag({ stored: false, readOnly: true }),
}

export const customers = resource({
  type: 'customer',
  noun: ['customer', 'customers'],
  about: 'A person who buys, and can sign in with their email address and a password.',
  path: '/v2/customers',
  table: 'customers',
  addedUnder: 'customers',
  personal: ['id'],
  fields,
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
    email: { ...indexed('eq', 'like'), caseless: true },
    external_ref: { ...longText('external_ref'), ops: ['eq'] },
  },
  sort: ['created_at', 'email', 'id', 'name', 'updated_at'],
  area: 'customers',
  refuses: { create: ['rate_limited'], update: ['rate_limited'] },
  envelope: { ...accountEnvelope, links: 'none' },
  visible: ({ shopper }, bind) => shopper && `id = ${bind(shopper.id)}::uuid`,
  beforeWrite: prepare,
  afterWrite: async (work, customer, before) => {
    if (before && customer.doc.email !== before.doc.email) {
      await announceEmailChange(work, { type: 'customer' }, customer, before)
    }
  },
  constraints: {
    customers_email_key: {
      code: 'conflict',
      detail: 'a customer with the given email already exists',
      source: 'data.email',
    },
  },
})

async function prepare(work: Work, { id, values, before }: Draft<typeof fields>): Promise<void> {
  const { new_password, current_password } = values
  if (work.who.shopper && !before) {
    throw new Problem(
      'forbidden',
      'A customer token allows changes to that customer only; it cannot create customers.',
    )
  }
  const isNewEmail = values.email !== before?.doc.email
  const isNewPassword = typeof new_password === 'string'
  // A conflict reveals that the customer exists, so a shopper can try only a few addresses.
  if (work.who.shopper && isNewEmail) {
    await mustBeWithinLimits(work, { action: 'change-email', owner: work.who.shopper.id })
  }
  // Also at creation: a customer who is deleted and signs in at a provider again has the same id, and old tokens must
  // fail.
  if (!before || isNewPassword) values.password_epoch = newId()
  if (isNewPassword) refuseShortPassword(work, new_password)
  if (isNewPassword && work.instance.strictPasswords) await refuseCommonPassword(new_password)
  if (before && (isNewEmail || isNewPassword)) {
    const hasPassword = before.hidden.password_hash !== undefined
    await mustProveIdentity(work, {
      current: hasPassword ? current_password : undefined,
      replacesPassword: isNewPassword && hasPassword,
      signIn: (password) => findCustomerWithPassword(work, before.doc.email, password),
    })
  }
  if (isNewPassword) {
    values.password_hash = await slowHash(work, new_password)
    values.password_given = work.who.shopper ? undefined : true
  }
  values.password = values.password_hash !== undefined
  if (before) await mustStillBeSignedIn(work, before)
  if (isNewEmail) {
    if (before) values.email_claimed = work.who.shopper && true
    await settleAddress(work, id, values)
  }
}

const charactersMin = 8

/** Administrators can set a shorter password, as published runbooks do, unless SUTLER_STRICT_PASSWORDS is on. */
function refuseShortPassword({ who, instance }: Work, password: string): void {
  if (!who.shopper && !instance.strictPasswords) return
  if ([...password].length >= charactersMin) return
  throw invalidField('data.password', `must be a string of ${charactersMin} to 1024 characters`)
}

/**
 * Gives the address to its proven owner, if another customer only claims it: see docs/decisions/0009-oidc-sign-in.md.
 */
async function settleAddress(
  work: Work,
  id: string,
  { email, email_claimed, email_verified }: Values<typeof fields>,
): Promise<void> {
  // By default an address that is taken is refused even to administrators, as in the public contract: the servers of
  // many storefronts register anyone without verifying the address.
  const isGiven = !work.who.shopper && work.instance.strictPasswords
  if (!email_claimed && !email_verified && !isGiven) return
  await lockAddress(work, email)
  if (!email_claimed) await takeAddress(work, email, id)
}

/**
 * Refuses (401) a customer whose token was revoked since the request started, because hashing a password takes time.
 * The lock on the user holds until the end of the transaction. Meanwhile only a new password can revoke the token, and
 * that also makes a new version of the customer.
 */
async function mustStillBeSignedIn(
  work: Work,
  { hidden }: { readonly hidden: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { shopper } = work.who
  if (!shopper) return
  const isUser = (await work.store.lock(userAuthenticationInfos, shopper.id)).size > 0
  const epoch = isUser ? await tokenEpochOf(work, shopper.id) : undefined
  if (epoch === shopper.session.epoch && hidden.password_epoch === shopper.session.password_epoch) return
  throw unauthorized('The customer token has been revoked; sign in again.')
}
