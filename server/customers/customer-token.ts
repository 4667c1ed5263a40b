import { errors, jwtVerify, SignJWT } from 'jose'
import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Ctx, Instance, ShopperToken } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'

const kind = 'customer'
const lifetimeS = 24 * 60 * 60

interface IssuedToken {
  readonly id: string
  readonly token: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** A token (RFC 7519, signed with HS256) that says which customer its bearer is. */
export async function issueCustomerToken(ctx: Ctx, customerId: string, name: string): Promise<IssuedToken> {
  const id = newId()
  const issued = Math.floor(ctx.clock.now().getTime() / 1000)
  const expires = issued + lifetimeS
  const token = await new SignJWT({ name })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(customerId)
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
  const customerId = await subjectOf(instance, token)
  const [found] = await instance.database.quick({
    text: 'SELECT 1 FROM customers WHERE store_id = $1 AND id = $2',
    values: [storeId, customerId],
  })
  if (!found) throw unauthorized('The customer of this customer token does not exist.')
  return { customerId }
}

async function subjectOf({ shopperTokenKey, clock }: Instance, token: string): Promise<string> {
  try {
    const { payload } = await jwtVerify(token, shopperTokenKey(kind), {
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'exp'],
      currentDate: clock.now(),
    })
    return payload.sub as string
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
