import { accountEnvelope } from '../accounts/index.ts'
import { currentPassword, mustBeThemself, tellOfEmailChange } from '../identity/index.ts'
import { mustBeWithinLimits } from '../kernel/attempts/attempts.ts'
import { slowHash } from '../kernel/attempts/slow-hash.ts'
import { resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { longText } from '../kernel/query/long-text.ts'
import { field, flag, text, type Values } from '../kernel/shape/fields.ts'
import { type Draft, indexed, walks } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { refuseCommonPassword } from '../passwords/index.ts'
import { takeAddress, takeAddressTurn } from './claimed-addresses.ts'
import { customerWithPassword } from './customer-with-password.ts'
import { mustStillBeSignedIn } from './must-still-be-signed-in.ts'

const fields = {
  name: text({ required: true, min: 1, max: 512, about: 'The full name.', example: 'Ada Marsh' }),
  email: text({
    required: true,
    format: 'email',
    max: 320,
    about: 'The email address that the customer signs in with; unique in the store, regardless of case.',
    example: 'ada.marsh@example.com',
  }),
  // What is shown under this name is accepted too, and means nothing: clients make bodies of what they have read.
  new_password: field<string | boolean | undefined>(
    // Long enough for any phrase; bounded, because hashing takes time. How short it may be, see `refuseShortPassword`.
    { type: ['string', 'boolean'], format: 'password', minLength: 1, maxLength: 1024 },
    {
      sentAs: 'password',
      stored: false,
      about:
        'The new password. Customers must choose at least 8 characters; administrators can set a shorter one, ' +
        'unless strict passwords are on. `true` and `false`, which responses show instead, change nothing.',
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
  // Another with every password. Their tokens name it, and end with it.
  password_epoch: text({ hidden: true, readOnly: true }),
  // By an administrator, not by the customer: see forgetPasswords.
  password_given: flag({ hidden: true, readOnly: true }),
  // Whether nobody but the customer says that the address is theirs: no administrator, no provider.
  email_claimed: flag({ hidden: true, readOnly: true }),
  // Whether a provider has just said that it is.
  email_verified: flag({ stored: false, readOnly: true }),
}

/** A person who buys, and may sign in to see what they have bought. */
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
      await tellOfEmailChange(work, { type: 'customer' }, customer, before)
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
  // That an address is taken tells that there is such a customer: nobody may ask for many.
  if (work.who.shopper && isNewEmail) {
    await mustBeWithinLimits(work, { at: 'change-email', whose: work.who.shopper.id })
  }
  // At first, too: a customer who is deleted and signs in at a provider again has the same id, and not the old tokens.
  if (!before || isNewPassword) values.password_epoch = newId()
  if (isNewPassword) refuseShortPassword(work, new_password)
  if (isNewPassword) await refuseCommonPassword(work, new_password)
  if (before && (isNewEmail || isNewPassword)) {
    const hasPassword = before.hidden.password_hash !== undefined
    await mustBeThemself(work, {
      current: hasPassword ? current_password : undefined,
      replaced: isNewPassword && hasPassword,
      signIn: (password) => customerWithPassword(work, before.doc.email, password),
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

/** An administrator may give a shorter one, as published runbooks do, unless SUTLER_STRICT_PASSWORDS is on. */
function refuseShortPassword({ who, instance }: Work, password: string): void {
  if (!who.shopper && !instance.strictPasswords) return
  if ([...password].length >= charactersMin) return
  const detail = `Validation failed: data.password must be a string of ${charactersMin} to 1024 characters.`
  throw new Problem('invalid_field', detail, { source: 'data.password' })
}

/** Who is known to have an address takes it from whoever only claims it; see docs/decisions/0009-oidc-sign-in.md. */
async function settleAddress(
  work: Work,
  id: string,
  { email, email_claimed, email_verified }: Values<typeof fields>,
): Promise<void> {
  // By default an address that is given is refused, whoever has it, as the public contract has it: many storefronts'
  // servers register whoever asks, and have verified nothing.
  const isGiven = !work.who.shopper && work.instance.strictPasswords
  if (!email_claimed && !email_verified && !isGiven) return
  await takeAddressTurn(work, email)
  if (!email_claimed) await takeAddress(work, email, id)
}
