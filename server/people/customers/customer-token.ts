import { errors, SignJWT } from 'jose'
import { verifyToken } from '../../kernel/auth/keys.ts'
import { unauthorized } from '../../kernel/auth/tokens.ts'
import { newId } from '../../kernel/ids.ts'
import type { Tuple } from '../../kernel/storage/database.ts'
import type { Instance, ShopperToken, Work } from '../../kernel/work/context.ts'

const kind = 'customer'
const lifetimeS = 24 * 60 * 60

/** A customer's tokens are valid until one of these changes. */
interface TokenEpochs {
  /** The token epoch of the customer's user; undefined without a user. */
  readonly tokenEpoch: number | undefined
  /** The epoch of the password; undefined if the password is older than password epochs. */
  readonly passwordEpoch: string | undefined
}

/** A customer who has signed in. */
export interface SignedInCustomer extends TokenEpochs {
  readonly id: string
  readonly name: string
}

/** SQL for the epochs of a customer `c` of the store $1. */
export const tokenEpochs = {
  columns: `CASE WHEN u.id IS NOT NULL THEN coalesce(e.epoch, 0) END, c.hidden->>'password_epoch'`,
  joins: `LEFT JOIN user_authentication_infos u ON u.store_id = $1 AND u.id = c.id
    LEFT JOIN user_token_epochs e ON e.store_id = $1 AND e.user_id = c.id`,
  read: ([user, password]: Tuple): TokenEpochs => ({
    tokenEpoch: user ? Number(user) : undefined,
    passwordEpoch: password ?? undefined,
  }),
}

interface VerifiedCustomerToken extends TokenEpochs {
  readonly customerId: string
  readonly signedInS: number
}

interface IssuedToken {
  readonly id: string
  readonly token: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** Issues a token (RFC 7519, signed with HS256) that identifies the customer. */
export async function issueCustomerToken(work: Work, customer: SignedInCustomer): Promise<IssuedToken> {
  const id = newId()
  const issuedS = Math.floor(work.clock.now().getTime() / 1000)
  const expires = issuedS + lifetimeS
  const token = await new SignJWT({
    name: customer.name,
    epoch: customer.tokenEpoch,
    password_epoch: customer.passwordEpoch,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(customer.id)
    .setJti(id)
    .setIssuedAt(issuedS)
    .setExpirationTime(expires)
    .sign(work.instance.shopperTokenKeys(kind)[0])
  return { id, token, expires }
}

/** Returns the customer of a token. Throws a Problem (401) if it is not valid, or not for a customer of this store. */
export async function verifyCustomerToken(
  instance: Instance,
  storeId: string,
  token: string,
): Promise<VerifiedCustomerToken> {
  const { sub: customerId, epoch, password_epoch, iat: signedInS } = await open(instance, token)
  const [row] = await instance.database.quick({
    text: `SELECT ${tokenEpochs.columns} FROM customers c ${tokenEpochs.joins} WHERE c.store_id = $1 AND c.id = $2`,
    values: [storeId, customerId],
  })
  if (!row) throw unauthorized('The customer of this customer token does not exist.')
  const { tokenEpoch, passwordEpoch } = tokenEpochs.read(row)
  if (tokenEpoch !== epoch || passwordEpoch !== password_epoch) {
    throw unauthorized('The customer token has been revoked; sign in again.')
  }
  // Only a sign-in issues a token, so it was issued when they signed in.
  return { customerId, signedInS, tokenEpoch, passwordEpoch }
}

interface CustomerClaims {
  readonly sub: string
  readonly iat: number
  readonly epoch?: number
  readonly password_epoch?: string
}

async function open({ shopperTokenKeys, clock }: Instance, token: string): Promise<CustomerClaims> {
  try {
    return await verifyToken<CustomerClaims>(shopperTokenKeys(kind), token, {
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: clock.now(),
    })
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw unauthorized('The customer token has expired.', error)
    throw unauthorized('Unable to validate the customer token.', error)
  }
}

/** The token of requests that identifies the customer. */
export const customerToken: ShopperToken = {
  header: 'x-moltin-customer-token',
  kind,
  verify: async (instance, storeId, token) => {
    const { customerId, signedInS, tokenEpoch, passwordEpoch } = await verifyCustomerToken(
      instance,
      storeId,
      token,
    )
    return {
      id: customerId,
      claims: {},
      session: { signed_in_s: signedInS, epoch: tokenEpoch, password_epoch: passwordEpoch },
    }
  },
}
