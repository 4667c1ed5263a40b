import { errors, jwtVerify, SignJWT } from 'jose'
import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Ctx, Instance, ShopperToken } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'

const kind = 'customer'
const lifetimeS = 24 * 60 * 60

/** A customer who has shown who they are. */
export interface Identified {
  readonly id: string
  readonly name: string
  /** Of the user that the customer is; undefined when they are none. Their tokens are good until it is another. */
  readonly tokenEpoch: number | undefined
}

/** The epoch of a customer `c` of the store $1, in SQL. */
export const tokenEpoch = {
  column: 'CASE WHEN u.id IS NOT NULL THEN coalesce(e.epoch, 0) END',
  joins: `LEFT JOIN user_authentication_infos u ON u.store_id = $1 AND u.id = c.id
    LEFT JOIN user_token_epochs e ON e.store_id = $1 AND e.user_id = c.id`,
}

export const toEpoch = (text: string | null | undefined): number | undefined =>
  text === null || text === undefined ? undefined : Number(text)

interface IssuedToken {
  readonly id: string
  readonly token: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** A token (RFC 7519, signed with HS256) that says which customer its bearer is. */
export async function issueCustomerToken(ctx: Ctx, customer: Identified): Promise<IssuedToken> {
  const id = newId()
  const issued = Math.floor(ctx.clock.now().getTime() / 1000)
  const expires = issued + lifetimeS
  const token = await new SignJWT({ name: customer.name, epoch: customer.tokenEpoch })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(customer.id)
    .setJti(id)
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(ctx.instance.shopperTokenKey(kind))
  return { id, token, expires }
}

/** Whom a token speaks for; a Problem (401) when it is not good, or not for a customer of this store. */
export async function verifyCustomerToken(
  instance: Instance,
  storeId: string,
  token: string,
): Promise<{ customerId: string }> {
  const { sub: customerId, epoch } = await open(instance, token)
  const [found] = await instance.database.quick({
    text: `SELECT ${tokenEpoch.column} FROM customers c ${tokenEpoch.joins} WHERE c.store_id = $1 AND c.id = $2`,
    values: [storeId, customerId],
  })
  if (!found) throw unauthorized('The customer of this customer token does not exist.')
  if (toEpoch(found[0]) !== epoch) throw unauthorized('The customer token was ended: sign in again.')
  return { customerId }
}

interface Claims {
  readonly sub: string
  readonly epoch?: number
}

async function open({ shopperTokenKey, clock }: Instance, token: string): Promise<Claims> {
  try {
    const { payload } = await jwtVerify<Claims>(token, shopperTokenKey(kind), {
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'exp'],
      currentDate: clock.now(),
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw unauthorized('The customer token has expired.', error)
    throw unauthorized('Unable to validate the customer token.', error)
  }
}

/** How a request says which customer is calling. */
export const customerToken: ShopperToken = {
  header: 'x-moltin-customer-token',
  kind,
  verify: async (instance, storeId, token) => {
    const { customerId } = await verifyCustomerToken(instance, storeId, token)
    return { id: customerId, claims: {} }
  },
}
