import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'
import { newProduct } from './objects.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** The plans by which a session carries out statements, and what triggers ask then. */
async function plansOf(statements: readonly string[]): Promise<readonly string[]> {
  const connection = await world.server.instance.database.pool.connect()
  const plans: string[] = []
  const told = ({ message }: { message?: string | undefined }) => plans.push(message ?? '')
  try {
    await connection.query("LOAD 'auto_explain'")
    for (const [name, value] of [
      ['auto_explain.log_min_duration', '0'],
      ['auto_explain.log_nested_statements', 'on'],
      ['client_min_messages', 'log'],
    ]) {
      await connection.query(`SET ${name} = ${value}`)
    }
    await connection.query('BEGIN')
    connection.on('notice', told)
    for (const statement of statements) await connection.query(statement)
  } finally {
    connection.off('notice', told)
    await connection.query('ROLLBACK')
    // It is told of plans for good: nobody else is to have it.
    connection.release(true)
  }
  return plans
}

test('a session that has changed one product goes through thousands once, not once for each of them', async () => {
  const { id } = await newProduct(world.admin)
  const change = `UPDATE products SET version = version + 1 WHERE`
  const plans = await plansOf([`${change} id = '${id}'`, `${change} true`])
  const both = plans.filter((plan) => /\bold\b/.test(plan) && /\bfresh\b/.test(plan))
  expect(both.length, 'plans of what is compared of a product').toBeGreaterThan(0)
  for (const plan of both) expect(plan).not.toContain('Nested Loop')
})
