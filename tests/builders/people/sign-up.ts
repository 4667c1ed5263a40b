import type { World } from '../../support/world.ts'
import { password } from './accounts.ts'
import { customer, customers } from './customers.ts'

let counter = 0

/** A new customer, and the headers with their token. */
export async function signUp(world: World) {
  const data = { name: 'Ada Marsh', email: `ada-${++counter}-${Date.now()}@example.com`, password }
  const { id } = (await world.admin.post(customers, customer(data))).body.data
  const sent = { data: { type: 'token', email: data.email, password } }
  const { token } = (await world.shopper.post('/v2/customers/tokens', sent)).body.data
  return {
    ...{ id: id as string, name: data.name, email: data.email },
    headers: { 'x-moltin-customer-token': token as string },
  }
}
